// Uncertain joints, drawn on the picture: doubtful ones as solid strokes, thicker if less likely, and undecidable ones as
// thin dashed strokes. Close up, the probability is shown beside the joint; from afar, regions with many of them are framed.

import { DOUBT_THRESHOLD } from "./joints.js";
import { MAX_SINGLE_DOUBTS, findRegions } from "./regions.js";

const CLOSE_PX = 46; // a cell of this size has room for numbers
const FAR_PX = 16; // a cell of this size has no room for strokes
const STROKE_WIDTHS = 4; // number of different widths

export class Overlay {
  // isCurrent(joint): false hides a joint, because its pieces were edited.
  constructor(doubtful, undecidable, [width, height], cols, isCurrent) {
    this.cols = cols;
    this.doubtful = doubtful;
    this.undecidable = undecidable;
    this.width = width;
    this.height = height;
    this.isCurrent = isCurrent;
    this.shown = true;
    this.bare = null; // a joint that is being looked at: nothing covers it
    this.update();
  }

  update() {
    this.paths = Array.from({ length: STROKE_WIDTHS }, () => new Path2D());
    this.dashes = new Path2D();
    this.current = this.doubtful.filter((joint) => joint !== this.bare && this.isCurrent(joint));
    this.regions = this.current.length > MAX_SINGLE_DOUBTS ? findRegions(this.current, this.cols) : [];
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
    if (this.regions.length && size * view.camera.zoom < FAR_PX) {
      this._drawRegions(ctx, view);
      return;
    }
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
    if (size * view.camera.zoom > CLOSE_PX) this._drawNumbers(ctx, view, size);
  }

  // A frame around each region, with the number of its doubtful joints; as large on the screen at any zoom.
  _drawRegions(ctx, view) {
    const px = 1 / view.camera.zoom;
    ctx.font = `600 ${12 * px}px system-ui, sans-serif`;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    for (const { joints, rows, cols } of this.regions) {
      const [x, y] = [cols[0] * this.width - 3 * px, rows[0] * this.height - 3 * px];
      const [w, h] = [(cols[1] + 1) * this.width + 3 * px - x, (rows[1] + 1) * this.height + 3 * px - y];
      for (const [colour, width] of [["#ffffff", 4], [view.colours.doubt, 2]]) {
        ctx.strokeStyle = colour;
        ctx.lineWidth = width * px;
        ctx.strokeRect(x, y, w, h);
      }
      if (joints.length < 3) continue;
      const label = String(joints.length);
      const half = (5 + 4 * label.length) * px;
      ctx.fillStyle = "#ffffff";
      ctx.beginPath();
      ctx.roundRect(x + w - half, y - 9 * px, 2 * half, 18 * px, 9 * px);
      ctx.fill();
      ctx.fillStyle = "#7a1420";
      ctx.fillText(label, x + w, y + px);
    }
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
