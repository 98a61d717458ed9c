// The panel of the third step: the verdict, doubtful joints, the inspected piece, and corrections.

import { directionOf, pieceOf, turnOf } from "./board.js";
import { byId, create, fillList, onClick, show } from "./dom.js";
import { formatCount, formatDuration, formatPercent } from "./format.js";
import { drawThumbnail } from "./inspector.js";
import { cellsOf, findDoubtful, findUndecidable, isUnchanged } from "./overlay.js";
import { say, warn } from "./status.js";

const MAX_LISTED_DOUBTS = 300; // Next and Previous reach all
const MAX_LISTED_PINS = 60; // of each type

export class AnswerPanel {
  constructor(app) {
    this.app = app;
    this.doubtful = [];
    this.current = -1; // index of the doubtful joint that was visited last
    onClick("undo", () => app.editor.undo());
    onClick("redo", () => app.editor.redo());
    onClick("rest", () => app.solveRest());
    onClick("turn", () => this.turn());
    onClick("lock", () => app.editor.toggleLock(this.cells));
    onClick("cut", () => this.cut());
    onClick("join", () => this.join());
    onClick("previous", () => this.stepDoubt(-1));
    onClick("next", () => this.stepDoubt(1));
    onClick("overlay", () => this.toggleOverlay());
    onClick("clear-pins", () => app.editor.removeAllPins());
  }

  get cells() { return this.app.selection.cells; }

  showError(message) {
    byId("answer-failed").textContent = message;
    show("answer-failed", message);
  }

  // Show a new answer, or one that undo has brought back.
  showAnswer() {
    const { layout, verdict, consistency, seconds, stopped, notes } = this.app.editor.answer;
    this.doubtful = findDoubtful(layout);
    this.undecidable = findUndecidable(layout);
    this.current = -1;
    byId("verdict").textContent = verdict;
    const total = Object.values(seconds).reduce((sum, spent) => sum + spent, 0);
    byId("facts").textContent = [`${layout.rows} rows × ${layout.cols} columns`, ...(total ? [formatDuration(total)] : []),
      ...(consistency === null ? [] : [`consistency ${consistency.toFixed(1)}`]), ...(stopped ? ["stopped early"] : [])].join(" · ");
    const known = new Set(this.app.state.puzzle.notes); // shown with the pieces
    fillList(byId("answer-notes"), notes.filter((note) => !known.has(note)));
    this.listDoubts();
  }

  // --- doubtful joints -----------------------------------------------------------------------------------------

  listDoubts() {
    const { board, editor } = this.app;
    byId("doubt-count").textContent = this.doubtful.filter((joint) => isUnchanged(board, editor.answerLabels, joint)).length || "none";
    byId("doubts").replaceChildren(...this.doubtful.slice(0, MAX_LISTED_DOUBTS).map((joint, k) => create("li", {}, this._buildDoubt(joint, k))));
    for (const id of ["previous", "next"]) byId(id).disabled = !this.doubtful.length;
  }

  _buildDoubt(joint, k) {
    const { board, view, editor } = this.app;
    const labels = cellsOf(joint, board.cols).map((cell) => editor.answerLabels[cell]);
    const [a, b] = labels.map(pieceOf);
    const unchanged = isUnchanged(board, editor.answerLabels, joint);
    const [below, percent] = [joint.direction === 1, formatPercent(joint.probability)];
    return create("button", {
      className: unchanged ? "" : "gone", ariaCurrent: k === this.current, onclick: () => this.goToDoubt(k),
      ariaLabel: `Joint of pieces ${a} and ${b}, ${percent}${unchanged ? "" : ", changed since"}`,
    }, drawThumbnail(view, labels.map((label) => [pieceOf(label), turnOf(label)]), below ? 19 : 26, below), `${a} ${below ? "above" : "beside"} ${b}`,
    create("span", { className: "number" }, unchanged ? percent : "changed"));
  }

  stepDoubt(by) {
    const count = this.doubtful.length;
    if (count) this.goToDoubt((this.current + by + count + (this.current < 0 && by < 0 ? 1 : 0)) % count);
  }

