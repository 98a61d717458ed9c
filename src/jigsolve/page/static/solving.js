// The panel of the second step: stages, the curve, the time; pause, stop, cancel.

import { Curve } from "./curve.js";
import { STAGES, count, duration } from "./words.js";
import { element, show } from "./dom.js";

const SHOWN = ["pairs", "compatibility", "layout", "search", "confidence"];

export class SolvingPanel {
  // told: {order(word)}
  constructor(told) {
    this.curve = new Curve(element("curve"));
    this.clear();
    element("pause").addEventListener("click", () => told.order(this.phase === "paused" ? "resume" : "pause"));
    element("stop").addEventListener("click", () => {
      this.stopping = true;
      told.order("stop");
    });
    element("cancel").addEventListener("click", () => told.order("cancel"));
    setInterval(() => this.clock(), 250);
  }

  clear() {
    Object.assign(this, { phase: "", stage: "", begun: 0, share: 0, t: 0, heard: performance.now(), stopping: false, anchored: "" });
    this.curve.clear();
  }

  hear(entry) {
    this.t = entry.t;
    this.heard = performance.now();
    if (entry.stage) Object.assign(this, { stage: entry.stage, begun: entry.t, share: 0 });
    if (entry.share !== undefined) this.share = entry.share;
    if (entry.cycles) this.share = Math.max(this.share, entry.cycle / entry.cycles);
    if (entry.placed) this.anchored = `${entry.done.toLocaleString("en")} of ${entry.total.toLocaleString("en")}`;
    this.curve.hear(entry);
  }

  show(state) {
    this.phase = state.phase;
    const { n } = state.puzzle ?? { n: 0 };
    const waiting = state.phase === "queued";
    const over = state.phase === "answer"; // the last pieces are still in flight
    element("doing").textContent = waiting ? `Waiting: number ${state.place} in the queue`
      : over ? "All pieces are laid" : state.phase === "paused" ? "Paused" : this.stopping ? "Stopping" : `Solving ${count(n, "piece")}`;
    element("pause").textContent = state.phase === "paused" ? "Go on" : "Pause";
    element("pause").disabled = waiting || over || this.stopping;
    element("stop").disabled = waiting || over || this.stopping;
    element("cancel").disabled = over;
    element("solving-note").textContent = waiting ? "Puzzles are solved one after another." : this.stopping && this.stage !== "search"
      ? "It stops as soon as there is a first picture to keep." : "";
    this._stages(waiting, over);
    this.curve.draw();
    element("alc").textContent = this.curve.points.at(-1)?.[1].toFixed(1) ?? "";
    element("anchored").textContent = this.anchored || "none yet";
    this.clock();
  }

  _stages(waiting, over) {
    const at = over ? SHOWN.length : SHOWN.indexOf(this.stage);
    element("stages").replaceChildren(...SHOWN.map((name, k) => {
      const item = Object.assign(document.createElement("li"), { className: k < at ? "done" : k === at ? "now" : "" });
      item.append(Object.assign(document.createElement("span"), { textContent: STAGES[name] }));
      if (k === at && !waiting) {
        item.setAttribute("aria-current", "step");
        item.append(Object.assign(document.createElement("span"), { className: "number small", textContent: `${Math.round(100 * this.share)} %` }));
        const bar = Object.assign(document.createElement("progress"), { max: 1, value: this.share });
        bar.setAttribute("aria-label", STAGES[name]);
        item.append(bar);
      }
      return item;
    }));
  }

  clock() {
    const running = this.phase === "solving" && this.stage;
    const now = this.t + (running ? (performance.now() - this.heard) / 1000 : 0);
    element("elapsed").textContent = this.stage ? duration(now) : "";
    const left = ((this.t - this.begun) * (1 - this.share)) / this.share - (now - this.t);
    element("left-name").textContent = this.stage === "search" ? "Left at most" : "Left in this stage";
    element("left").textContent = running && this.share > 0.02 && left > 0 ? duration(left) : "…";
    show("left", this.stage);
  }
}
