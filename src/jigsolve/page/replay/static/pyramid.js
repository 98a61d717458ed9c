// A picture in halving sizes: the one that fits the zoom is drawn, which is quick and does not flicker.

const SMALLEST = 256;
const FEW = 1500; // patches that are mended one by one; of more, everything is

export function makeCanvas(width, height) {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(width));
  canvas.height = Math.max(1, Math.round(height));
  return canvas;
}

export class Pyramid {
  // source: a canvas or a bitmap, whose pixels are `scale` to a unit of the world.
  constructor(source, scale) {
    this.source = source;
    this.scale = scale;
    this.levels = [source];
    while (Math.max(this.levels.at(-1).width, this.levels.at(-1).height) >= 2 * SMALLEST) {
      const above = this.levels.at(-1);
      this.levels.push(makeCanvas(Math.ceil(above.width / 2), Math.ceil(above.height / 2)));
    }
    this.patches = [];
    this.stale = true;
  }

  // The source was changed here.
  touch(x, y, width, height) {
    if (this.patches.length <= FEW) this.patches.push([x, y, x + width, y + height]);
  }

  refresh() {
    if (!this.stale && this.patches.length === 0) return;
    const everything = this.stale || this.patches.length > FEW;
    const patches = everything ? [[0, 0, this.source.width, this.source.height]] : this.patches;
    for (let k = 1; k < this.levels.length; k++) {
      const [from, to] = [this.levels[k - 1], this.levels[k]];
      const pen = to.getContext("2d");
      pen.imageSmoothingQuality = "low"; // exact for a half
      for (const [x0, y0, x1, y1] of patches) {
        const [left, top] = [Math.floor(x0 / 2 ** k), Math.floor(y0 / 2 ** k)];
        const [right, bottom] = [Math.ceil(x1 / 2 ** k), Math.ceil(y1 / 2 ** k)];
        pen.clearRect(left, top, right - left, bottom - top);
        const [width, height] = [Math.min(2 * right, from.width) - 2 * left, Math.min(2 * bottom, from.height) - 2 * top];
        if (width > 0 && height > 0) pen.drawImage(from, 2 * left, 2 * top, width, height, left, top, width / 2, height / 2);
      }
    }
    this.patches = [];
    this.stale = false;
  }

  // Draw what the window (in world units, from the picture's corner) shows, into the same window of the pen's space.
  draw(pen, pixelsPerUnit, left, top, right, bottom) {
    let level = 0;
    while (level + 1 < this.levels.length && this.scale / 2 ** (level + 1) >= pixelsPerUnit) level++;
    const image = this.levels[level];
    const perUnit = this.scale / 2 ** level;
    const x0 = Math.max(0, Math.floor(left * perUnit) - 1);
    const y0 = Math.max(0, Math.floor(top * perUnit) - 1);
    const x1 = Math.min(image.width, Math.ceil(right * perUnit) + 1);
    const y1 = Math.min(image.height, Math.ceil(bottom * perUnit) + 1);
    if (x1 <= x0 || y1 <= y0) return;
    pen.drawImage(image, x0, y0, x1 - x0, y1 - y0, x0 / perUnit, y0 / perUnit, (x1 - x0) / perUnit, (y1 - y0) / perUnit);
  }
}
