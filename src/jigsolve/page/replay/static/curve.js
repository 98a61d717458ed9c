// The consistency (ALC) over time, as a small curve; stages are marked by fine lines.

export class Curve {
  constructor(canvas) {
    this.canvas = canvas;
    this.clear();
  }

  clear() {
    this.points = [];
    this.stages = [];
    this.now = 0;
    this.draw();
  }

  hear(entry) {
    this.now = Math.max(this.now, entry.t);
    if (entry.stage) this.stages.push(entry.t);
    if (entry.consistency !== undefined) this.points.push([entry.t, entry.consistency]);
  }

  draw() {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    const pen = this.canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim() || "#888";
    const last = this.points.at(-1);
    this.canvas.setAttribute("aria-label", last ? `Consistency ${last[1].toFixed(1)}` : "Consistency: nothing laid out yet");
    const end = Math.max(this.now, 0.5);
    const values = this.points.map((point) => point[1]);
    let [low, high] = [Math.min(...values), Math.max(...values)];
    if (!values.length) [low, high] = [0, 1];
    if (high - low < 1e-6 * Math.abs(high) + 1e-9) low = high - Math.max(1, Math.abs(high) * 0.02);
    const x = (t) => 1 + (t / end) * (width - 6);
    const y = (value) => height - 5 - ((value - low) / (high - low)) * (height - 14);
    pen.strokeStyle = colour("line");
    pen.lineWidth = 1;
    for (const t of this.stages) {
      pen.beginPath();
      pen.moveTo(Math.round(x(t)) + 0.5, 2);
      pen.lineTo(Math.round(x(t)) + 0.5, height - 2);
      pen.stroke();
    }
    if (!last) return;
    pen.strokeStyle = colour("accent");
    pen.lineWidth = 2;
    pen.lineJoin = "round";
    pen.beginPath();
    this.points.forEach(([t, value], k) => {
      if (k === 0) pen.moveTo(x(t), y(value));
      else {
        pen.lineTo(x(t), y(this.points[k - 1][1])); // it stays until it rises
        pen.lineTo(x(t), y(value));
      }
    });
    pen.lineTo(x(end), y(last[1]));
    pen.stroke();
    pen.fillStyle = colour("accent");
    pen.beginPath();
    pen.arc(x(end), y(last[1]), 3, 0, 7);
    pen.fill();
  }
}
