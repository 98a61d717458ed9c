// The page as a whole: from the start page to the pieces, the solve and the answer.

import * as api from "./api.js";
import { AnswerPanel } from "./answer.js";
import { Board, HOLE } from "./board.js";
import { element, show } from "./dom.js";
import { Edit } from "./edit.js";
import { Gestures, Selection } from "./gestures.js";
import { Inspect } from "./inspect.js";
import { Marks } from "./marks.js";
import { Overlay, unchanged } from "./overlay.js";
import { PiecesPanel } from "./pieces.js";
import { SolvingPanel } from "./solving.js";
import { View } from "./view.js";
import { count } from "./words.js";

class App {
  constructor() {
    this.desk = null;
    this.state = null;
    this.edit = null;
    this.chain = Promise.resolve(); // what is heard is dealt with in order
    this.pieces = new PiecesPanel({ apply: (settings) => this.change(settings), solve: (effort) => this.solve(effort) });
    this.solving = new SolvingPanel({ order: (word) => this.tried(() => this.desk.order(word)) });
    this.panel = new AnswerPanel(this);
    this.start();
    this.buttons();
    this.drops();
    document.addEventListener("keydown", (event) => this.key(event));
    const key = location.hash.slice(1);
    if (/^[\w-]{8,40}$/.test(key)) this.resume(key);
  }

  // --- the start page ------------------------------------------------------------------------------------------

  async start() {
    const buttons = (await api.examples().catch(() => [])).map((example) => {
      const button = document.createElement("button");
      const image = Object.assign(new Image(), { src: `api/examples/${example.name}.jpg`, alt: "", loading: "lazy" });
      button.append(image, Object.assign(document.createElement("span"), { textContent: example.title }),
        Object.assign(document.createElement("small"), { textContent: `${count(example.pieces, "piece")}${example.rotated ? ", turned" : ""}` }));
      button.dataset.example = example.name;
      button.addEventListener("click", () => this.begin(() => api.beginExample(example.name)));
      const item = document.createElement("li");
      item.append(button);
      return item;
    });
    element("examples").replaceChildren(...buttons);
  }

  async begin(ask) {
    this.refused("");
    element("drop").classList.add("busy");
    try {
      const state = await ask();
      await this.leave();
      this.enter(state);
    } catch (error) {
      this.refused(error.message);
    } finally {
      element("drop").classList.remove("busy");
    }
  }

  refused(message) {
    if (this.desk && message) this.say(message, true);
    element("alert").textContent = message;
    show("alert", message);
  }

  async resume(key) {
    try {
      this.enter(await new api.Desk(key).state());
    } catch (error) {
      history.replaceState(null, "", "./");
      this.refused(error.message);
    }
  }

  enter(state) {
    this.desk = new api.Desk(state.key);
    history.replaceState(null, "", `#${state.key}`);
    show("empty", false);
    show("work", true);
    show("new", true);
    Object.assign(this, { version: "", solveName: "", shownSolve: "", heard: 0, cursor: 0, edit: null, state: null });
    this.unlisten = this.desk.live((said) => {
      this.chain = this.chain.then(() => this.hear(said)).catch((error) => this.say(error.message, true));
    }, (why) => this.leave(true).then(() => this.refused(why)));
  }

  // Back to the start page; the server forgets the puzzle.
  async leave(gone = false) {
    if (!this.desk) return;
    this.unlisten();
    if (!gone) await this.desk.leave().catch(() => {});
    this.view?.close();
    Object.assign(this, { desk: null, view: null, edit: null, state: null });
    history.replaceState(null, "", "./");
    element("title").textContent = "";
    document.title = "jigsolve";
    show("work", false);
    show("new", false);
    show("empty", true);
  }

  // --- what the server tells -----------------------------------------------------------------------------------

  async hear({ state, story, afresh }) {
    if (!this.desk) return;
    if (afresh) {
      this.cursor = 0;
      return;
    }
    this.state = state;
    element("title").textContent = state.title;
    document.title = `${state.title} · jigsolve`;
    if (state.version !== this.version) await this.lay(state);
    if (state.solve !== this.solveName) {
      Object.assign(this, { solveName: state.solve, heard: 0, cursor: 0 });
      this.solving.clear();
      if (["queued", "solving", "paused"].includes(state.phase)) this.beginSolve();
    }
    const fresh = story.slice(Math.max(0, this.heard - this.cursor));
    this.cursor += story.length;
    this.heard = Math.max(this.heard, this.cursor);
    await this.phase(state, fresh);
  }

