// The panel of the third step: what is believed, doubtful joints, the piece that is looked at, corrections, exports.

import { doubtful, undecidable, unchanged } from "./overlay.js";
import { count, duration, percent } from "./words.js";
import { element, lines } from "./dom.js";
import { thumbnail } from "./inspect.js";

const MOST_ROWS = 300; // doubtful joints that are listed; Next and Previous reach all

export class AnswerPanel {
  // app: the page as a whole
  constructor(app) {
    this.app = app;
    this.doubts = [];
    this.at = -1;
    const on = (id, act) => element(id).addEventListener("click", act);
    on("undo", () => app.edit.undo());
    on("redo", () => app.edit.redo());
    on("rest", () => app.solveRest());
    on("turn", () => this.turn());
    on("lock", () => app.edit.lock(this.cells));
    on("cut", () => this.cut());
    on("join", () => this.join());
    on("previous", () => this.step(-1));
    on("next", () => this.step(1));
    on("overlay", () => this.overlay());
    on("clear-pins", () => app.edit.forgetAll());
  }

  get cells() { return this.app.selection.cells; }

  // The solver has spoken (or undo brought back what it said before).
  heard() {
    const { said } = this.app.edit;
    this.doubts = doubtful(said.layout);
    this.blind = undecidable(said.layout);
    this.at = -1;
    element("verdict").textContent = said.verdict;
    const seconds = Object.values(said.seconds).reduce((sum, spent) => sum + spent, 0);
    element("facts").textContent = [`${said.layout.rows} rows × ${said.layout.cols} columns`, ...(seconds ? [duration(seconds)] : []),
      ...(said.consistency === null ? [] : [`consistency ${said.consistency.toFixed(1)}`]), ...(said.stopped ? ["stopped early"] : [])].join(" · ");
    const known = new Set(this.app.state.puzzle.notes); // they were shown with the pieces
    lines(element("answer-notes"), said.notes.filter((note) => !known.has(note)));
    this.list();
  }

  list() {
    const { view, edit } = this.app;
    const { board } = view;
    const open = this.doubts.filter((joint) => unchanged(board, edit.answer, joint));
    element("doubt-count").textContent = open.length || "none";
    const rows = this.doubts.slice(0, MOST_ROWS).map((joint, k) => {
      const [a, b] = this.ends(joint).map((cell) => edit.answer[cell]);
      const button = document.createElement("button");
      const still = unchanged(board, edit.answer, joint);
      button.className = still ? "" : "gone";
      button.setAttribute("aria-current", k === this.at);
      button.setAttribute("aria-label", `Joint of pieces ${a >> 2} and ${b >> 2}, ${percent(joint.chance)}${still ? "" : ", changed since"}`);
      button.append(thumbnail(view, [[a >> 2, a & 3], [b >> 2, b & 3]], joint.d ? 19 : 26, joint.d === 1), `${a >> 2} ${joint.d ? "above" : "beside"} ${b >> 2}`,
        Object.assign(document.createElement("span"), { className: "number", textContent: still ? percent(joint.chance) : "changed" }));
      button.addEventListener("click", () => this.go(k));
      const item = document.createElement("li");
      item.append(button);
      return item;
    });
    element("doubts").replaceChildren(...rows);
    for (const id of ["previous", "next"]) element(id).disabled = !this.doubts.length;
  }

  ends({ row, col, d }) {
    const { cols } = this.app.board;
    return [row * cols + col, d ? (row + 1) * cols + col : row * cols + col + 1];
  }

  step(by) {
    if (this.doubts.length) this.go((this.at + by + this.doubts.length + (this.at < 0 && by < 0 ? 1 : 0)) % this.doubts.length);
  }

  // Jump to a doubtful joint, and select its two pieces.
  go(k) {
    const { view, gestures } = this.app;
    this.at = k;
    const [first, second] = this.ends(this.doubts[k]);
    gestures.select([first, second], first);
    const [[x, y], [x1, y1]] = [view.corner(first), view.corner(second)];
    const near = Math.max(view.camera.zoom, Math.min(3, 90 / Math.min(view.width, view.height)));
    view.camera.fitted = null;
    view.camera.go((x + x1 + view.width) / 2, (y + y1 + view.height) / 2, near);
    this.app.say(`Doubtful joint ${k + 1} of ${this.doubts.length}: ${percent(this.doubts[k].chance)}`);
    for (const [row, item] of [...element("doubts").children].entries()) item.firstChild.setAttribute("aria-current", row === k);
    element("doubts").children[k]?.scrollIntoView({ block: "nearest" });
  }

