// The list of fragments of a cache: to go to one, and to accept it.

import { pieceOf } from "./board.js";
import { byId, create } from "./dom.js";
import { formatCount, formatPercent } from "./format.js";

const MAX_LISTED = 60;
const THUMBNAIL_PX = [56, 38];
const DELAY_MS = 120; // after an edit

export class Shelf {
  constructor(app) {
    this.app = app;
  }

  // Called after every edit and judgement.
  update() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.app.editor?.fragments && this._fill(), DELAY_MS);
  }

  _fill() {
    const { fragments } = this.app.editor;
    byId("fragment-count").textContent = fragments.length || "none";
    byId("fragments").replaceChildren(...fragments.slice(0, MAX_LISTED).map((cells, k) => this._build(cells, k)));
    const more = fragments.length - MAX_LISTED;
    byId("fragments-more").textContent = more > 0 ? `and ${more} more, with fewer tiles` : "";
  }

  _build(cells, k) {
    const { editor, panel } = this.app;
    const joints = editor.jointsOf(cells);
    const isAccepted = joints.every(([a, b]) => editor.isJoined(a, b));
    const believed = this._believe(cells);
    const text = create("span", {}, `${formatCount(cells.length, "tile")}`, create("small", {}, isAccepted ? "accepted" : believed === null ? "" : `${formatPercent(believed)} of joints right`));
    return create("li", {},
      create("button", { className: "open", ariaLabel: `Go to fragment ${k + 1}, ${formatCount(cells.length, "tile")}`, onclick: () => this.goTo(cells) }, this._draw(cells), text),
      create("button", { disabled: isAccepted, title: "All its joints are right", ariaLabel: `Accept fragment ${k + 1}`, onclick: () => panel.accept(cells) }, "Accept"));
  }

  // The mean probability of the joints of a fragment, null if they were not judged.
  _believe(cells) {
    const { board, inspector } = this.app;
    const block = new Set(cells);
    const values = cells.flatMap((cell) => [0, 1].filter((direction) => block.has(board.neighbour(cell, direction))).map((direction) => inspector.jointProbability(cell, direction)));
    return !values.length || values.includes(undefined) ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
  }

  _boundsOf(cells) {
    const { board } = this.app;
    const [rows, cols] = [0, 1].map((axis) => cells.map((cell) => board.position(cell)[axis]));
    const [top, left] = [Math.min(...rows), Math.min(...cols)];
    return { top, left, rows: Math.max(...rows) - top + 1, cols: Math.max(...cols) - left + 1 };
  }

  goTo(cells) {
    const { view, gestures } = this.app;
    const { top, left, rows, cols } = this._boundsOf(cells);
    gestures.select(cells, cells[0]);
    view.camera.fit([left * view.width, top * view.height, cols * view.width, rows * view.height], true, 60);
  }

  _draw(cells) {
    const { board, view } = this.app;
    const { top, left, rows, cols } = this._boundsOf(cells);
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = THUMBNAIL_PX;
    const scale = Math.min(width / (cols * view.width), height / (rows * view.height), 0.5);
    const canvas = create("canvas", { width: width * ratio, height: height * ratio, ariaHidden: "true" });
    const ctx = canvas.getContext("2d");
    ctx.scale(ratio * scale, ratio * scale);
    ctx.translate((width / scale - cols * view.width) / 2, (height / scale - rows * view.height) / 2);
    for (const cell of cells) {
      const [row, col] = board.position(cell);
      view.drawPiece(ctx, pieceOf(board.labels[cell]), 0, (col - left) * view.width, (row - top) * view.height, view.width, view.height);
    }
    return canvas;
  }
}
