// A picture that is still whole, with the cuts that would be made.

import { byId, show } from "./dom.js";

const MARGIN_PX = 28;

export class Preview {
  constructor() {
    this.canvas = byId("preview");
    this.image = null;
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  // image: null hides the preview. size: [width, height] of the picture in pixels, of which the image may have fewer.
  set(image, size = null) {
    Object.assign(this, { image, size });
    show("preview", image);
    show("zoom", !image);
    this.draw();
  }

  // piece: [width, height]
  setPiece(piece) {
    this.piece = piece;
    this.draw();
  }

  draw() {
    const { canvas, image, size, piece } = this;
    if (!image || !piece) return;
    const ratio = window.devicePixelRatio || 1;
    [canvas.width, canvas.height] = [canvas.clientWidth * ratio, canvas.clientHeight * ratio];
    const ctx = canvas.getContext("2d");
    const scale = Math.min((canvas.clientWidth - 2 * MARGIN_PX) / size[0], (canvas.clientHeight - 2 * MARGIN_PX) / size[1]) * ratio;
    const [width, height] = size.map((length) => length * scale);
    ctx.translate((canvas.width - width) / 2, (canvas.height - height) / 2);
    ctx.imageSmoothingQuality = "high";
    ctx.drawImage(image, 0, 0, width, height);
    const [cols, rows] = size.map((length, k) => Math.floor(length / piece[k]));
    if (Math.min(...piece) * scale < 3) return; // lines would cover the picture
    const path = new Path2D();
    for (let col = 0; col <= cols; col++) path.rect(col * piece[0] * scale, 0, 0, rows * piece[1] * scale);
    for (let row = 0; row <= rows; row++) path.rect(0, row * piece[1] * scale, cols * piece[0] * scale, 0);
    ctx.strokeStyle = "rgb(0 0 0 / 45%)";
    ctx.lineWidth = 2 * ratio;
    ctx.stroke(path);
    ctx.strokeStyle = "#ffffff";
    ctx.lineWidth = ratio;
    ctx.stroke(path);
  }
}
