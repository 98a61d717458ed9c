// The page as a whole: the start page, the open puzzles, and for each the pieces, the solve and the answer.

import { AnswerPanel } from "./answer.js";
import { Session } from "./api.js";
import { Board, labelsOf } from "./board.js";
import { Compare } from "./compare.js";
import { connectButtons, connectKeyboard, connectTheme } from "./controls.js";
import { byId, show } from "./dom.js";
import { connectDownloads } from "./downloads.js";
import { Doubts } from "./doubts.js";
import { Editor } from "./editor.js";
import { FragmentEditor } from "./fragments.js";
import { Gestures, Selection } from "./gestures.js";
import { Inspector } from "./inspector.js";
import { findUndecidable, isUnchanged } from "./joints.js";
import { Judge } from "./judge.js";
import { Keeper } from "./keeper.js";
import { Marks } from "./marks.js";
import { Overlay } from "./overlay.js";
import { PiecesPanel } from "./pieces.js";
import { toPins } from "./pins.js";
import { Preview } from "./preview.js";
import { Shelf } from "./shelf.js";
import { SolvingPanel, renumber } from "./solving.js";
import { acceptFiles, listExamples, openSource, showBusy } from "./start.js";
import { attempt, say, warn } from "./status.js";
import { Tabs } from "./tabs.js";
import { View } from "./view.js";

const RUNNING = ["queued", "solving", "paused"];
const TOOLS_PX = 34; // by which the tools reach into the stage
const PANELS = { pieces: "found", solving: "doing", answer: "verdict" }; // and their headings

class App {
  constructor() {
    Object.assign(this, { session: null, state: null, view: null, editor: null, tab: null });
    this.queue = Promise.resolve(); // messages are handled one after another
    this.requests = Promise.resolve();
    this.tabs = new Tabs({ onSelect: (tab) => this.enter(tab), onClose: (tab) => this.discard(tab), onSibling: (tab) => this.keeper.saveUnseen(tab) });
    this.keeper = new Keeper(this);
    this.preview = new Preview();
    this.pieces = new PiecesPanel({
      onApply: (settings) => this.changeSettings(settings), onSolve: () => this.solve(), onReference: (file) => this.changeReference(file),
      onChange: () => this.preview.setPiece(this.pieces.cutSize),
    });
    this.solving = new SolvingPanel({ onCommand: (command) => attempt(() => this.session.send(command)) });
    this.panel = new AnswerPanel(this);
    this.doubts = new Doubts(this);
    this.shelf = new Shelf(this);
    this.compare = new Compare(this);
    this.judge = new Judge(this, () => this.showConfidence());
    listExamples((source) => this.open(source));
    acceptFiles((source) => this.open(source), () => this.session !== null);
    connectButtons(this);
    connectTheme(this);
    connectDownloads(this);
    connectKeyboard(this);
    this.resume(location.hash.slice(1).split(",").filter((key) => /^[\w-]{8,40}$/.test(key)));
  }

  // --- sessions ------------------------------------------------------------------------------------------------

  // source: {files} or {example}. kept: a record of an earlier visit (keeper.js).
  async open(source, kept = null) {
    this.showRefusal("");
    const busy = (text, share) => {
      showBusy(text, share);
      if (this.session) say(text);
    };
    try {
      const state = await openSource(source, kept?.work, busy);
      const tab = this.tabs.add(state, kept?.id ?? state.key);
      tab.corrections = kept?.corrections ?? null;
      if (!kept) this.keeper.addSource(tab, source);
      this.enter(tab);
    } catch (error) {
      this.showRefusal(error.message);
    } finally {
      showBusy("");
    }
  }

  showRefusal(message) {
    if (this.session && message) warn(message);
    byId("alert").textContent = message;
    show("alert", message);
  }

