// The consistency (ALC) over time as a small curve. Thin vertical lines mark the stages.

export class Curve {
  constructor(canvas) {
    this.canvas = canvas;
    this.clear();
  }

  clear() {
    this.points = []; // [seconds, consistency]
    this.stages = []; // seconds
    this.end = 0;
    this.draw();
  }

  add(entry) {
    this.end = Math.max(this.end, entry.t);
    if (entry.stage) this.stages.push(entry.t);
    if (entry.consistency !== undefined) this.points.push([entry.t, entry.consistency]);
  }

  // The last consistency as text.
  get value() {
    return this.points.at(-1)?.[1].toFixed(1) ?? "";
  }

  draw() {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    this.canvas.setAttribute("aria-label", this.value ? `Consistency ${this.value}` : "Consistency: nothing laid out yet");
    const ctx = this.canvas.getContext("2d");
    ctx.scale(ratio, ratio);
    const end = Math.max(this.end, 0.5);
    const values = this.points.map((point) => point[1]);
    let [low, high] = [Math.min(...values), Math.max(...values)];
    if (!values.length) [low, high] = [0, 1];
    if (high - low < 1e-6 * Math.abs(high) + 1e-9) low = high - Math.max(1, Math.abs(high) * 0.02);
    const x = (t) => 1 + (t / end) * (width - 6);
    const y = (value) => height - 5 - ((value - low) / (high - low)) * (height - 14);
    const { color, borderTopColor } = getComputedStyle(this.canvas);
    this._drawStages(ctx, x, height, borderTopColor);
    if (values.length) this._drawSteps(ctx, x, y, end, color);
  }

  _drawStages(ctx, x, height, colour) {
    ctx.strokeStyle = colour;
    ctx.lineWidth = 1;
    for (const t of this.stages) {
      ctx.beginPath();
      ctx.moveTo(Math.round(x(t)) + 0.5, 2);
      ctx.lineTo(Math.round(x(t)) + 0.5, height - 2);
      ctx.stroke();
    }
  }

  _drawSteps(ctx, x, y, end, colour) {
    const last = y(this.points.at(-1)[1]);
    ctx.strokeStyle = ctx.fillStyle = colour;
    ctx.lineWidth = 2;
    ctx.lineJoin = "round";
    ctx.beginPath();
    this.points.forEach(([t, value], k) => {
      if (k > 0) ctx.lineTo(x(t), y(this.points[k - 1][1]));
      ctx.lineTo(x(t), y(value));
    });
    ctx.lineTo(x(end), last);
    ctx.stroke();
    ctx.beginPath();
    ctx.arc(x(end), last, 3, 0, 7);
    ctx.fill();
  }
}