  // New pieces lie on the desk.
  async lay(state) {
    this.version = state.version;
    this.view?.close();
    Object.assign(this, { view: null, edit: null, inspect: null, selection: new Selection(), shownSolve: "" });
    show("stage", true);
    if (!state.puzzle) return;
    const { n, rows, cols, atlas } = state.puzzle;
    const image = await this.desk.atlas(state.version);
    const side = Math.ceil(Math.sqrt(n));
    this.board = new Board(n, rows || side, cols || Math.ceil(n / side));
    this.view = new View(element("canvas"), { ...atlas, image }, this.board);
    this.view.show("sheet", false);
    this.gestures = new Gestures(this.view, element("stage"), this.selection, {
      selected: () => this.selected(),
      hover: (cell, x, y) => this.hover(cell, x, y),
      say: (text, alarm) => this.say(text, alarm),
    });
  }

  beginSolve() {
    if (this.edit) this.resting = this.board.labels.slice();
    this.gestures.edit = null;
    this.gestures.select([], -1);
    this.view.painters = [];
    this.view.show("both");
  }

  async phase(state, story) {
    const running = ["queued", "solving", "paused"].includes(state.phase);
    for (const entry of story) {
      this.solving.hear(entry);
      if (this.view?.mode !== "both") continue; // nobody has watched it begin
      const order = this.board.apply(entry);
      if (order.length) this.view.update(order, entry.placed ? Math.min(3, 0.7 + order.length / 250) : 0.35);
    }
    if (running) this.solving.show(state);
    if (state.phase === "answer" && this.shownSolve !== state.solve) {
      this.solving.show(state);
      await this.answered(state);
    }
    if (state.phase === "pieces") this.putBack(state);
    show("panel-pieces", state.phase === "pieces");
    show("panel-solving", running);
    show("panel-answer", state.phase === "answer" && this.edit);
    show("tools", state.phase === "answer" && this.edit);
    if (document.body.dataset.phase !== state.phase && state.phase !== "answer") this.say("");
    document.body.dataset.phase = state.phase;
    if (state.phase === "answer") this.panelError(state.error);
  }

  putBack(state) {
    this.pieces.show(state);
    if (!this.view) return;
    this.edit = null;
    this.gestures.edit = null;
    this.board.clear();
    this.view.painters = [];
    this.view.reset();
    if (this.view.mode !== "sheet") this.view.show("sheet");
  }

  async answered(state) {
    const before = this.edit?.said;
    if (this.edit && this.edit.solve === state.solve) { // a solve was given up: what was there is there still
      this.restore();
    } else {
      const said = await this.desk.answer();
      await this.view.settled();
      const { rows, cols, pieces, turns } = said.layout;
      const labels = Int32Array.from(pieces.flat(), (piece, cell) => (piece === null ? HOLE : 4 * piece + turns[Math.floor(cell / cols)][cell % cols]));
      if (this.edit) this.restore();
      this.board.resize(rows, cols);
      this.edit ??= new Edit(this.board, state.puzzle.turns, (what) => this.edited(what));
      this.edit.hear(labels, said, before ? "solved the rest" : "solved");
      if (this.edit.said !== said) Object.assign(this.edit, { said, answer: labels });
      this.edit.solve = state.solve;
      if (!before) this.remembered();
    }
    this.shownSolve = state.solve;
    this.gestures.edit = this.edit;
    this.inspect = new Inspect(this.view, this.edit);
    this.believed();
    this.view.update();
    this.view.show("board");
    this.panel.show();
    this.say(this.edit.said.verdict);
  }

  restore() {
    if (this.resting?.length === this.board.labels.length) this.resting.forEach((label, cell) => this.board.put(cell, label));
    this.resting = null;
    this.view.update();
    this.view.land();
  }

  // Corrections outlive a reload, in this tab only.
  remember() {
    clearTimeout(this.remembering);
    this.remembering = setTimeout(() => {
      if (!this.edit) return;
      try {
        sessionStorage.setItem("corrections", JSON.stringify({ solve: this.edit.solve, ...this.edit.kept() }));
      } catch {
        sessionStorage.removeItem("corrections"); // there are too many to keep
      }
    }, 300);
  }

