// The visible part of the world, and how wheel, pointer and keys move it.

const MIN_ZOOM = 0.02;
const MAX_ZOOM = 16;
const MAX_FIT_ZOOM = 4;
const GLIDE_MS = 420;

export class Camera {
  constructor(canvas, onChange, signal) {
    this.canvas = canvas;
    this.onChange = onChange;
    this.x = 0; // the centre of the canvas, in world units
    this.y = 0;
    this.zoom = 1; // CSS pixels per world unit
    this.top = 0; // pixels at the top that something covers
    this.fitted = null; // the rectangle to keep in view, until a person moves the camera
    this.glide = null; // a movement in progress
    this.reducedMotion = window.matchMedia("(prefers-reduced-motion: reduce)");
    this._listenToWheel(signal);
  }

  get width() { return this.canvas.clientWidth; }
  get height() { return this.canvas.clientHeight; }

  toWorld(px, py) {
    return [this.x + (px - this.width / 2) / this.zoom, this.y + (py - this.height / 2) / this.zoom];
  }

  toScreen(x, y) {
    return [(x - this.x) * this.zoom + this.width / 2, (y - this.y) * this.zoom + this.height / 2];
  }

  // Show a rectangle [x, y, width, height] as large as possible.
  fit(rect, animate = true, padding = 36) {
    this.fitted = rect;
    const [x, y, width, height] = rect;
    const fitting = Math.min((this.width - 2 * padding) / width, (this.height - 2 * padding - this.top) / height, MAX_FIT_ZOOM);
    const zoom = Math.max(MIN_ZOOM, fitting);
    this.moveTo(x + width / 2, y + height / 2 - this.top / 2 / zoom, zoom, animate);
  }

  refit() {
    if (this.fitted) this.fit(this.fitted, false);
  }

  moveTo(x, y, zoom, animate = true) {
    if (!animate || this.reducedMotion.matches) {
      [this.x, this.y, this.zoom, this.glide] = [x, y, zoom, null];
    } else {
      this.glide = { from: [this.x, this.y, Math.log(this.zoom)], to: [x, y, Math.log(zoom)], start: performance.now() };
    }
    this.onChange();
  }

  // Advance a movement in progress. Returns whether it goes on.
  step(now) {
    if (!this.glide) return false;
    const share = Math.min(1, (now - this.glide.start) / GLIDE_MS);
    const eased = 1 - (1 - share) ** 3;
    const [x, y, zoom] = this.glide.from.map((value, k) => value + (this.glide.to[k] - value) * eased);
    [this.x, this.y, this.zoom] = [x, y, Math.exp(zoom)];
    if (share >= 1) this.glide = null;
    return this.glide !== null;
  }

  pan(dx, dy) {
    this.fitted = null;
    this.glide = null;
    this.x -= dx / this.zoom;
    this.y -= dy / this.zoom;
    this.onChange();
  }

  // Zoom by a factor around a point of the screen.
  zoomAt(px, py, factor) {
    this.fitted = null;
    this.glide = null;
    const [x, y] = this.toWorld(px, py);
    this.zoom = Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, this.zoom * factor));
    this.x = x - (px - this.width / 2) / this.zoom;
    this.y = y - (py - this.height / 2) / this.zoom;
    this.onChange();
  }

  zoomBy(factor) {
    this.zoomAt(this.width / 2, this.height / 2, factor);
  }

  // One of two fingers has moved. fingers: pointer id -> position before the move.
  pinch(fingers, pointerId, [x, y]) {
    const [x0, y0] = fingers.get(pointerId);
    const [otherX, otherY] = [...fingers].find(([id]) => id !== pointerId)[1];
    const factor = (Math.hypot(x - otherX, y - otherY) || 1) / (Math.hypot(x0 - otherX, y0 - otherY) || 1);
    this.zoomAt((x + otherX) / 2, (y + otherY) / 2, factor);
  }

  _listenToWheel(signal) {
    this.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const unit = event.deltaMode === 1 ? 18 : 1;
      if (event.shiftKey) this.pan(-event.deltaY * unit, 0);
      else this.zoomAt(event.offsetX, event.offsetY, Math.exp(-event.deltaY * unit * (event.ctrlKey ? 0.01 : 0.0016)));
    }, { passive: false, signal });
  }
}

// Drag to pan, two fingers to zoom.
export function enableDragging(camera) {
  const fingers = new Map();
  const { canvas } = camera;
  canvas.addEventListener("pointerdown", (event) => fingers.set(event.pointerId, [event.offsetX, event.offsetY]));
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const now = [event.offsetX, event.offsetY];
    if (fingers.size === 2) camera.pinch(fingers, event.pointerId, now);
    else camera.pan(now[0] - before[0], now[1] - before[1]);
    fingers.set(event.pointerId, now);
  });
  for (const end of ["pointerup", "pointercancel", "pointerleave"]) {
    canvas.addEventListener(end, (event) => fingers.delete(event.pointerId));
  }
}
