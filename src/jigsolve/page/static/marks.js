// What a person has done, drawn on the picture: corners on locked pieces, a bar across joined ones, a cross on cuts.

import { STEPS } from "./board.js";

export class Marks {
  constructor(edit, selection) {
    this.edit = edit;
    this.selection = selection;
  }

  paint(pen, view) {
    const size = Math.min(view.width, view.height);
    const thin = Math.max(1.5 / view.camera.zoom, size * 0.035);
    this._locks(pen, view, size, thin);
    for (const [a, b] of this.edit.joined.values()) this._joint(pen, view, a, b, (x, y, dx, dy) => this._bar(pen, view, x, y, dx, dy, size, thin));
    for (const [a, b] of this.edit.cuts.values()) this._joint(pen, view, a, b, (x, y) => this._cross(pen, view, x, y, size, thin));
    this._selected(pen, view, thin);
  }

  _locks(pen, view, size, thin) {
    const path = new Path2D();
    const [arm, inset] = [size * 0.24, size * 0.08];
    for (const piece of this.edit.locked) {
      const cell = view.board.cellOf[piece];
      if (cell < 0) continue;
      const [x, y] = view.corner(cell);
      for (const [sx, sy] of [[0, 0], [1, 0], [1, 1], [0, 1]]) {
        const [cx, cy] = [x + inset + sx * (view.width - 2 * inset), y + inset + sy * (view.height - 2 * inset)];
        path.moveTo(cx + (sx ? -arm : arm), cy);
        path.lineTo(cx, cy);
        path.lineTo(cx, cy + (sy ? -arm : arm));
      }
    }
    this._twice(pen, path, thin, view.colours.accent);
  }

  // A joint's middle and direction, if its two sides face each other now.
  _joint(pen, view, a, b, draw) {
    const { board } = view;
    const cell = board.cellOf[a >> 2];
    if (cell < 0) return;
    const d = ((a & 3) + (board.labels[cell] & 3)) & 3;
    const other = board.neighbour(cell, d);
    if (other < 0 || board.side(other, d ^ 2) !== b) return;
    const [x, y] = view.corner(cell);
    const [dy, dx] = STEPS[d];
    draw(x + (view.width / 2) * (1 + dx), y + (view.height / 2) * (1 + dy), dx, dy);
  }

  _bar(pen, view, x, y, dx, dy, size, thin) {
    const path = new Path2D();
    for (const shift of [-0.1, 0.1]) {
      path.moveTo(x - dx * size * 0.2 + dy * size * shift, y - dy * size * 0.2 + dx * size * shift);
      path.lineTo(x + dx * size * 0.2 + dy * size * shift, y + dy * size * 0.2 + dx * size * shift);
    }
    this._twice(pen, path, 1.4 * thin, view.colours.accent);
  }

  _cross(pen, view, x, y, size, thin) {
    const path = new Path2D();
    const arm = size * 0.16;
    path.moveTo(x - arm, y - arm);
    path.lineTo(x + arm, y + arm);
    path.moveTo(x + arm, y - arm);
    path.lineTo(x - arm, y + arm);
    this._twice(pen, path, 1.6 * thin, "#111111");
  }

  _selected(pen, view, thin) {
    const { cells, cursor, drag, marquee } = this.selection;
    const path = new Path2D();
    const own = new Set(cells);
    for (const cell of cells) { // only the outline of a block
      const [x, y] = view.corner(cell);
      const [right, bottom] = [x + view.width, y + view.height];
      [[right, y, right, bottom], [x, bottom, right, bottom], [x, y, x, bottom], [x, y, right, y]].forEach(([x0, y0, x1, y1], d) => {
        if (own.has(view.board.neighbour(cell, d))) return;
        path.moveTo(x0, y0);
        path.lineTo(x1, y1);
      });
    }
    this._twice(pen, path, 2 * thin, view.colours.accent);
    if (cursor >= 0 && !own.has(cursor)) {
      const [x, y] = view.corner(cursor);
      const box = new Path2D();
      box.rect(x, y, view.width, view.height);
      pen.setLineDash([4 * thin, 3 * thin]);
      this._twice(pen, box, thin, view.colours.accent);
      pen.setLineDash([]);
    }
    if (drag) this._dragged(pen, view, drag);
    if (marquee) {
      const [x0, y0, x1, y1] = marquee;
      const box = new Path2D();
      box.rect(Math.min(x0, x1), Math.min(y0, y1), Math.abs(x1 - x0), Math.abs(y1 - y0));
      this._twice(pen, box, thin, view.colours.accent);
    }
  }

  _dragged(pen, view, { cells, dx, dy }) {
    pen.globalAlpha = 0.85;
    for (const cell of cells) {
      const label = view.board.labels[cell];
      const [x, y] = view.corner(cell);
      if (label >= 0) view.piece(pen, label >> 2, label & 3, x + dx, y + dy, view.width, view.height);
    }
    pen.globalAlpha = 1;
  }

  // In a colour, on white: it can be seen on any picture.
  _twice(pen, path, width, colour) {
    pen.lineCap = "round";
    pen.strokeStyle = "#ffffff";
    pen.lineWidth = 2.1 * width;
    pen.stroke(path);
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.stroke(path);
    pen.lineCap = "butt";
  }
}