  remembered() {
    const kept = JSON.parse(sessionStorage.getItem("corrections") ?? "null");
    if (kept?.solve === this.edit.solve) this.edit.restore(kept);
  }

  // What the solver said, drawn and listed.
  believed() {
    this.panel.heard();
    const shown = this.overlay?.shown ?? true;
    this.overlay = new Overlay(this.panel.doubts, this.panel.blind, this.view.width, this.view.height);
    this.overlay.shown = shown;
    this.overlay.still = (joint) => unchanged(this.board, this.edit.answer, joint);
    this.overlay.rebuild();
    this.believedOf = this.edit.said;
    this.view.painters = [this.overlay, new Marks(this.edit, this.selection)];
  }

  // A person (or the solver) has changed something.
  edited(what) {
    this.view.update([], 0.25);
    if (!this.inspect) return;
    if (this.edit.said !== this.believedOf) this.believed();
    this.remember();
    this.overlay.rebuild();
    this.panel.list();
    this.panel.show();
    this.say(what[0].toUpperCase() + what.slice(1));
  }

  // --- what a person wants -------------------------------------------------------------------------------------

  async tried(act) {
    try {
      const done = await act();
      show("toast", false);
      return done;
    } catch (error) {
      this.say(error.message, true);
      return null;
    }
  }

  change(settings) {
    return this.tried(() => this.desk.change(settings));
  }

  solve(effort) {
    return this.tried(() => this.desk.solve({ effort }));
  }

  async solveRest() {
    this.panelError("");
    try {
      await this.desk.solve({ effort: this.pieces.effort, pins: this.edit.pins() });
    } catch (error) {
      this.panelError(error.message);
    }
  }

  panelError(message) {
    element("answer-failed").textContent = message;
    show("answer-failed", message);
  }

  selected() {
    if (this.edit) this.panel.show();
    const { cells, cursor } = this.selection;
    if (cursor >= 0 && this.board.labels[cursor] >= 0) {
      const [row, col] = [Math.floor(cursor / this.board.cols) + 1, (cursor % this.board.cols) + 1];
      this.say(`Piece ${this.board.labels[cursor] >> 2}, row ${row}, column ${col}${cells.length > 1 ? `, ${cells.length} selected` : ""}`);
    }
  }

  hover(cell, x, y) {
    const tip = element("tip");
    const text = cell >= 0 && this.edit ? this.inspect.tip(cell) : null;
    tip.hidden = !text;
    if (!text) return;
    const [first, ...others] = text;
    tip.replaceChildren(Object.assign(document.createElement("b"), { textContent: first }), ...others.map((line) => Object.assign(document.createElement("div"), { textContent: line })));
    const stage = element("stage");
    tip.style.left = `${Math.min(x + 16, stage.clientWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${Math.min(y + 18, stage.clientHeight - tip.offsetHeight - 8)}px`;
    if (this.selection.cursor < 0) this.panel.look(cell);
  }

  say(text, alarm = false) {
    element("say").textContent = text;
    if (!alarm) return;
    element("toast").textContent = text;
    show("toast", true);
    clearTimeout(this.toasting);
    this.toasting = setTimeout(() => show("toast", false), 5000);
  }