  // Puzzles that were open before a reload. Those that the server no longer has are opened from what is kept.
  async resume(keys) {
    const records = await this.keeper.list();
    for (const key of keys) {
      const record = records.find((one) => one.key === key);
      try {
        const state = await new Session(key).fetchState();
        if (!this.tabs.find(key)) Object.assign(this.tabs.add(state, record?.id ?? key), { corrections: record?.corrections ?? null, correctedSolve: record?.solveId });
      } catch (error) {
        if (!record) this.showRefusal(error.message);
        else await this.keeper.reopen(record);
      }
    }
    if (this.tabs.list.length) this.enter(this.tabs.list[0]);
    else this.showStart();
  }

  // Show another puzzle.
  enter(tab) {
    if (tab === this.tab) return;
    this.leave();
    this.tab = tab;
    this.tabs.activate(tab);
    this.session = tab.session;
    show("empty", false);
    show("work", true);
    // position: in the timeline of this connection; applied: entries that are shown, which outlives a reconnection
    Object.assign(this, { version: "", solveId: "", shownSolve: "", applied: 0, position: 0, editor: null, state: null });
    document.body.dataset.phase = "";
    this.showPanel(""); // the buttons of the last puzzle would act on one that is not loaded yet
    tab.unsubscribe = this.session.subscribe((message) => {
      this.queue = this.queue.then(() => tab === this.tab && this.handleMessage(message)).catch((error) => warn(error.message));
    }, (reason) => this.close(tab).then(() => this.showRefusal(reason)));
  }

  // Show no puzzle. What was done with the last one stays in its tab.
  leave() {
    if (!this.tab) return;
    Object.assign(this.tab, { editor: this.editor, version: this.version, image: this.image });
    this.view?.close();
    this.preview.set(null);
    this.compare.toggle(false);
    show("tip", false);
    this.tabs.activate(null);
    Object.assign(this, { session: null, tab: null, view: null, editor: null, state: null });
    document.title = "jigsolve";
  }

  showStart() {
    this.leave();
    show("work", false);
    show("empty", true);
    this.keeper.showList();
    byId("start-title").focus({ preventScroll: true });
  }

  // Close a tab and show the next.
  async close(tab) {
    const shown = tab === this.tab;
    if (shown) this.leave();
    this.tabs.remove(tab);
    if (!shown) return;
    if (this.tabs.list.length) this.enter(this.tabs.list.at(-1));
    else this.showStart();
  }

  // Forget a puzzle for good; a person is asked if work would be lost.
  async discard(tab) {
    if (!(await this.keeper.confirmDiscard(tab))) return;
    await tab.session.close().catch(() => {});
    await this.keeper.forget(tab);
    await this.close(tab);
  }

  // --- messages of the server ----------------------------------------------------------------------------------

  async handleMessage({ state, timeline, restarted }) {
    if (!this.session) return;
    if (restarted) {
      this.position = 0;
      return;
    }
    this.state = state;
    this.tabs.update(this.tab, state);
    document.title = `${state.title} · jigsolve`;
    document.body.classList.toggle("of-fragments", state.fragments);
    if (state.version !== this.version) await this.showPieces(state);
    if (state.solve_id !== this.solveId) {
      Object.assign(this, { solveId: state.solve_id, applied: 0, position: 0, numbers: null });
      this.solving.clear();
      if (RUNNING.includes(state.phase)) this.beginSolve();
    }
    const fresh = timeline.slice(Math.max(0, this.applied - this.position));
    this.position += timeline.length;
    this.applied = Math.max(this.applied, this.position);
    for (const entry of fresh) this.showEntry(entry);
    await this.showPhase(state);
    if (state.can_judge && this.editor && !this.editor.answer.alternatives) await this.judge.learn();
  }

