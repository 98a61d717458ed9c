// The panel of the first step: the pieces that were found, and the settings of the person.

import { listChoices } from "./api.js";
import { formatCount } from "./format.js";
import { byId, create, fillList, onClick, show } from "./dom.js";
import { translate } from "./status.js";

const SIZES = { piece: ["width", "height"], rows: ["rows"], cols: ["cols"], pictures: ["pictures"] };
const FLAGS = { in_place: "in-place", mirrored: "mirrored", keep_lines: "keep-lines" };
const DEFAULT_PIECE_PX = 40; // as on the server

function readNumber(id) {
  const text = byId(id).value.trim();
  return text === "" ? null : Number(text);
}

export class PiecesPanel {
  // onApply(settings), onSolve(), onReference(file or null), onChange(): after each change of the form
  constructor({ onApply, onSolve, onReference, onChange }) {
    Object.assign(this, { onChange, shuffle: null }); // shuffle: a seed, true for any, null if the picture is not cut here
    const apply = (shuffle) => {
      this.shuffle = shuffle;
      onApply(this.settings);
    };
    byId("settings").addEventListener("submit", (event) => {
      event.preventDefault();
      apply(this.isWhole ? null : this.shuffle);
    });
    byId("as-fragments").addEventListener("change", () => {
      this.fragments = byId("as-fragments").checked;
      if (this.hasPuzzle) onApply(this.settings);
    });
    byId("settings").addEventListener("input", () => this.updateButtons());
    byId("orientation").addEventListener("change", () => this.hasPuzzle && onApply(this.settings));
    for (const id of Object.values(FLAGS)) byId(id).addEventListener("change", () => this.hasPuzzle && onApply(this.settings));
    onClick("shuffle", () => apply(this.shuffle === null || null));
    onClick("solve", () => (this.isWhole ? apply(true) : onSolve()));
    byId("reference").addEventListener("change", (event) => {
      const [file] = event.target.files;
      event.target.value = "";
      if (file) onReference(file);
    });
    onClick("remove-reference", () => onReference(null));
    this.fillChoices();
  }

  async fillChoices() {
    const { solvers, borders } = await listChoices().catch(() => ({ solvers: ["default"], borders: [] }));
    byId("solver").replaceChildren(...solvers.map((name) => create("option", { value: name }, name)));
    byId("border").append(...borders.map((name) => create("option", { value: name }, name)));
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

  // A picture without cuts, and without a size that the person has typed.
  get isWhole() {
    return !this.hasPuzzle && this.isSheet;
  }

  updateButtons() {
    byId("solve").textContent = this.isWhole ? "Cut and shuffle" : "Solve";
    byId("solve").disabled = !this.hasPuzzle && !this.isSheet;
    byId("apply").textContent = this.isWhole ? "It is scrambled: use this size" : "Apply";
    show("apply", !this.isWhole || readNumber("width") !== null || readNumber("rows") !== null);
    show("shuffle", this.isSheet && !this.isWhole);
    show("efforts", !this.isWhole);
    byId("shuffle").textContent = this.shuffle === null ? "It is whole: cut and shuffle" : "Back to the whole picture";
    this.onChange();
  }

  // How to solve: what is not about the pieces.
  get request() {
    const choose = (id) => byId(id).value || null;
    return { effort: document.querySelector("input[name=effort]:checked").value, solver: choose("solver"), border: choose("border"),
      time_limit: readNumber("time-limit"), seed: readNumber("seed"), min_confidence: readNumber("min-confidence") };
  }

  // [width, height] of a piece, null if the person leaves it open.
  get piece() {
    const [width, height] = SIZES.piece.map(readNumber);
    return width === null && height === null ? null : [width ?? height, height ?? width];
  }

  // The size with which a whole picture would be cut.
  get cutSize() {
    const { piece } = this;
    return piece?.every((size) => Number.isInteger(size) && size > 1) ? piece : [DEFAULT_PIECE_PX, DEFAULT_PIECE_PX];
  }

  get settings() {
    const flags = Object.fromEntries(Object.entries(FLAGS).map(([key, id]) => [key, byId(id).checked]));
    return { piece: this.piece, rows: readNumber("rows"), cols: readNumber("cols"), pictures: readNumber("pictures"),
      orientation: document.querySelector("input[name=orientation]:checked").value, shuffle: this.shuffle, fragments: this.fragments, ...flags };
  }

  update(state) {
    const { puzzle, problem } = state;
    byId("found").textContent = puzzle ? `${formatCount(puzzle.n, state.fragments ? "tile" : "piece")} of ${puzzle.piece[0]} × ${puzzle.piece[1]} pixels` : "This picture looks whole";
    fillList(byId("notes"), puzzle?.notes.map(translate) ?? ["No cuts were found in it. Cut and shuffle it here to see it solved; or, if it is scrambled after all, enter the size of its pieces."]);
    byId("problem").textContent = translate(problem ?? "");
    show("problem", problem && !problem.includes("found no cuts"));
    Object.assign(this, { hasPuzzle: Boolean(puzzle), isSheet: state.sheet });
    show("as-fragments-part", !state.sheet);
    byId("as-fragments").checked = state.fragments;
    if (state.key !== this.key || (state.version !== this.version && !this.isChanged)) this.fillForm(state);
    show("remove-reference", state.reference);
    byId("failed").textContent = translate(state.error ?? "");
    show("failed", state.error);
    this.updateButtons();
  }

  fillForm({ key, version, puzzle, settings }) {
    [byId("width").value, byId("height").value] = settings.piece ?? puzzle?.piece ?? ["", ""];
    for (const id of ["width", "height"]) byId(id).placeholder = puzzle ? "auto" : DEFAULT_PIECE_PX;
    for (const id of ["rows", "cols", "pictures"]) {
      byId(id).value = settings[id] ?? "";
      byId(id).placeholder = puzzle?.[id] || "auto";
    }
    document.querySelector(`input[name=orientation][value="${settings.orientation}"]`).checked = true;
    for (const [name, id] of Object.entries(FLAGS)) byId(id).checked = settings[name];
    Object.assign(this, { shuffle: settings.shuffle, fragments: settings.fragments });
    Object.assign(this, { key, version, known: JSON.stringify(this.settings) });
  }
}