  buttons() {
    const on = (id, act) => element(id).addEventListener("click", act);
    on("new", () => this.leave());
    on("home", (event) => { event.preventDefault(); this.leave(); });
    on("again", () => this.change(this.pieces.settings()));
    on("help", () => element("shortcuts").showModal());
    on("theme", () => this.theme());
    on("nearer", () => this.view?.camera.zoomBy(1.4));
    on("farther", () => this.view?.camera.zoomBy(1 / 1.4));
    on("fit", () => this.view?.camera.fit(this.view.everything));
    on("look", () => this.tool(false));
    on("arrange", () => this.tool(true));
    on("save-picture", () => this.tried(async () => api.download(await this.desk.picture(this.edit.layout()), "solved.png")));
    on("save-layout", () => this.tried(async () => api.download(await this.desk.layout(this.edit.layout()), "layout.json")));
    on("save-replay", () => this.tried(async () => api.download(await this.desk.replay(), "replay.html")));
    on("save-pins", () => api.download(new Blob([JSON.stringify(this.edit.pins(), null, 1)], { type: "application/json" }), "pins.json"));
    element("load-pins").addEventListener("change", (event) => this.tried(async () => {
      const [file] = event.target.files;
      if (!file) return;
      const text = await file.text();
      event.target.value = "";
      let data;
      try {
        data = JSON.parse(text);
      } catch {
        throw new Error("Expected a pin file, got something that is not JSON.");
      }
      this.edit.load(data);
      element("pins-part").open = true;
    }));
    const theme = localStorage.getItem("theme");
    if (theme) document.documentElement.dataset.theme = theme;
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.view?.theme());
  }

  theme() {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    localStorage.setItem("theme", root.dataset.theme);
    this.view?.theme();
    this.solving.curve.draw();
  }

  tool(arranging) {
    this.gestures.arranging = arranging;
    element("look").setAttribute("aria-pressed", !arranging);
    element("arrange").setAttribute("aria-pressed", arranging);
    element("stage").classList.toggle("arranging", arranging);
    this.say(arranging ? "Drag pieces to other cells; hold Shift to select a block." : "Drag to look around.");
  }

  drops() {
    const files = element("files");
    files.addEventListener("change", () => {
      const chosen = [...files.files];
      files.value = "";
      if (chosen.length) this.begin(() => api.begin(chosen));
    });
    let depth = 0;
    const over = (yes) => {
      element("drop").classList.toggle("over", yes);
      show("over", yes && this.desk);
    };
    window.addEventListener("dragenter", (event) => { event.preventDefault(); over(++depth > 0); });
    window.addEventListener("dragleave", () => { depth = Math.max(0, depth - 1); over(depth > 0); });
    window.addEventListener("dragover", (event) => event.preventDefault());
    window.addEventListener("drop", async (event) => {
      event.preventDefault();
      depth = 0;
      over(false);
      const dropped = await this.within(event.dataTransfer);
      if (dropped.length) this.begin(() => api.begin(dropped));
    });
  }

  // The files that were dropped; those of a folder too.
  async within(transfer) {
    const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    if (!entries.some((entry) => entry.isDirectory)) return [...transfer.files];
    const found = [];
    const walk = async (entry) => {
      if (entry.isFile) found.push(await new Promise((done, fail) => entry.file(done, fail)));
      else {
        const reader = entry.createReader();
        for (;;) {
          const some = await new Promise((done, fail) => reader.readEntries(done, fail));
          if (!some.length) break;
          for (const one of some) await walk(one);
        }
      }
    };
    for (const entry of entries) await walk(entry);
    return found;
  }

  key(event) {
    if (!this.view || event.target.matches("input, select, textarea") || element("shortcuts").open) return;
    const letter = event.key.toLowerCase();
    if (event.ctrlKey || event.metaKey) {
      if (!this.edit || this.state.phase !== "answer") return;
      if (letter === "z") (event.shiftKey ? this.edit.redo() : this.edit.undo());
      else if (letter === "y") this.edit.redo();
      else return;
      event.preventDefault();
      return;
    }
    const onButton = event.target.matches("button, summary, a");
    if (onButton && (event.key === " " || event.key === "Enter")) return;
    if (this.shortcut(event, letter) || this.gestures.arrow(event)) event.preventDefault();
  }

  shortcut(event, letter) {
    const { camera } = this.view;
    const answer = this.state.phase === "answer" && this.edit;
    const keys = {
      "+": () => camera.zoomBy(1.3), "=": () => camera.zoomBy(1.3), "-": () => camera.zoomBy(1 / 1.3), 0: () => camera.fit(this.view.everything),
      "?": () => element("shortcuts").showModal(),
      s: () => (answer ? this.solveRest() : this.state.phase === "pieces" && this.solve(this.pieces.effort)),
      " ": () => ["solving", "paused"].includes(this.state.phase) && element("pause").click(),
    };
    const more = {
      h: () => this.tool(false), v: () => this.tool(true), r: () => this.panel.turn(), l: () => this.edit.lock(this.selection.cells),
      x: () => this.panel.cut(), j: () => this.panel.join(), n: () => this.panel.step(1), p: () => this.panel.step(-1), d: () => this.panel.overlay(),
      escape: () => this.gestures.select([], -1),
    };
    const act = keys[letter] ?? (answer ? more[letter] : undefined);
    if (!act || event.altKey) return false;
    act();
    return true;
  }
}

window.app = new App();
