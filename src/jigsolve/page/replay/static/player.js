// The replay: plays a timeline, stage by stage.

import { byId, create, fillList, onClick, show } from "./dom.js";
import { Board, labelsOf } from "./board.js";
import { View } from "./view.js";
import { enableDragging } from "./camera.js";
import { findDoubtful, findUndecidable, isUnchanged } from "./joints.js";
import { Overlay } from "./overlay.js";
import { Curve } from "./curve.js";
import { STAGE_NAMES, formatDuration } from "./format.js";

const GROWTH_S = 5; // for all pieces to be anchored
const MAX_WAIT_S = 1.2; // between two entries
const MODES = { before: "sheet", both: "both", after: "board" }; // by the id of their button

// The time at which each entry is shown: long waits are shortened, anchoring takes its time.
function scheduleEntries(timeline, n) {
  let [time, last] = [0, 0];
  return timeline.map((entry) => {
    time += Math.min(entry.t - last, MAX_WAIT_S);
    last = entry.t;
    const shownAt = time;
    if (entry.anchored) time += (GROWTH_S * entry.anchored.length) / 3 / n;
    else if (entry.changed) time += 0.5;
    return shownAt;
  });
}

class Player {
  constructor(data, image) {
    this.timeline = data.timeline;
    this.layout = data.answer.layout;
    this.n = data.atlas.place.length;
    this.board = new Board(this.n, this.layout.rows, this.layout.cols);
    this.view = new View(byId("canvas"), { ...data.atlas, image }, this.board);
    enableDragging(this.view.camera);
    const labels = labelsOf(this.layout);
    this.doubtful = findDoubtful(this.layout);
    this.overlay = new Overlay(this.doubtful, findUndecidable(this.layout), data.atlas.piece, this.layout.cols, (joint) => isUnchanged(this.board, labels, joint));
    this.view.painters.push(this.overlay);
    this.curve = new Curve(byId("curve"));
    this.times = scheduleEntries(this.timeline, this.n);
    this.end = (this.times.at(-1) ?? 0) + 1.5;
    this.next = 0; // entry
    this.time = 0;
    this.playing = false;
    this.showFacts(data.answer);
    this.listStages();
    this.connectControls();
    this.setMode("both", false);
    this.seek(this.end);
  }

  showFacts(answer) {
    byId("verdict").textContent = answer.verdict + (answer.stopped ? " · stopped early" : "");
    const { rows, cols, piece } = this.layout;
    const facts = { pieces: this.n, grid: `${rows} rows x ${cols} columns`, "piece size": piece.join(" x "),
      consistency: answer.consistency?.toFixed(2) ?? "unknown", ...answer.params };
    for (const [stage, seconds] of Object.entries(answer.seconds)) facts[(STAGE_NAMES[stage] ?? stage).toLowerCase()] = formatDuration(seconds);
    for (const [name, value] of Object.entries(facts)) {
      byId("facts").append(create("dt", {}, name), create("dd", {}, value === true ? "yes" : value === false ? "no" : value));
    }
    fillList(byId("notes"), answer.notes);
    show("notes-part", answer.notes.length);
  }

  listStages() {
    this.timeline.forEach((entry, k) => {
      if (!entry.stage) return;
      const start = create("span", { className: "quiet number" }, formatDuration(entry.t));
      const onclick = () => { this.seek(this.times[k]); this.play(true); };
      byId("stages").append(create("li", {}, create("button", { className: "plain", onclick }, STAGE_NAMES[entry.stage] ?? entry.stage, start)));
    });
  }

  connectControls() {
    onClick("play", () => this.play(!this.playing));
    byId("time").addEventListener("input", () => { this.play(false); this.seek((byId("time").value / 1000) * this.end); });
    onClick("before", () => { this.setMode("sheet"); this.seek(0); });
    onClick("both", () => this.setMode("both"));
    onClick("after", () => { this.setMode("board"); this.seek(this.end); });
    onClick("doubts", () => {
      this.overlay.shown = !this.overlay.shown;
      byId("doubts").setAttribute("aria-pressed", this.overlay.shown);
      this.view.redraw();
    });
    document.addEventListener("keydown", (event) => {
      if (event.target.matches("input, button") && event.key === " ") return;
      const { camera } = this.view;
      const keys = { " ": () => this.play(!this.playing), "+": () => camera.zoomBy(1.3), "-": () => camera.zoomBy(1 / 1.3),
        0: () => camera.fit(this.view.everything), ArrowLeft: () => camera.pan(60, 0), ArrowRight: () => camera.pan(-60, 0),
        ArrowUp: () => camera.pan(0, 60), ArrowDown: () => camera.pan(0, -60) };
      if (!keys[event.key] || event.target.matches("input") || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      keys[event.key]();
    });
  }

  setMode(mode, animate = true) {
    for (const id of Object.keys(MODES)) byId(id).setAttribute("aria-pressed", MODES[id] === mode);
    this.view.setMode(mode, animate);
  }

  play(playing) {
    if (playing && this.time >= this.end) this.seek(0);
    if (playing && this.view.mode === "sheet") this.setMode("both");
    this.playing = playing;
    byId("play").textContent = playing ? "Pause" : "Play";
    byId("play").setAttribute("aria-label", playing ? "Pause" : "Play");
    if (playing) {
      this.start = performance.now() - 1000 * this.time;
      requestAnimationFrame((now) => this.tick(now));
    }
  }

  tick(now) {
    if (!this.playing) return;
    this.time = Math.min(this.end, (now - this.start) / 1000);
    this.advance(true);
    if (this.time >= this.end) this.play(false);
    else requestAnimationFrame((later) => this.tick(later));
  }

  seek(time) {
    if (time < this.time || this.next === 0) {
      this.board.clear();
      this.board.resize(this.layout.rows, this.layout.cols);
      this.view.reset();
      this.curve.clear();
      this.next = 0;
    }
    this.time = time;
    this.start = performance.now() - 1000 * time;
    this.advance(false);
    this.view.update();
    this.view.finishFlights();
  }

  // Apply all entries up to the current time.
  advance(animate) {
    while (this.next < this.timeline.length && this.times[this.next] <= this.time) {
      const entry = this.timeline[this.next++];
      const order = this.board.apply(entry);
      if (animate && order.length) this.view.update(order, entry.anchored ? (GROWTH_S * entry.anchored.length) / 3 / this.n : 0.4);
      this.curve.add(entry);
    }
    const finished = this.next >= this.timeline.length;
    this.overlay.doubtful = finished ? this.doubtful : [];
    this.overlay.update();
    this.curve.draw();
    byId("alc").textContent = this.curve.value;
    byId("time").value = (1000 * this.time) / this.end;
    const stage = this.timeline.slice(0, this.next).findLast((entry) => entry.stage)?.stage;
    byId("clock").textContent = finished ? "Answer" : STAGE_NAMES[stage] ?? "Pieces";
    this.view.redraw();
  }
}

const data = JSON.parse(byId("data").textContent);
const image = new Image();
image.src = data.image;
await image.decode();
window.player = new Player(data, image);
