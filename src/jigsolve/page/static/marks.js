// The edits of a person, drawn on the picture: corners on locked pieces, a bar across joins, a cross on cuts; the selection.

import { STEPS, directionOf, pieceOf, turnOf } from "./board.js";

const CORNERS = [[0, 0], [1, 0], [1, 1], [0, 1]];

// Stroke in a colour with a white outline, which is visible on any picture.
function strokeOutlined(ctx, path, width, colour) {
  ctx.lineCap = "round";
  ctx.strokeStyle = "#ffffff";
  ctx.lineWidth = 2.1 * width;
  ctx.stroke(path);
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.stroke(path);
  ctx.lineCap = "butt";
}

function makeRect(x, y, width, height) {
  const path = new Path2D();
  path.rect(x, y, width, height);
  return path;
}

export class Marks {
  constructor(editor, selection) {
    this.editor = editor;
    this.selection = selection;
  }

  paint(ctx, view) {
    const size = Math.min(view.width, view.height);
    const width = Math.min(3 / view.camera.zoom, Math.max(1.5 / view.camera.zoom, size * 0.035));
    const { accent } = view.colours;
    strokeOutlined(ctx, this._cornersOfLocked(view, size), width, accent);
    strokeOutlined(ctx, this._barsOfJoined(view, size), 1.4 * width, accent);
    strokeOutlined(ctx, this._crossesOfCuts(view, size), 1.6 * width, "#111111");
    const { cells, cursor, drag, marquee, bare } = this.selection;
    if (bare && cells.length === 2) strokeOutlined(ctx, this._pointersToSeam(view, size), 1.6 * width, accent);
    else strokeOutlined(ctx, this._outlineOfSelection(view), 2 * width, accent);
    if (cursor >= 0 && !cells.includes(cursor)) {
      ctx.setLineDash([4 * width, 3 * width]);
      strokeOutlined(ctx, makeRect(...view.cornerOf(cursor), view.width, view.height), width, accent);
      ctx.setLineDash([]);
    }
    if (drag) this._drawDragged(ctx, view, drag);
    if (marquee) {
      const [x0, y0, x1, y1] = marquee;
      strokeOutlined(ctx, makeRect(x0, y0, x1 - x0, y1 - y0), width, accent);
    }
  }

  _cornersOfLocked(view, size) {
    const path = new Path2D();
    const [arm, inset] = [size * 0.24, size * 0.08];
    for (const piece of this.editor.locked) {
      const cell = view.board.cellOf[piece];
      if (cell < 0) continue;
      const [x, y] = view.cornerOf(cell);
      for (const [sx, sy] of CORNERS) {
        const [cx, cy] = [x + inset + sx * (view.width - 2 * inset), y + inset + sy * (view.height - 2 * inset)];
        path.moveTo(cx + (sx ? -arm : arm), cy);
        path.lineTo(cx, cy);
        path.lineTo(cx, cy + (sy ? -arm : arm));
      }
    }
    return path;
  }

  // The middles and directions of those joints whose sides face each other now.
  _middlesOf(view, joints) {
    const { board } = view;
    const middles = [];
    for (const [a, b] of joints.values()) {
      const cell = board.cellOf[pieceOf(a)];
      if (cell < 0) continue;
      const direction = directionOf(a, turnOf(board.labels[cell]));
      const other = board.neighbour(cell, direction);
      if (other < 0 || board.sideAt(other, direction ^ 2) !== b) continue;
      const [x, y] = view.cornerOf(cell);
      const [dy, dx] = STEPS[direction];
      middles.push([x + (view.width / 2) * (1 + dx), y + (view.height / 2) * (1 + dy), dx, dy]);
    }
    return middles;
  }

  _barsOfJoined(view, size) {
    const path = new Path2D();
    for (const [x, y, dx, dy] of this._middlesOf(view, this.editor.joined)) {
      for (const shift of [-0.1 * size, 0.1 * size]) {
        path.moveTo(x - dx * size * 0.2 + dy * shift, y - dy * size * 0.2 + dx * shift);
        path.lineTo(x + dx * size * 0.2 + dy * shift, y + dy * size * 0.2 + dx * shift);
      }
    }
    return path;
  }

  _crossesOfCuts(view, size) {
    const path = new Path2D();
    const arm = size * 0.16;
    for (const [x, y] of this._middlesOf(view, this.editor.cuts)) {
      path.moveTo(x - arm, y - arm);
      path.lineTo(x + arm, y + arm);
      path.moveTo(x + arm, y - arm);
      path.lineTo(x - arm, y + arm);
    }
    return path;
  }

  // Two arrows outside the two selected pieces, which point at the seam between them.
  _pointersToSeam(view, size) {
    const path = new Path2D();
    const [[x0, y0], [x1, y1]] = this.selection.cells.map((cell) => view.cornerOf(cell));
    const vertical = y0 === y1; // the seam
    const [x, y] = [Math.max(x0, x1), Math.max(y0, y1)];
    const [tip, arm] = [0.06 * size, 0.2 * size];
    for (const way of [-1, 1]) {
      const along = (vertical ? y : x) + (way < 0 ? -tip : (vertical ? view.height : view.width) + tip);
      const points = [[-arm * 0.6, way * arm], [0, 0], [arm * 0.6, way * arm]].map(([across, off]) => (vertical ? [x + across, along + off] : [along + off, y + across]));
      points.forEach((point, k) => (k ? path.lineTo(...point) : path.moveTo(...point)));
    }
    return path;
  }

  _outlineOfSelection(view) {
    const path = new Path2D();
    const block = new Set(this.selection.cells);
    for (const cell of block) {
      const [x, y] = view.cornerOf(cell);
      const [right, bottom] = [x + view.width, y + view.height];
      [[right, y, right, bottom], [x, bottom, right, bottom], [x, y, x, bottom], [x, y, right, y]].forEach(([x0, y0, x1, y1], direction) => {
        if (block.has(view.board.neighbour(cell, direction))) return;
        path.moveTo(x0, y0);
        path.lineTo(x1, y1);
      });
    }
    return path;
  }

  _drawDragged(ctx, view, { cells, dx, dy }) {
    ctx.globalAlpha = 0.85;
    for (const cell of cells) {
      const label = view.board.labels[cell];
      const [x, y] = view.cornerOf(cell);
      if (label >= 0) view.drawPiece(ctx, pieceOf(label), turnOf(label), x + dx, y + dy, view.width, view.height);
    }
    ctx.globalAlpha = 1;
  }
}
