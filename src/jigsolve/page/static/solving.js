// The panel of the second step: stages, the curve, the time; pause, stop, cancel.

import { HOLE, pieceOf, turnOf } from "./board.js";
import { Curve } from "./curve.js";
import { STAGE_NAMES, formatCount, formatDuration } from "./format.js";
import { byId, create, onClick } from "./dom.js";

const STAGES = ["pairs", "compatibility", "pictures", "layout", "search", "reference", "confidence"];
const FRAGMENT_STAGES = ["pairs", "compatibility", "fragments"];
const RARE = ["pictures", "reference"]; // listed only when they come

// A timeline entry with the piece numbers of the whole bag. numbers: of the pieces of this picture, null if there is one only.
export function renumber(entry, numbers) {
  if (!numbers) return entry;
  const rename = (values) => values?.map((value, k) => (k % 3 === 2 && value !== HOLE ? 4 * numbers[pieceOf(value)] + turnOf(value) : value));
  return { ...entry, anchored: rename(entry.anchored), changed: rename(entry.changed) };
}

export class SolvingPanel {
  constructor({ onCommand }) {
    this.curve = new Curve(byId("curve"));
    this.clear();
    onClick("pause", () => onCommand(this.phase === "paused" ? "resume" : "pause"));
    onClick("stop", () => {
      this.stopping = true;
      onCommand("stop");
    });
    onClick("cancel", () => onCommand("cancel"));
    setInterval(() => this.updateClock(), 250);
  }

  clear() {
    Object.assign(this, { phase: "", stage: "", stageStart: 0, share: 0, left: null, picture: "", time: 0, receivedAt: performance.now(), stopping: false, anchored: "" });
    this.curve.clear();
  }

  add(entry) {
    this.time = entry.t;
    this.receivedAt = performance.now();
    if (entry.stage) Object.assign(this, { stage: entry.stage, stageStart: entry.t, share: 0 });
    if (entry.share !== undefined) this.share = entry.share;
    if (entry.left !== undefined) this.left = entry.left;
    if (entry.picture) this.picture = `, picture ${entry.picture} of ${entry.pictures}`;
    if (entry.cycles) this.share = Math.max(this.share, entry.cycle / entry.cycles);
    if (entry.anchored) this.anchored = `${entry.done.toLocaleString("en")} of ${entry.total.toLocaleString("en")}`;
    this.curve.add(entry);
  }

  update(state) {
    this.phase = state.phase;
    const stages = state.fragments ? FRAGMENT_STAGES : STAGES;
    const waiting = state.phase === "queued";
    const finished = state.phase === "answer"; // the last pieces are still in flight
    byId("doing").textContent = waiting ? `Waiting: number ${state.position} in the queue`
      : finished ? (state.fragments ? "Done" : "All pieces are placed") : state.phase === "paused" ? "Paused" : this.stopping ? "Stopping"
        : `Solving ${formatCount(state.puzzle?.n ?? 0, state.fragments ? "tile" : "piece")}${this.picture}`;
    byId("pause").textContent = state.phase === "paused" ? "Go on" : "Pause";
    for (const id of ["pause", "stop"]) byId(id).disabled = waiting || finished || this.stopping;
    byId("cancel").disabled = finished;
    byId("solving-note").textContent = !waiting && !this.stage && !finished ? "Getting ready. On a first run the program is compiled, once." : waiting ? "Puzzles are solved one after another." : this.stopping && !["search", "fragments"].includes(this.stage)
      ? "It stops as soon as there is something to keep." : "";
    this._listStages(stages, finished ? stages.length : stages.indexOf(this.stage), waiting);
    this.curve.draw();
    byId("alc").textContent = this.curve.value;
    byId("anchored").textContent = this.anchored || "none yet";
    this.updateClock();
  }

  _listStages(stages, current, waiting) {
    byId("stages").replaceChildren(...stages.flatMap((stage, k) => {
      if (RARE.includes(stage) && stage !== this.stage) return [];
      const item = create("li", { className: k < current ? "done" : k === current ? "now" : "" }, create("span", {}, STAGE_NAMES[stage]));
      if (k === current && !waiting) {
        item.setAttribute("aria-current", "step");
        item.append(create("span", { className: "number small" }, `${Math.round(100 * this.share)} %`),
          create("progress", { max: 1, value: this.share, ariaLabel: STAGE_NAMES[stage] }));
      }
      return [item];
    }));
  }

  updateClock() {
    const running = this.phase === "solving" && this.stage;
    const now = this.time + (running ? (performance.now() - this.receivedAt) / 1000 : 0);
    byId("elapsed").textContent = this.stage ? formatDuration(now) : "";
    const left = this.left === null ? null : this.left - (now - this.time);
    byId("left").textContent = running && left !== null ? (left < 1 ? "a moment" : `about ${left < 60 ? `${Math.ceil(left)} s` : formatDuration(left)}`) : "…";
  }
}
