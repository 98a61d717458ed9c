// The panel of the third step: the verdict, the inspected piece, and corrections.

import { directionOf, pieceOf, turnOf } from "./board.js";
import { byId, create, fillList, onClick, show } from "./dom.js";
import { formatCount } from "./format.js";
import { translate, warn } from "./status.js";

const MAX_LISTED_PINS = 60; // of each type
const HINT = "Point at a piece, or select one, to see what else could lie beside it. Drag a piece to move it.";
const TILE_HINT = "Point at a tile, or select one, to see where it comes from and what else could lie beside it.";

export class AnswerPanel {
  constructor(app) {
    this.app = app;
    onClick("undo", () => app.editor.undo());
    onClick("redo", () => app.editor.redo());
    onClick("turn-picture", () => app.editor.turnPicture());
    onClick("rest", () => app.solveRest());
    onClick("turn", () => this.turn());
    onClick("lock", () => app.editor.toggleLock(this.cells));
    onClick("cut", () => this.cut());
    onClick("join", () => this.join());
    onClick("select-fragment", () => this.selectFragment());
    onClick("select-none", () => app.gestures.select([], -1));
    onClick("clear-pins", () => app.editor.removeAllPins());
  }

  get cells() { return this.app.selection.cells; }

  showError(message) {
    byId("answer-failed").textContent = translate(message ?? "");
    show("answer-failed", message);
  }

  // Show a new answer, or one that undo has brought back.
  showAnswer() {
    const { notes } = this.app.editor.answer;
    const known = new Set(this.app.state.puzzle.notes); // shown with the pieces
    fillList(byId("answer-notes"), notes.filter((note) => !known.has(note)).map(translate));
  }

  // --- edits of the selection ----------------------------------------------------------------------------------

  turn() {
    const problem = this.cells.length ? this.app.editor.turn(this.cells) : "Select a piece first.";
    if (problem) warn(problem);
  }

  // A joint that is looked at, or else of pictures the joints between the selected pieces, of fragments those around them.
  cut() {
    const { editor, selection, state } = this.app;
    const joints = state.fragments && !selection.bare ? editor.jointsAround(this.cells) : editor.jointsOf(this.cells);
    if (joints.length) editor.cut(joints);
    else warn(state.fragments ? "Select some tiles of a fragment to cut them off." : "Select two neighbours, or one piece, to cut.");
  }

  // All joints between some tiles are right.
  accept(cells) {
    this.app.editor.join(this.app.editor.jointsOf(cells));
  }

  selectFragment() {
    const { editor, gestures, selection } = this.app;
    if (selection.cursor >= 0) gestures.select(editor.blockOf(selection.cursor), selection.cursor);
    else warn("Select a tile first.");
  }

  join() {
    const joints = this.cells.length > 1 ? this.app.editor.jointsOf(this.cells) : [];
    if (joints.length) this.app.editor.join(joints);
    else warn("Select two neighbours or more to join.");
  }

  // Join another piece to a side: it moves there, and the two stay together.
  attach(side, otherSide) {
    const { board, editor, state } = this.app;
    if (state.fragments) {
      const problem = editor.attach(side, otherSide);
      if (problem) warn(problem);
      return;
    }
    const cell = board.cellOf[pieceOf(side)];
    const direction = directionOf(side, turnOf(board.labels[cell]));
    const [goal, from] = [board.neighbour(cell, direction), board.cellOf[pieceOf(otherSide)]];
    const turn = (direction + 2 - otherSide) & 3;
    if (goal >= 0 && from >= 0 && editor.mayTurn(turn)) {
      const problem = editor.relocate("brought a piece", new Map([[from, goal]]), (turn - turnOf(board.labels[from])) & 3);
      if (problem) {
        warn(problem);
        return;
      }
    }
    editor.join([[side, otherSide]]);
  }

  // Called after every edit and selection.
  update() {
    const { editor, selection } = this.app;
    byId("undo").disabled = !editor.canUndo;
    byId("redo").disabled = !editor.canRedo;
    show("acts", this.cells.length);
    byId("selected-count").textContent = this.cells.length > 1 ? formatCount(this.cells.length, this.app.state.fragments ? "tile" : "piece") : "";
    show("turn", editor.turns.length > 1);
    byId("join").disabled = this.cells.length < 2;
    byId("lock").textContent = editor.areLocked(this.cells) ? "Unlock" : "Lock";
    this.inspect(selection.cursor);
    this.listPins();
  }

  inspect(cell) {
    const { inspector, gestures, editor } = this.app;
    const panel = cell < 0 ? null : inspector.buildPanel(cell, {
      onJump: (other) => { gestures.select([other], other); gestures.bringIntoView(other); },
      onJoin: (side, otherSide) => this.attach(side, otherSide),
    });
    if (panel && editor.areLocked([cell])) panel.append(create("p", { className: "small" }, "Locked: it stays where it is."));
    byId("inspect").replaceChildren(panel ?? create("p", { className: "small quiet" }, this.app.state.fragments ? TILE_HINT : HINT));
  }

  listPins() {
    const { editor, board } = this.app;
    byId("pin-count").textContent = editor.pinCount || "none";
    const place = (piece) => {
      const [row, col] = board.position(board.cellOf[piece]);
      return board.cellOf[piece] < 0 ? "a piece" : `row ${row + 1}, column ${col + 1}`;
    };
    const describe = ([a, b]) => `${place(pieceOf(a))} and ${place(pieceOf(b))}`;
    const list = (pins, toItem) => [...pins].slice(0, MAX_LISTED_PINS).map(toItem);
    const pins = [
      ...list(editor.locked, (piece) => ["locked", piece, `The piece in ${place(piece)} stays`]),
      ...list(editor.joined, ([key, sides]) => ["joined", key, `Together: ${describe(sides)}`]),
      ...list(editor.cuts, ([key, sides]) => ["cuts", key, `Apart: ${describe(sides)}`]),
    ];
    byId("pins").replaceChildren(...pins.map(([type, key, text]) => create("li", {}, text,
      create("button", { ariaLabel: `Forget: ${text}`, onclick: () => editor.removePin(type, key) }, "Forget"))));
    byId("clear-pins").disabled = !editor.pinCount;
    byId("rest").textContent = this.app.state.fragments ? "Continue" : editor.pinCount ? "Solve the rest" : "Solve again";
    byId("rest").title = this.app.state.fragments ? "What lies together stays together, what was cut stays apart; more tiles may join" : "What is locked or joined stays, what was cut stays cut";
    byId("save-picture").textContent = this.app.state.fragments ? "Download fragments" : "Download picture";
  }
}