  async showPieces(state) {
    this.version = state.version;
    this.view?.close();
    Object.assign(this, { view: null, editor: null, inspector: null, overlay: null, selection: new Selection(), shownSolve: "" });
    const { tab, session } = this;
    if (!state.puzzle) {
      this.preview.set(await session.fetchSource(), state.size);
      return;
    }
    this.preview.set(null);
    const before = tab.version === state.version ? tab : null; // the tab was left and is shown again
    const { n, rows, cols, atlas } = state.puzzle;
    this.image = before?.image ?? (await session.fetchAtlas(state.version));
    const side = Math.ceil(Math.sqrt(n));
    this.board = before?.editor?.board ?? new Board(n, rows || side, cols || Math.ceil(n / side));
    this.view = new View(byId("canvas"), { ...atlas, image: this.image, place: before?.editor?.places }, this.board);
    this.view.setMode("sheet", false);
    this.gestures = new Gestures(this.view, byId("stage"), this.selection, {
      onSelect: () => this.handleSelection(),
      onHover: (cell, x, y) => this.handleHover(cell, x, y),
    });
    if (before?.editor) this.editor = before.editor;
  }

  beginSolve() {
    if (this.editor) this.gridBeforeSolve = this.editor.grid;
    this.gestures.editor = null;
    this.gestures.select([], -1);
    this.compare.toggle(false);
    this.view.painters = [];
    this.view.camera.top = 0;
    if (!this.state.fragments) this.view.setMode("both");
  }

  showEntry(entry) {
    this.solving.add(entry);
    if (this.view?.mode !== "both") return; // a finished solve is not shown again
    if (entry.pieces) {
      this.numbers = entry.pieces; // of a picture in a bag
      this.board.clear();
    }
    const order = this.board.apply(renumber(entry, this.numbers));
    if (order.length) this.view.update(order, entry.anchored ? Math.min(3, 0.7 + order.length / 250) : 0.35);
  }

  async showPhase(state) {
    const { phase } = state;
    const running = RUNNING.includes(phase);
    const newAnswer = phase === "answer" && this.shownSolve !== state.solve_id;
    if (running || newAnswer) this.solving.update(state);
    if (newAnswer) await this.showAnswer(state);
    if (phase === "pieces") this.returnToPieces(state);
    const shown = running ? "solving" : phase === "answer" && this.editor ? "answer" : "pieces";
    this.showPanel(shown);
    if (phase === "answer") this.panel.showError(state.error);
    if (document.body.dataset.phase !== shown) this.beginPhase(shown);
    this.keeper.save();
  }

  showPanel(shown) {
    for (const name of Object.keys(PANELS)) {
      show(`panel-${name}`, name === shown);
      show(`actions-${name}`, name === shown);
    }
    show("tools", shown === "answer");
    show("acts", shown === "answer" && this.selection.cells.length);
  }

  // Another panel is shown: from its beginning, with the focus on its heading unless the person is elsewhere.
  beginPhase(shown) {
    document.body.dataset.phase = shown;
    if (shown !== "answer") say("");
    byId("scroll").scrollTop = 0;
    const { activeElement } = document;
    if (activeElement === document.body || !activeElement.offsetParent || activeElement.closest(".panel")) byId(PANELS[shown]).focus({ preventScroll: true });
  }

  returnToPieces(state) {
    this.pieces.update(state);
    if (!this.view) return;
    this.editor = null;
    this.gestures.editor = null;
    this.selection.cells = [];
    this.board.clear();
    this.view.painters = [];
    this.view.reset();
    this.view.camera.top = 0;
    if (this.view.mode !== "sheet") this.view.setMode("sheet");
  }

  async showAnswer(state) {
    if (this.editor?.solveId === state.solve_id) this.restoreBoard(); // a later solve was cancelled, or the tab was left
    else await this.loadAnswer(state);
    this.shownSolve = state.solve_id;
    this.gestures.editor = this.editor;
    this.inspector = new Inspector(this.view, this.editor, this.judge);
    this.judge.accept(this.editor.answer);
    this.panel.showAnswer();
    this.showConfidence();
    this.view.update();
    this.view.camera.top = TOOLS_PX;
    this.view.setMode("board");
    this.panel.update();
    this.judge.request();
    say(byId("verdict").textContent, false);
  }

