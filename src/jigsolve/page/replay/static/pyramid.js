// An image pyramid: a picture in sizes that halve. Drawing the level that fits the zoom is fast and does not flicker.

const MIN_LEVEL_PX = 256;
const MAX_DIRTY_RECTS = 1500; // if more have changed, all pixels are drawn again

export function makeCanvas(width, height) {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(width));
  canvas.height = Math.max(1, Math.round(height));
  return canvas;
}

export class Pyramid {
  // source: a canvas or a bitmap. scale: its pixels per world unit.
  constructor(source, scale) {
    this.source = source;
    this.scale = scale;
    this.levels = [source];
    while (Math.max(this.levels.at(-1).width, this.levels.at(-1).height) >= 2 * MIN_LEVEL_PX) {
      const above = this.levels.at(-1);
      this.levels.push(makeCanvas(Math.ceil(above.width / 2), Math.ceil(above.height / 2)));
    }
    this.dirty = []; // [left, top, right, bottom] in pixels of the source
    this.stale = true;
  }

  // Record that the source has changed here.
  touch(x, y, width, height) {
    if (this.dirty.length <= MAX_DIRTY_RECTS) this.dirty.push([x, y, x + width, y + height]);
  }

  refresh() {
    if (!this.stale && this.dirty.length === 0) return;
    const everything = this.stale || this.dirty.length > MAX_DIRTY_RECTS;
    const rects = everything ? [[0, 0, this.source.width, this.source.height]] : this.dirty;
    for (let k = 1; k < this.levels.length; k++) {
      const [from, to] = [this.levels[k - 1], this.levels[k]];
      const ctx = to.getContext("2d");
      ctx.imageSmoothingQuality = "low"; // exact for a half
      for (const [x0, y0, x1, y1] of rects) {
        const [left, top] = [Math.floor(x0 / 2 ** k), Math.floor(y0 / 2 ** k)];
        const [right, bottom] = [Math.ceil(x1 / 2 ** k), Math.ceil(y1 / 2 ** k)];
        ctx.clearRect(left, top, right - left, bottom - top);
        const [width, height] = [Math.min(2 * right, from.width) - 2 * left, Math.min(2 * bottom, from.height) - 2 * top];
        if (width > 0 && height > 0) ctx.drawImage(from, 2 * left, 2 * top, width, height, left, top, width / 2, height / 2);
      }
    }
    this.dirty = [];
    this.stale = false;
  }

  // Draw what is visible in a rectangle, in world units from the picture's corner.
  draw(ctx, pixelsPerUnit, [left, top, right, bottom]) {
    let level = 0;
    while (level + 1 < this.levels.length && this.scale / 2 ** (level + 1) >= pixelsPerUnit) level++;
    const image = this.levels[level];
    const perUnit = this.scale / 2 ** level;
    const x0 = Math.max(0, Math.floor(left * perUnit) - 1);
    const y0 = Math.max(0, Math.floor(top * perUnit) - 1);
    const x1 = Math.min(image.width, Math.ceil(right * perUnit) + 1);
    const y1 = Math.min(image.height, Math.ceil(bottom * perUnit) + 1);
    if (x1 <= x0 || y1 <= y0) return;
    ctx.drawImage(image, x0, y0, x1 - x0, y1 - y0, x0 / perUnit, y0 / perUnit, (x1 - x0) / perUnit, (y1 - y0) / perUnit);
  }
}
