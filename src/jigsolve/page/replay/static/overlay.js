// Uncertain joints, drawn on the picture: doubtful ones as solid strokes, thicker if less likely, and undecidable ones as
// thin dashed strokes. Close up, the probability is shown beside the joint.

import { HOLE } from "./board.js";

const DOUBT_THRESHOLD = 0.8;
const STROKE_WIDTHS = 4; // number of different widths

// All joints with their values in two grids, as {row, col, direction, [name]}; direction is 0 (right) or 1 (down).
function listJoints(grids, name) {
  return ["right", "down"].flatMap((key, direction) =>
    (grids?.[key] ?? []).flatMap((line, row) => line.map((value, col) => ({ row, col, direction, [name]: value }))));
}

export function findUndecidable(layout) {
  return listJoints(layout.undecidable, "flag").filter(({ flag }) => flag);
}

// The least likely first.
export function findDoubtful(layout) {
  const undecidable = listJoints(layout.undecidable, "flag");
  return listJoints(layout.joints, "probability")
    .filter(({ probability }, k) => probability !== null && probability < DOUBT_THRESHOLD && !undecidable[k]?.flag)
    .sort((a, b) => a.probability - b.probability);
}

// The two cells of a joint.
export function cellsOf({ row, col, direction }, cols) {
  const cell = row * cols + col;
  return [cell, cell + (direction === 0 ? 1 : cols)];
}

// Does the board still hold both pieces of a joint as in the answer?
export function isUnchanged(board, answerLabels, joint) {
  return cellsOf(joint, board.cols).every((cell) => board.labels[cell] !== HOLE && board.labels[cell] === answerLabels[cell]);
}

export class Overlay {
  // isCurrent(joint): false hides a joint, because its pieces were edited.
  constructor(doubtful, undecidable, [width, height], isCurrent) {
    this.doubtful = doubtful;
    this.undecidable = undecidable;
    this.width = width;
    this.height = height;
    this.isCurrent = isCurrent;
    this.shown = true;
    this.update();
  }

  update() {
    this.paths = Array.from({ length: STROKE_WIDTHS }, () => new Path2D());
    this.dashes = new Path2D();
    this.current = this.doubtful.filter((joint) => this.isCurrent(joint));
    for (const joint of this.current) {
      const width = Math.floor((1 - joint.probability / DOUBT_THRESHOLD) * STROKE_WIDTHS);
      this._addLine(this.paths[Math.min(STROKE_WIDTHS - 1, width)], joint, 0.14);
    }
    for (const joint of this.undecidable) if (this.isCurrent(joint)) this._addLine(this.dashes, joint, 0.1);
  }

  _addLine(path, joint, inset) {
    const [x, y, dx, dy] = this._lineOf(joint);
    path.moveTo(x + dx * inset, y + dy * inset);
    path.lineTo(x + dx * (1 - inset), y + dy * (1 - inset));
  }

  // The line between two pieces: one end, and the vector to the other.
  _lineOf({ row, col, direction }) {
    return direction === 0
      ? [(col + 1) * this.width, row * this.height, 0, this.height]
      : [col * this.width, (row + 1) * this.height, this.width, 0];
  }

  paint(ctx, view) {
    if (!this.shown) return;
    const size = Math.min(this.width, this.height);
    const minWidth = 1.2 / view.camera.zoom;
    ctx.lineCap = "round";
    for (const casing of [true, false]) {
      ctx.strokeStyle = casing ? "#ffffff" : view.colours.doubt;
      this.paths.forEach((path, width) => {
        ctx.lineWidth = Math.max(minWidth, size * (0.05 + 0.045 * width)) + (casing ? Math.max(0.05 * size, minWidth) : 0);
        ctx.stroke(path);
      });
    }
    ctx.lineCap = "butt";
    ctx.setLineDash([size * 0.12, size * 0.1]);
    ctx.lineWidth = Math.max(minWidth, size * 0.045);
    ctx.strokeStyle = view.colours.undecidable;
    ctx.stroke(this.dashes);
    ctx.setLineDash([]);
    if (size * view.camera.zoom > 46) this._drawNumbers(ctx, view, size);
  }

  _drawNumbers(ctx, view, size) {
    const [left, top, right, bottom] = view.visibleRect();
    ctx.font = `600 ${size * 0.2}px system-ui, sans-serif`;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    for (const joint of this.current) {
      const [x, y, dx, dy] = this._lineOf(joint);
      const [cx, cy] = [x + dx / 2, y + dy / 2];
      if (cx < left || cx > right || cy < top || cy > bottom) continue;
      ctx.fillStyle = "#ffffff";
      ctx.beginPath();
      ctx.roundRect(cx - size * 0.3, cy - size * 0.14, size * 0.6, size * 0.28, size * 0.14);
      ctx.fill();
      ctx.fillStyle = "#7a1420";
      ctx.fillText(`${Math.floor(100 * joint.probability)} %`, cx, cy + size * 0.01);
    }
  }
}
