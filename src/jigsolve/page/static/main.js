// The page as a whole: from the start page to the pieces, the solve and the answer.

import * as api from "./api.js";
import { AnswerPanel } from "./answer.js";
import { Board, labelsOf, pieceOf } from "./board.js";
import { connectButtons, connectExports, connectKeyboard, connectTheme } from "./controls.js";
import { restoreCorrections, saveCorrections } from "./corrections.js";
import { byId, show } from "./dom.js";
import { Editor } from "./editor.js";
import { Gestures, Selection } from "./gestures.js";
import { Inspector } from "./inspector.js";
import { Marks } from "./marks.js";
import { Overlay, isUnchanged } from "./overlay.js";
import { PiecesPanel } from "./pieces.js";
import { toPins } from "./pins.js";
import { SolvingPanel } from "./solving.js";
import { acceptFiles, listExamples } from "./start.js";
import { attempt, say, warn } from "./status.js";
import { View } from "./view.js";

const RUNNING = ["queued", "solving", "paused"];

class App {
  constructor() {
    this.session = null;
    this.state = null; // the last one that the server has sent
    this.editor = null;
    this.queue = Promise.resolve(); // messages are handled one after another
    this.requests = Promise.resolve();
    this.pieces = new PiecesPanel({ onApply: (settings) => this.changeSettings(settings), onSolve: (effort) => this.solve(effort) });
    this.solving = new SolvingPanel({ onCommand: (command) => attempt(() => this.session.send(command)) });
    this.panel = new AnswerPanel(this);
    const open = (request) => this.open(request);
    listExamples(open);
    acceptFiles(open, () => this.session !== null);
    connectButtons(this);
    connectTheme(this);
    connectExports(this);
    connectKeyboard(this);
    const key = location.hash.slice(1);
    if (/^[\w-]{8,40}$/.test(key)) this.resume(key);
  }

  // --- sessions ------------------------------------------------------------------------------------------------

  // request(): opens a session on the server and returns its state.
  async open(request) {
    this.showRefusal("");
    byId("drop").classList.add("busy");
    try {
      const state = await request();
      await this.leave();
      this.enter(state);
    } catch (error) {
      this.showRefusal(error.message);
    } finally {
      byId("drop").classList.remove("busy");
    }
  }

  showRefusal(message) {
    if (this.session && message) warn(message);
    byId("alert").textContent = message;
    show("alert", message);
  }

  async resume(key) {
    try {
      this.enter(await new api.Session(key).fetchState());
    } catch (error) {
      history.replaceState(null, "", "./");
      this.showRefusal(error.message);
    }
  }

  enter(state) {
    this.session = new api.Session(state.key);
    history.replaceState(null, "", `#${state.key}`);
    show("empty", false);
    show("work", true);
    show("new", true);
    // position: in the timeline of this connection; applied: entries that are shown, which outlives a reconnection
    Object.assign(this, { version: "", solveId: "", shownSolve: "", applied: 0, position: 0, editor: null, state: null });
    this.unsubscribe = this.session.subscribe((message) => {
      this.queue = this.queue.then(() => this.handleMessage(message)).catch((error) => warn(error.message));
    }, (reason) => this.leave(true).then(() => this.showRefusal(reason)));
  }

  // Return to the start page; the server removes the session unless it is gone.
  async leave(gone = false) {
    if (!this.session) return;
    this.unsubscribe();
    if (!gone) await this.session.close().catch(() => {});
    this.view?.close();
    Object.assign(this, { session: null, view: null, editor: null, state: null });
    history.replaceState(null, "", "./");
    byId("title").textContent = "";
    document.title = "jigsolve";
    show("work", false);
    show("new", false);
    show("empty", true);
  }

  // --- messages of the server ----------------------------------------------------------------------------------

  async handleMessage({ state, timeline, restarted }) {
    if (!this.session) return;
    if (restarted) {
      this.position = 0;
      return;
    }
    this.state = state;
    byId("title").textContent = state.title;
    document.title = `${state.title} · jigsolve`;
    if (state.version !== this.version) await this.showPieces(state);
    if (state.solve_id !== this.solveId) {
      Object.assign(this, { solveId: state.solve_id, applied: 0, position: 0 });
      this.solving.clear();
      if (RUNNING.includes(state.phase)) this.beginSolve();
    }
    const fresh = timeline.slice(Math.max(0, this.applied - this.position));
    this.position += timeline.length;
    this.applied = Math.max(this.applied, this.position);
    for (const entry of fresh) this.showEntry(entry);
    await this.showPhase(state);
  }

  async showPieces(state) {
    this.version = state.version;
    this.view?.close();
    Object.assign(this, { view: null, editor: null, inspector: null, selection: new Selection(), shownSolve: "" });
    show("stage", true);
    if (!state.puzzle) return;
    const { n, rows, cols, atlas } = state.puzzle;
    const image = await this.session.fetchAtlas(state.version);
    const side = Math.ceil(Math.sqrt(n));
    this.board = new Board(n, rows || side, cols || Math.ceil(n / side));
    this.view = new View(byId("canvas"), { ...atlas, image }, this.board);
    this.view.setMode("sheet", false);
    this.gestures = new Gestures(this.view, byId("stage"), this.selection, {
      onSelect: () => this.handleSelection(),
      onHover: (cell, x, y) => this.handleHover(cell, x, y),
    });
  }

