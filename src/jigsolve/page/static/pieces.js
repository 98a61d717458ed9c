// The panel of the first step: the pieces that were found, and the settings of the person.

import { formatCount } from "./format.js";
import { byId, fillList, onClick, show } from "./dom.js";

export class PiecesPanel {
  constructor({ onApply, onSolve }) {
    byId("settings").addEventListener("submit", (event) => {
      event.preventDefault();
      onApply(this.settings);
    });
    for (const id of ["rotated", "shuffle"]) byId(id).addEventListener("change", () => onApply(this.settings));
    onClick("solve", () => onSolve(this.effort));
  }

  get effort() {
    return document.querySelector("input[name=effort]:checked").value;
  }

  get settings() {
    const readNumber = (id) => {
      const text = byId(id).value.trim();
      return text === "" ? null : Number(text);
    };
    const [width, height] = [readNumber("width"), readNumber("height")];
    const piece = width === null && height === null ? null : [width ?? height, height ?? width];
    return { piece, rows: readNumber("rows"), cols: readNumber("cols"), rotated: byId("rotated").checked, shuffle: byId("shuffle").checked };
  }

  update(state) {
    const { puzzle, settings, problem } = state;
    byId("found").textContent = puzzle
      ? `${formatCount(puzzle.n, "piece")} of ${puzzle.piece[0]} × ${puzzle.piece[1]} pixels`
      : "Is this picture whole?";
    fillList(byId("notes"), puzzle?.notes ?? ["No cuts were found in it. It can be cut and shuffled here; or, if it is scrambled after all, enter the size of its pieces."]);
    byId("problem").textContent = problem;
    show("problem", problem && !problem.includes("found no cuts"));
    [byId("width").value, byId("height").value] = settings.piece ?? puzzle?.piece ?? ["", ""];
    for (const id of ["rows", "cols"]) {
      byId(id).value = settings[id] ?? "";
      byId(id).placeholder = puzzle?.[id] || "auto";
    }
    for (const id of ["rotated", "shuffle"]) byId(id).checked = settings[id];
    show("shuffle-part", state.sheet);
    byId("solve").disabled = !puzzle;
    byId("failed").textContent = state.error;
    show("failed", state.error);
  }
}