  // Move the camera to a doubtful joint, and select its two pieces.
  goToDoubt(k) {
    const { view, gestures, board } = this.app;
    this.current = k;
    const [first, second] = cellsOf(this.doubtful[k], board.cols);
    gestures.select([first, second], first);
    const [[x, y], [x1, y1]] = [view.cornerOf(first), view.cornerOf(second)];
    const zoom = Math.max(view.camera.zoom, Math.min(3, 90 / Math.min(view.width, view.height)));
    view.camera.fitted = null;
    view.camera.moveTo((x + x1 + view.width) / 2, (y + y1 + view.height) / 2, zoom);
    say(`Doubtful joint ${k + 1} of ${this.doubtful.length}: ${formatPercent(this.doubtful[k].probability)}`);
    for (const [index, item] of [...byId("doubts").children].entries()) item.firstChild.ariaCurrent = index === k;
    byId("doubts").children[k]?.scrollIntoView({ block: "nearest" });
  }

  toggleOverlay() {
    const { overlay, view } = this.app;
    overlay.shown = !overlay.shown;
    byId("overlay").setAttribute("aria-pressed", overlay.shown);
    view.redraw();
  }

  // --- edits of the selection ----------------------------------------------------------------------------------

  turn() {
    const problem = this.cells.length ? this.app.editor.turn(this.cells) : "Select a piece first.";
    if (problem) warn(problem);
  }

  cut() {
    const joints = this.app.editor.jointsOf(this.cells);
    if (joints.length) this.app.editor.cut(joints);
    else warn("Select two neighbours, or one piece, to cut.");
  }

  join() {
    const joints = this.cells.length > 1 ? this.app.editor.jointsOf(this.cells) : [];
    if (joints.length) this.app.editor.join(joints);
    else warn("Select two neighbours or more to join.");
  }

  // Join another piece to a side: it moves there, and the two stay together.
  attach(side, otherSide) {
    const { board, editor } = this.app;
    const cell = board.cellOf[pieceOf(side)];
    const direction = directionOf(side, turnOf(board.labels[cell]));
    const [goal, from] = [board.neighbour(cell, direction), board.cellOf[pieceOf(otherSide)]];
    const turn = (direction + 2 - otherSide) & 3;
    if (goal >= 0 && from >= 0 && editor.turns.includes(turn)) {
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
    for (const id of ["turn", "lock", "cut"]) byId(id).disabled = !this.cells.length;
    byId("join").disabled = this.cells.length < 2;
    byId("lock").textContent = editor.areLocked(this.cells) ? "Unlock" : "Lock";
    this.inspect(selection.cursor);
    this.listPins();
  }

  inspect(cell) {
    const { inspector, board, gestures, editor } = this.app;
    const panel = cell < 0 ? null : inspector.buildPanel(cell, {
      onJump: (other) => { gestures.select([other], other); gestures.bringIntoView(other); },
      onJoin: (side, otherSide) => this.attach(side, otherSide),
    });
    if (panel && this.cells.length > 1) panel.prepend(create("p", { className: "small quiet" }, `${formatCount(this.cells.length, "piece")} selected`));
    if (panel && editor.areLocked([cell])) panel.append(create("p", { className: "small" }, "Locked: it stays where it is."));
    byId("inspect").replaceChildren(panel ?? create("p", { className: "small quiet" }, "Point at a piece, or select one, to see what else could lie beside it."));
  }

  listPins() {
    const { editor } = this.app;
    byId("pin-count").textContent = editor.pinCount || "none";
    const describe = ([a, b]) => `${pieceOf(a)} and ${pieceOf(b)}`;
    const list = (pins, toItem) => [...pins].slice(0, MAX_LISTED_PINS).map(toItem);
    const pins = [
      ...list(editor.locked, (piece) => ["locked", piece, `Piece ${piece} stays`]),
      ...list(editor.joined, ([key, sides]) => ["joined", key, `${describe(sides)} belong together`]),
      ...list(editor.cuts, ([key, sides]) => ["cuts", key, `${describe(sides)} do not join`]),
    ];
    byId("pins").replaceChildren(...pins.map(([type, key, text]) => create("li", {}, text,
      create("button", { ariaLabel: `Forget: ${text}`, onclick: () => editor.removePin(type, key) }, "Forget"))));
    byId("clear-pins").disabled = !editor.pinCount;
    byId("rest").classList.toggle("primary", editor.pinCount > 0);
    byId("rest").textContent = editor.pinCount ? "Solve the rest" : "Solve again";
  }
}