  async loadAnswer(state) {
    const first = !this.editor;
    const answer = await this.session.fetchAnswer();
    await this.view.waitForFlights();
    const { rows, cols } = answer.layout;
    if (!first) this.restoreBoard();
    const quarters = this.view.width === this.view.height ? 1 : 2;
    const onChange = (description) => this.handleEdit(description);
    this.editor ??= state.fragments ? new FragmentEditor(this.board, onChange) : new Editor(this.board, state.puzzle.turns, quarters, onChange);
    this.editor.addAnswer(answer, { rows, cols, labels: labelsOf(answer.layout) }, first ? "solved" : "solved the rest");
    this.editor.solveId = state.solve_id;
    if (first) this.keeper.restore(this.tab, this.editor);
  }

  // Put everything back where it was before the solve.
  restoreBoard() {
    if (this.gridBeforeSolve) this.editor.setGrid(this.gridBeforeSolve);
    this.gridBeforeSolve = null;
    this.view.update();
    this.view.finishFlights();
  }

  // Show the confidence of the layout that was judged last.
  showConfidence() {
    const { layout, labels } = this.judge.current;
    const shown = this.overlay?.shown ?? true;
    this.overlay = new Overlay([], findUndecidable(layout), [this.view.width, this.view.height], layout.cols,
      (joint) => this.board.cols === layout.cols && isUnchanged(this.board, labels, joint));
    this.overlay.shown = shown;
    this.view.painters = [this.overlay, new Marks(this.editor, this.selection), this.compare];
    this.doubts.update(layout);
    this.overlay.doubtful = this.doubts.list;
    this.overlay.bare = this.selection.bare ? this.doubts.list[this.doubts.current] ?? null : null;
    this.overlay.update();
    this.judge.showHeadline();
    this.panel.inspect(this.selection.cursor);
    this.shelf.update();
    this.view.redraw();
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

  changeReference(file) {
    return this.enqueue((session) => (file ? session.setReference(file) : session.removeReference()));
  }

  // Solve with the settings that the form shows, applied or not.
  solve() {
    return this.enqueue(async (session) => {
      if (this.pieces.isChanged) await this.pieces.apply(session, this.pieces.settings);
      await session.solve(this.pieces.request);
    });
  }

  async solveRest() {
    this.panel.showError("");
    const { editor } = this;
    try {
      if (this.state.fragments) await this.session.solve({ ...this.pieces.request, board: editor.layout, pins: toPins(editor) });
      else await this.session.solve({ ...this.pieces.request, ...(this.editor.pinCount ? { pins: toPins(this.editor) } : {}) });
    } catch (error) {
      this.panel.showError(error.message);
    }
  }

  // Called after each step of the editor.
  handleEdit(description) {
    show("tip", false);
    this.view.atlas.place = this.editor?.places ?? this.view.atlas.place;
    this.view.update([], 0.25);
    if (!this.inspector) return;
    this.shelf.update();
    if (this.selection.cells.some((cell) => this.board.labels[cell] === undefined) || description.includes("turned the picture")) this.gestures.select([], -1);
    this.panel.showAnswer();
    this.overlay.update();
    this.panel.update();
    this.judge.request();
    this.keeper.save();
    say(description[0].toUpperCase() + description.slice(1));
  }

  handleSelection() {
    if (this.overlay?.bare && !this.selection.bare) {
      this.overlay.bare = null;
      this.overlay.update();
      show("doubt-card", false);
    }
    if (this.editor) this.panel.update();
    const { cells, cursor } = this.selection;
    if (cursor < 0 || this.board.labels[cursor] < 0) return;
    const [row, col] = this.board.position(cursor);
    say(`Row ${row + 1}, column ${col + 1}${cells.length > 1 ? `, ${cells.length} selected` : ""}`);
  }

  handleHover(cell, x, y) {
    if (!this.editor || this.compare.shown) show("tip", false);
    else if (this.inspector.showTip(cell, x, y) && this.selection.cursor < 0) this.panel.inspect(cell);
  }
}

window.app = new App();
