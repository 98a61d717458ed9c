// What is believed of the joints, drawn on the picture: doubtful ones as solid strokes, the thicker the less likely;
// undecidable ones as thin dashed strokes. Close up, the probability stands beside the joint.

import { HOLE } from "./board.js";

export const DOUBT = 0.8;
const STEPS_OF_DOUBT = 4;

// All doubtful joints of an answer, the worst first: {row, col, d (0 right, 1 down), chance}.
export function doubtful(layout) {
  const found = [];
  for (const [d, key] of [[0, "right"], [1, "down"]]) {
    const blind = layout.undecidable?.[key];
    (layout.joints?.[key] ?? []).forEach((line, row) => line.forEach((chance, col) => {
      if (chance !== null && chance < DOUBT && !blind?.[row][col]) found.push({ row, col, d, chance });
    }));
  }
  return found.sort((a, b) => a.chance - b.chance);
}

export function undecidable(layout) {
  const found = [];
  for (const [d, key] of [[0, "right"], [1, "down"]]) {
    (layout.undecidable?.[key] ?? []).forEach((line, row) => line.forEach((yes, col) => {
      if (yes) found.push({ row, col, d });
    }));
  }
  return found;
}

export class Overlay {
  // doubts, blind: joints; still(joint): is it still a joint of what is shown, for it may have been edited?
  constructor(doubts, blind, width, height) {
    this.doubts = doubts;
    this.blind = blind;
    this.width = width;
    this.height = height;
    this.shown = true;
    this.still = () => true;
    this.rebuild();
  }

  rebuild() {
    this.paths = Array.from({ length: STEPS_OF_DOUBT }, () => new Path2D());
    this.dashes = new Path2D();
    this.seen = this.doubts.filter((joint) => this.still(joint));
    for (const joint of this.seen) {
      const step = Math.min(STEPS_OF_DOUBT - 1, Math.floor((1 - joint.chance / DOUBT) * STEPS_OF_DOUBT));
      this._line(this.paths[step], joint, 0.14);
    }
    for (const joint of this.blind) if (this.still(joint)) this._line(this.dashes, joint, 0.1);
  }

  _line(path, joint, inset) {
    const [x, y, dx, dy] = this.line(joint);
    path.moveTo(x + dx * inset, y + dy * inset);
    path.lineTo(x + dx * (1 - inset), y + dy * (1 - inset));
  }

  // Where a joint is: one end, and the way to the other.
  line({ row, col, d }) {
    return d === 0
      ? [(col + 1) * this.width, row * this.height, 0, this.height]
      : [col * this.width, (row + 1) * this.height, this.width, 0];
  }

  paint(pen, view) {
    if (!this.shown) return;
    const size = Math.min(this.width, this.height);
    const least = 1.2 / view.camera.zoom;
    pen.lineCap = "round";
    for (const casing of [true, false]) {
      pen.strokeStyle = casing ? "#ffffff" : view.colours.doubt;
      this.paths.forEach((path, step) => {
        pen.lineWidth = Math.max(least, size * (0.05 + 0.045 * step)) + (casing ? Math.max(0.05 * size, least) : 0);
        pen.stroke(path);
      });
    }
    pen.lineCap = "butt";
    pen.setLineDash([size * 0.12, size * 0.1]);
    pen.lineWidth = Math.max(least, size * 0.045);
    pen.strokeStyle = view.colours.blind;
    pen.stroke(this.dashes);
    pen.setLineDash([]);
    if (size * view.camera.zoom > 46) this._numbers(pen, view, size);
  }

  _numbers(pen, view, size) {
    const [left, top, right, bottom] = view.window();
    pen.font = `600 ${size * 0.2}px system-ui, sans-serif`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    for (const joint of this.seen) {
      const [x, y, dx, dy] = this.line(joint);
      const [cx, cy] = [x + dx / 2, y + dy / 2];
      if (cx < left || cx > right || cy < top || cy > bottom) continue;
      const text = `${Math.floor(100 * joint.chance)} %`;
      pen.fillStyle = "#ffffff";
      pen.beginPath();
      pen.roundRect(cx - size * 0.3, cy - size * 0.14, size * 0.6, size * 0.28, size * 0.14);
      pen.fill();
      pen.fillStyle = "#7a1420";
      pen.fillText(text, cx, cy + size * 0.01);
    }
  }
}

// Does a joint of the answer still hold the same two sides on the board?
export function unchanged(board, answer, joint) {
  const cell = joint.row * board.cols + joint.col;
  const other = cell + (joint.d === 0 ? 1 : board.cols);
  const [a, b] = [board.labels[cell], board.labels[other]];
  return a !== HOLE && b !== HOLE && a === answer[cell] && b === answer[other];
}