  beginSolve() {
    if (this.editor) this.labelsBeforeSolve = this.board.labels.slice();
    this.gestures.editor = null;
    this.gestures.select([], -1);
    this.view.painters = [];
    this.view.setMode("both");
  }

  showEntry(entry) {
    this.solving.add(entry);
    if (this.view?.mode !== "both") return; // a finished solve is not shown again
    const order = this.board.apply(entry);
    if (order.length) this.view.update(order, entry.anchored ? Math.min(3, 0.7 + order.length / 250) : 0.35);
  }

  async showPhase(state) {
    const { phase } = state;
    const running = RUNNING.includes(phase);
    const newAnswer = phase === "answer" && this.shownSolve !== state.solve_id;
    if (running || newAnswer) this.solving.update(state);
    if (newAnswer) await this.showAnswer(state);
    if (phase === "pieces") this.returnToPieces(state);
    show("panel-pieces", phase === "pieces");
    show("panel-solving", running);
    show("panel-answer", phase === "answer" && this.editor);
    show("tools", phase === "answer" && this.editor);
    if (document.body.dataset.phase !== phase && phase !== "answer") say("");
    document.body.dataset.phase = phase;
    if (phase === "answer") this.panel.showError(state.error);
  }

  returnToPieces(state) {
    this.pieces.update(state);
    if (!this.view) return;
    this.editor = null;
    this.gestures.editor = null;
    this.board.clear();
    this.view.painters = [];
    this.view.reset();
    if (this.view.mode !== "sheet") this.view.setMode("sheet");
  }

  async showAnswer(state) {
    if (this.editor?.solveId === state.solve_id) this.restoreBoard(); // a later solve was cancelled
    else await this.loadAnswer(state);
    this.shownSolve = state.solve_id;
    this.gestures.editor = this.editor;
    this.inspector = new Inspector(this.view, this.editor);
    this.showConfidence();
    this.view.update();
    this.view.setMode("board");
    this.panel.update();
    say(this.editor.answer.verdict);
  }

  async loadAnswer(state) {
    const first = !this.editor;
    const answer = await this.session.fetchAnswer();
    await this.view.waitForFlights();
    const labels = labelsOf(answer.layout);
    if (!first) this.restoreBoard();
    this.board.resize(answer.layout.rows, answer.layout.cols);
    this.editor ??= new Editor(this.board, state.puzzle.turns, (description) => this.handleEdit(description));
    this.editor.addAnswer(answer, labels, first ? "solved" : "solved the rest");
    this.editor.solveId = state.solve_id;
    if (first) restoreCorrections(this.editor);
  }

  // Put the labels back that the board had before the solve.
  restoreBoard() {
    if (this.labelsBeforeSolve?.length === this.board.labels.length) this.labelsBeforeSolve.forEach((label, cell) => this.board.put(cell, label));
    this.labelsBeforeSolve = null;
    this.view.update();
    this.view.finishFlights();
  }

  showConfidence() {
    this.panel.showAnswer();
    const shown = this.overlay?.shown ?? true;
    this.overlay = new Overlay(this.panel.doubtful, this.panel.undecidable, [this.view.width, this.view.height],
      (joint) => isUnchanged(this.board, this.editor.answerLabels, joint));
    this.overlay.shown = shown;
    this.shownAnswer = this.editor.answer;
    this.view.painters = [this.overlay, new Marks(this.editor, this.selection)];
  }

  // --- actions of the person -----------------------------------------------------------------------------------

  // Requests that change the session are sent one after another.
  enqueue(act) {
    const { session } = this;
    this.requests = this.requests.then(() => attempt(() => act(session)));
    return this.requests;
  }

  changeSettings(settings) {
    return this.enqueue((session) => this.pieces.apply(session, settings));
  }

  // Solve with the settings that the form shows, applied or not.
  solve(effort) {
    return this.enqueue(async (session) => {
      if (this.pieces.isChanged) await this.pieces.apply(session, this.pieces.settings);
      await session.solve({ effort });
    });
  }

  async solveRest() {
    this.panel.showError("");
    try {
      await this.session.solve({ effort: this.pieces.effort, pins: toPins(this.editor) });
    } catch (error) {
      this.panel.showError(error.message);
    }
  }

  // Called after each step of the editor.
  handleEdit(description) {
    this.view.update([], 0.25);
    if (!this.inspector) return;
    if (this.editor.answer !== this.shownAnswer) this.showConfidence();
    saveCorrections(this.editor);
    this.overlay.update();
    this.panel.listDoubts();
    this.panel.update();
    say(description[0].toUpperCase() + description.slice(1));
  }

  handleSelection() {
    if (this.editor) this.panel.update();
    const { cells, cursor } = this.selection;
    if (cursor < 0 || this.board.labels[cursor] < 0) return;
    const [row, col] = this.board.position(cursor);
    say(`Piece ${pieceOf(this.board.labels[cursor])}, row ${row + 1}, column ${col + 1}${cells.length > 1 ? `, ${cells.length} selected` : ""}`);
  }

  handleHover(cell, x, y) {
    if (!this.editor) show("tip", false);
    else if (this.inspector.showTip(cell, x, y) && this.selection.cursor < 0) this.panel.inspect(cell);
  }
}

window.app = new App();