  overlay() {
    const { view } = this.app;
    this.app.overlay.shown = !this.app.overlay.shown;
    element("overlay").setAttribute("aria-pressed", this.app.overlay.shown);
    view.redraw();
  }

  turn() {
    if (!this.cells.length) return this.app.say("Select a piece first.", true);
    const why = this.app.edit.turn(this.cells);
    return why ? this.app.say(why, true) : undefined;
  }

  cut() {
    const joints = this.app.edit.jointsOf(this.cells);
    if (!joints.length) return this.app.say("Select two neighbours, or one piece, to cut.", true);
    return this.app.edit.cut(joints);
  }

  join() {
    const joints = this.cells.length > 1 ? this.app.edit.jointsOf(this.cells) : [];
    if (!joints.length) return this.app.say("Select two neighbours or more to join.", true);
    return this.app.edit.join(joints);
  }

  // After every step and selection.
  show() {
    const { edit, selection } = this.app;
    element("undo").disabled = edit.at <= 1; // the first step is the solver's
    element("redo").disabled = edit.at >= edit.steps.length;
    const chosen = this.cells.length > 0;
    for (const id of ["turn", "lock", "cut"]) element(id).disabled = !chosen;
    element("join").disabled = this.cells.length < 2;
    const pieces = edit.pieces(this.cells);
    element("lock").textContent = pieces.length && pieces.every((piece) => edit.locked.has(piece)) ? "Unlock" : "Lock";
    this.look(selection.cursor);
    this.pins();
  }

  look(cell) {
    const { inspect, view, gestures, edit } = this.app;
    const box = cell >= 0 ? inspect.panel(cell, {
      jump: (other) => { gestures.select([other], other); gestures.follow(other); },
      join: (side, other) => this.bring(side, other),
    }) : null;
    if (this.cells.length > 1 && box) box.prepend(Object.assign(document.createElement("p"), { className: "small quiet", textContent: `${count(this.cells.length, "piece")} selected` }));
    if (box) element("inspect").replaceChildren(box);
    else element("inspect").replaceChildren(Object.assign(document.createElement("p"), { className: "small quiet", textContent: "Point at a piece, or select one, to see what else could lie beside it." }));
    if (box && edit.locked.has(view.board.labels[cell] >> 2)) box.append(Object.assign(document.createElement("p"), { className: "small", textContent: "Locked: it stays where it is." }));
  }

  // Join another piece to a side: it comes to lie there, and the two stay together.
  bring(side, other) {
    const { board } = this.app;
    const { edit } = this.app;
    const cell = board.cellOf[side >> 2];
    const d = ((side & 3) + (board.labels[cell] & 3)) & 3;
    const goal = board.neighbour(cell, d);
    const from = board.cellOf[other >> 2];
    const turn = (d + 2 - (other & 3)) & 3;
    if (goal >= 0 && from >= 0 && edit.turns.includes(turn)) {
      const why = edit.carry("brought a piece", new Map([[from, goal]]), (turn - (board.labels[from] & 3)) & 3);
      if (why) return this.app.say(why, true);
    }
    return edit.join([[side, other]]);
  }

  pins() {
    const { edit } = this.app;
    element("pin-count").textContent = edit.count || "none";
    const joint = ([a, b]) => `${a >> 2} and ${b >> 2}`;
    const all = [
      ...[...edit.locked].slice(0, 60).map((piece) => ["locked", piece, `Piece ${piece} stays`]),
      ...[...edit.joined].slice(0, 60).map(([key, sides]) => ["joined", key, `${joint(sides)} belong together`]),
      ...[...edit.cuts].slice(0, 60).map(([key, sides]) => ["cuts", key, `${joint(sides)} do not join`]),
    ];
    element("pins").replaceChildren(...all.map(([kind, key, text]) => {
      const item = document.createElement("li");
      const forget = Object.assign(document.createElement("button"), { textContent: "Forget" });
      forget.setAttribute("aria-label", `Forget: ${text}`);
      forget.addEventListener("click", () => edit.forget(kind, key));
      item.append(text, forget);
      return item;
    }));
    element("clear-pins").disabled = !edit.count;
    element("rest").classList.toggle("primary", edit.count > 0);
    element("rest").textContent = edit.count ? "Solve the rest" : "Solve again";
  }
}
