// The panel of the first step: what was found, what a person says of the pieces.

import { count } from "./words.js";
import { element, lines, show } from "./dom.js";

export class PiecesPanel {
  // told: {apply(settings), solve(effort)}
  constructor(told) {
    element("settings").addEventListener("submit", (event) => {
      event.preventDefault();
      told.apply(this.settings());
    });
    for (const id of ["rotated", "shuffle"]) element(id).addEventListener("change", () => told.apply(this.settings()));
    element("solve").addEventListener("click", () => told.solve(this.effort));
  }

  get effort() {
    return document.querySelector("input[name=effort]:checked").value;
  }

  settings() {
    const number = (id) => {
      const text = element(id).value.trim();
      return text === "" ? null : Number(text);
    };
    const [width, height] = [number("width"), number("height")];
    const piece = width === null && height === null ? null : [width ?? height, height ?? width];
    return { piece, rows: number("rows"), cols: number("cols"), rotated: element("rotated").checked, shuffle: element("shuffle").checked };
  }

  show(state) {
    const { puzzle, settings, why } = state;
    element("found").textContent = puzzle
      ? `${count(puzzle.n, "piece")} of ${puzzle.piece[0]} × ${puzzle.piece[1]} pixels`
      : "Is this picture whole?";
    lines(element("notes"), puzzle?.notes ?? ["No cuts were found in it. It can be cut and shuffled here; or, if it is scrambled after all, tell the size of its pieces."]);
    element("why").textContent = why;
    show("why", why && !why.includes("found no cuts"));
    const size = settings.piece ?? puzzle?.piece;
    [element("width").value, element("height").value] = size ?? ["", ""];
    element("rows").value = settings.rows ?? "";
    element("cols").value = settings.cols ?? "";
    element("rows").placeholder = puzzle?.rows || "auto";
    element("cols").placeholder = puzzle?.cols || "auto";
    element("rotated").checked = settings.rotated;
    element("shuffle").checked = settings.shuffle;
    show("shuffle-part", state.sheet);
    element("solve").disabled = !puzzle;
    element("failed").textContent = state.error;
    show("failed", state.error);
  }
}
