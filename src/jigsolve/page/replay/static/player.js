// The replay: plays a story, phase by phase.

import { Board } from "./board.js";
import { View } from "./view.js";
import { draggable } from "./camera.js";
import { Overlay, doubtful, undecidable, unchanged } from "./overlay.js";
import { Curve } from "./curve.js";
import { STAGES, duration } from "./words.js";

const GROWTH = 5; // seconds of replay for all pieces to come to their cells
const QUICK = 1.2; // seconds of replay for a stage in which nothing moves
const element = (id) => document.getElementById(id);

// When each entry is shown: waiting is cut short, the growth is given time.
export function schedule(story, n) {
  let [time, last] = [0, 0];
  return story.map((entry) => {
    time += Math.min(entry.t - last, QUICK);
    last = entry.t;
    const at = time;
    if (entry.placed) time += (GROWTH * entry.placed.length) / 3 / n;
    else if (entry.laid) time += 0.5;
    return at;
  });
}

class Player {
  constructor(data, image) {
    this.data = data;
    const { layout } = data.answer;
    this.n = data.atlas.place.length;
    this.board = new Board(this.n, layout.rows, layout.cols);
    this.view = new View(element("canvas"), { ...data.atlas, image }, this.board);
    draggable(this.view.camera);
    this.final = Int32Array.from(layout.pieces.flat(), (piece, cell) => (piece === null ? -1 : 4 * piece + layout.turns.flat()[cell]));
    this.overlay = new Overlay(doubtful(layout), undecidable(layout), ...data.atlas.piece);
    this.overlay.still = (joint) => unchanged(this.board, this.final, joint);
    this.view.painters.push(this.overlay);
    this.curve = new Curve(element("curve"));
    this.times = schedule(data.story, this.n);
    this.end = (this.times.at(-1) ?? 0) + 1.5;
    this.at = 0; // next entry
    this.time = 0;
    this.playing = false;
    this.facts();
    this.controls();
    this.mode("both", false);
    this.seek(this.end);
  }

  facts() {
    const { answer } = this.data;
    element("verdict").textContent = answer.verdict + (answer.stopped ? " · stopped early" : "");
    const size = answer.layout;
    const facts = { pieces: this.n, grid: `${size.rows} rows x ${size.cols} columns`, "piece size": size.piece.join(" x "),
      consistency: answer.consistency?.toFixed(2) ?? "unknown", ...answer.params };
    for (const [stage, seconds] of Object.entries(answer.seconds)) facts[(STAGES[stage] ?? stage).toLowerCase()] = duration(seconds);
    for (const [name, value] of Object.entries(facts)) {
      for (const [kind, text] of [["dt", name], ["dd", value === true ? "yes" : value === false ? "no" : value]]) {
        element("facts").append(Object.assign(document.createElement(kind), { textContent: text }));
      }
    }
    for (const note of answer.notes) element("notes").append(Object.assign(document.createElement("li"), { textContent: note }));
    element("notes-part").hidden = answer.notes.length === 0;
    this.data.story.forEach((entry, k) => {
      if (!entry.stage) return;
      const button = document.createElement("button");
      button.className = "plain";
      button.append(STAGES[entry.stage] ?? entry.stage, Object.assign(document.createElement("span"),
        { className: "quiet number", textContent: duration(entry.t) }));
      button.addEventListener("click", () => { this.seek(this.times[k]); this.play(true); });
      const item = document.createElement("li");
      item.append(button);
      element("steps").append(item);
    });
  }

  controls() {
    element("play").addEventListener("click", () => this.play(!this.playing));
    element("time").addEventListener("input", () => { this.play(false); this.seek((element("time").value / 1000) * this.end); });
    element("before").addEventListener("click", () => { this.mode("sheet"); this.seek(0); });
    element("both").addEventListener("click", () => this.mode("both"));
    element("after").addEventListener("click", () => { this.mode("board"); this.seek(this.end); });
    element("doubts").addEventListener("click", () => {
      this.overlay.shown = !this.overlay.shown;
      element("doubts").setAttribute("aria-pressed", this.overlay.shown);
      this.view.redraw();
    });
    document.addEventListener("keydown", (event) => {
      if (event.target.matches("input, button") && event.key === " ") return;
      const keys = { " ": () => this.play(!this.playing), "+": () => this.view.camera.zoomBy(1.3), "-": () => this.view.camera.zoomBy(1 / 1.3),
        0: () => this.view.camera.fit(this.view.everything), ArrowLeft: () => this.view.camera.pan(60, 0),
        ArrowRight: () => this.view.camera.pan(-60, 0), ArrowUp: () => this.view.camera.pan(0, 60), ArrowDown: () => this.view.camera.pan(0, -60) };
      if (!keys[event.key] || event.target.matches("input") || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      keys[event.key]();
    });
  }

  mode(name, glides = true) {
    for (const [id, mode] of [["before", "sheet"], ["both", "both"], ["after", "board"]]) {
      element(id).setAttribute("aria-pressed", mode === name);
    }
    this.view.show(name, glides);
  }

  play(yes) {
    if (yes && this.time >= this.end) this.seek(0);
    if (yes && this.view.mode === "sheet") this.mode("both");
    this.playing = yes;
    element("play").textContent = yes ? "Pause" : "Play";
    element("play").setAttribute("aria-label", yes ? "Pause" : "Play");
    if (yes) {
      this.since = performance.now() - 1000 * this.time;
      requestAnimationFrame((now) => this.tick(now));
    }
  }

  tick(now) {
    if (!this.playing) return;
    this.time = Math.min(this.end, (now - this.since) / 1000);
    this.tell(true);
    if (this.time >= this.end) this.play(false);
    else requestAnimationFrame((later) => this.tick(later));
  }

  seek(time) {
    if (time < this.time || this.at === 0) {
      this.board.clear();
      this.board.taken();
      this.board.resize(this.data.answer.layout.rows, this.data.answer.layout.cols);
      this.view.reset();
      this.curve.clear();
      this.at = 0;
    }
    this.time = time;
    this.since = performance.now() - 1000 * time;
    this.tell(false);
    this.view.update();
    this.view.land();
  }

  tell(flies) {
    const { story } = this.data;
    while (this.at < story.length && this.times[this.at] <= this.time) {
      const entry = story[this.at++];
      const order = this.board.apply(entry);
      if (flies && order.length) this.view.update(order, entry.placed ? (GROWTH * entry.placed.length) / 3 / this.n : 0.4);
      this.curve.hear(entry);
    }
    const done = this.at >= story.length;
    this.overlay.doubts = done ? doubtful(this.data.answer.layout) : [];
    this.overlay.rebuild();
    this.curve.draw();
    element("alc").textContent = this.curve.points.at(-1)?.[1].toFixed(1) ?? "";
    element("time").value = (1000 * this.time) / this.end;
    const stage = story.slice(0, this.at).findLast((entry) => entry.stage)?.stage;
    element("clock").textContent = done ? "Answer" : STAGES[stage] ?? "Pieces";
    this.view.redraw();
  }
}

const data = JSON.parse(element("data").textContent);
const image = new Image();
image.src = data.image;
await image.decode();
window.player = new Player(data, image);
