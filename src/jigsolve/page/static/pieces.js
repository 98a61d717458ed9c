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
    byId("settings").addEventListener("input", () => this.updateButton());
    onClick("solve", () => onSolve(this.effort));
  }

  // Has the person changed the form since it was filled or sent?
  get isChanged() {
    return JSON.stringify(this.settings) !== this.known;
  }

  async apply(session, settings) {
    this.known = JSON.stringify(settings);
    try {
      await session.changeSettings(settings);
    } catch (error) {
      this.known = ""; // it is still to be applied
      throw error;
    }
  }

  updateButton() {
    byId("solve").disabled = !this.hasPuzzle && !this.isChanged;
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
    const { puzzle, problem } = state;
    byId("found").textContent = puzzle
      ? `${formatCount(puzzle.n, "piece")} of ${puzzle.piece[0]} × ${puzzle.piece[1]} pixels`
      : "Is this picture whole?";
    fillList(byId("notes"), puzzle?.notes ?? ["No cuts were found in it. It can be cut and shuffled here; or, if it is scrambled after all, enter the size of its pieces."]);
    byId("problem").textContent = problem;
    show("problem", problem && !problem.includes("found no cuts"));
    if (state.key !== this.key || (state.version !== this.version && !this.isChanged)) this.fillForm(state);
    show("shuffle-part", state.sheet);
    this.hasPuzzle = Boolean(puzzle);
    this.updateButton();
    byId("failed").textContent = state.error;
    show("failed", state.error);
  }

  fillForm({ key, version, puzzle, settings }) {
    [byId("width").value, byId("height").value] = settings.piece ?? puzzle?.piece ?? ["", ""];
    for (const id of ["rows", "cols"]) {
      byId(id).value = settings[id] ?? "";
      byId(id).placeholder = puzzle?.[id] || "auto";
    }
    for (const id of ["rotated", "shuffle"]) byId(id).checked = settings[id];
    Object.assign(this, { key, version, known: JSON.stringify(this.settings) });
  }
}
