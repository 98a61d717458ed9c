// What part of the world is seen; glides when asked to. Fingers, wheel and keys move it.

const FARTHEST = 0.02;
const NEAREST = 16;

export class Camera {
  constructor(canvas, changed, ended) {
    this.canvas = canvas;
    this.changed = changed;
    this.x = 0; // the middle of what is seen, in world units
    this.y = 0;
    this.zoom = 1; // CSS pixels to a unit
    this.fitted = null; // the rectangle that was asked for, until somebody moves
    this.glide = null;
    this.still = window.matchMedia("(prefers-reduced-motion: reduce)");
    this._wheel(ended);
  }

  get width() { return this.canvas.clientWidth; }
  get height() { return this.canvas.clientHeight; }

  toWorld(px, py) {
    return [this.x + (px - this.width / 2) / this.zoom, this.y + (py - this.height / 2) / this.zoom];
  }

  toScreen(x, y) {
    return [(x - this.x) * this.zoom + this.width / 2, (y - this.y) * this.zoom + this.height / 2];
  }

  // Show a rectangle (x, y, width, height) as large as it can be.
  fit(rect, glides = true, pad = 36) {
    this.fitted = rect;
    const [x, y, width, height] = rect;
    const zoom = Math.min((this.width - 2 * pad) / width, (this.height - 2 * pad) / height, 4);
    this.go(x + width / 2, y + height / 2, Math.max(FARTHEST, zoom), glides);
  }

  refit() {
    if (this.fitted) this.fit(this.fitted, false);
  }

  go(x, y, zoom, glides = true) {
    if (!glides || this.still.matches) {
      [this.x, this.y, this.zoom, this.glide] = [x, y, zoom, null];
    } else {
      this.glide = { from: [this.x, this.y, Math.log(this.zoom)], to: [x, y, Math.log(zoom)], since: performance.now() };
    }
    this.changed();
  }

  // One step of a glide; is there more to come?
  step(now) {
    if (!this.glide) return false;
    const share = Math.min(1, (now - this.glide.since) / 420);
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
    this.changed();
  }

  // Zoom by a factor about a point of the screen.
  zoomAt(px, py, factor) {
    this.fitted = null;
    this.glide = null;
    const [x, y] = this.toWorld(px, py);
    this.zoom = Math.min(NEAREST, Math.max(FARTHEST, this.zoom * factor));
    this.x = x - (px - this.width / 2) / this.zoom;
    this.y = y - (py - this.height / 2) / this.zoom;
    this.changed();
  }

  zoomBy(factor) {
    this.zoomAt(this.width / 2, this.height / 2, factor);
  }

  _wheel(signal) {
    this.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const unit = event.deltaMode === 1 ? 18 : 1;
      if (event.shiftKey) this.pan(-event.deltaY * unit, 0);
      else this.zoomAt(event.offsetX, event.offsetY, Math.exp(-event.deltaY * unit * (event.ctrlKey ? 0.01 : 0.0016)));
    }, { passive: false, signal });
  }
}

// Drag to pan, two fingers to zoom. `busy` says whether somebody else is using the pointer.
export function draggable(camera, busy = () => false) {
  const fingers = new Map();
  const canvas = camera.canvas;
  canvas.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const now = [event.offsetX, event.offsetY];
    if (fingers.size === 2) {
      const other = [...fingers].find(([id]) => id !== event.pointerId)[1];
      const apart = (a) => Math.hypot(a[0] - other[0], a[1] - other[1]) || 1;
      camera.zoomAt((now[0] + other[0]) / 2, (now[1] + other[1]) / 2, apart(now) / apart(before));
    } else if (!busy()) {
      camera.pan(now[0] - before[0], now[1] - before[1]);
    }
    fingers.set(event.pointerId, now);
  });
  for (const end of ["pointerup", "pointercancel", "pointerleave"]) {
    canvas.addEventListener(end, (event) => fingers.delete(event.pointerId));
  }
}
