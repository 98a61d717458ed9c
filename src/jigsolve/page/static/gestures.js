// Pointer and keys on the board: look around, select, drag.

import { STEPS } from "./board.js";

const ARROWS = { ArrowRight: 0, ArrowDown: 1, ArrowLeft: 2, ArrowUp: 3 };
const FAR = 4; // pixels that make a drag of a click

export class Selection {
  constructor() {
    this.cells = [];
    this.cursor = -1;
    this.from = -1; // where a block began
    this.drag = null;
    this.marquee = null;
  }
}

export class Gestures {
  // edit: null while there is nothing to edit. told: {selected(), hover(cell, x, y), say(text)}
  constructor(view, stage, selection, told) {
    Object.assign(this, { view, stage, selection, told, edit: null, arranging: false, down: null });
    this.fingers = new Map();
    const on = (name, handle) => view.canvas.addEventListener(name, handle, { signal: view.ended });
    on("pointerdown", (event) => this.press(event));
    on("pointermove", (event) => this.moveTo(event));
    on("pointerup", (event) => this.release(event));
    on("pointercancel", (event) => this.release(event, true));
    on("pointerleave", () => told.hover(-1));
    on("dblclick", (event) => view.camera.zoomAt(event.offsetX, event.offsetY, 1.8));
  }

  press(event) {
    this.view.canvas.setPointerCapture(event.pointerId);
    this.fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
    const cell = this.edit ? this.view.cellAt(event.offsetX, event.offsetY) : -1;
    const moves = this.edit && this.arranging && event.button === 0;
    const what = moves && event.shiftKey ? "marquee" : moves && cell >= 0 && this.view.board.labels[cell] >= 0 ? "drag" : "pan";
    this.down = { x: event.offsetX, y: event.offsetY, cell, what, far: false };
  }

  moveTo(event) {
    const { camera } = this.view;
    const now = [event.offsetX, event.offsetY];
    const before = this.fingers.get(event.pointerId);
    if (!before || !this.down) {
      this.told.hover(this.edit ? this.view.cellAt(...now) : -1, ...now);
      return;
    }
    this.fingers.set(event.pointerId, now);
    if (this.fingers.size === 2) {
      const other = [...this.fingers].find(([id]) => id !== event.pointerId)[1];
      const apart = (a) => Math.hypot(a[0] - other[0], a[1] - other[1]) || 1;
      camera.zoomAt((now[0] + other[0]) / 2, (now[1] + other[1]) / 2, apart(now) / apart(before));
      this.down.far = true;
      return;
    }
    if (!this.down.far && Math.hypot(now[0] - this.down.x, now[1] - this.down.y) < FAR) return;
    this.down.far = true;
    this.told.hover(-1);
    this.stage.classList.add("dragging");
    if (this.down.what === "pan") camera.pan(now[0] - before[0], now[1] - before[1]);
    else if (this.down.what === "drag") {
      const { selection } = this;
      if (!selection.cells.includes(this.down.cell)) this.select([this.down.cell], this.down.cell);
      selection.drag = { cells: selection.cells, dx: (now[0] - this.down.x) / camera.zoom, dy: (now[1] - this.down.y) / camera.zoom };
      this.view.redraw();
    } else {
      this.selection.marquee = [...camera.toWorld(this.down.x, this.down.y), ...camera.toWorld(...now)];
      this.view.redraw();
    }
  }

  release(event, given_up = false) {
    const { down, selection, view } = this;
    this.fingers.delete(event.pointerId);
    if (!down || this.fingers.size) return;
    this.down = null;
    this.stage.classList.remove("dragging");
    const { drag, marquee } = selection;
    [selection.drag, selection.marquee] = [null, null];
    if (given_up) view.redraw();
    else if (drag) this.drop(drag);
    else if (marquee) this.within(marquee);
    else if (!down.far && this.edit) this.click(down.cell, event);
  }

  click(cell, event) {
    const { selection } = this;
    if (cell < 0 || this.view.board.labels[cell] < 0) this.select([], -1);
    else if (event.shiftKey || event.ctrlKey || event.metaKey) {
      const rest = selection.cells.filter((one) => one !== cell);
      this.select(rest.length < selection.cells.length ? rest : [...rest, cell], cell);
    } else this.select([cell], cell);
  }

  drop({ cells, dx, dy }) {
    const [cols, rows] = [Math.round(dx / this.view.width), Math.round(dy / this.view.height)];
    this.shift(cells, rows, cols);
  }

  // Move cells; what is selected goes with them.
  shift(cells, rows, cols) {
    if (!rows && !cols) return this.view.redraw();
    const why = this.edit.move(cells, rows, cols);
    if (why) {
      this.told.say(why, true);
      return this.view.redraw();
    }
    const by = rows * this.view.board.cols + cols;
    return this.select(cells.map((cell) => cell + by), this.selection.cursor < 0 ? -1 : cells[0] + by);
  }

  within([x0, y0, x1, y1]) {
    const { view } = this;
    const { board } = view;
    const [left, right] = [Math.min(x0, x1) / view.width, Math.max(x0, x1) / view.width].map(Math.floor);
    const [top, bottom] = [Math.min(y0, y1) / view.height, Math.max(y0, y1) / view.height].map(Math.floor);
    const cells = [];
    for (let row = Math.max(0, top); row <= Math.min(board.rows - 1, bottom); row++) {
      for (let col = Math.max(0, left); col <= Math.min(board.cols - 1, right); col++) {
        if (board.labels[row * board.cols + col] >= 0) cells.push(row * board.cols + col);
      }
    }
    this.select(cells, cells[0] ?? -1);
  }

  select(cells, cursor) {
    this.selection.cells = cells;
    this.selection.cursor = cursor;
    if (cells.length <= 1) this.selection.from = cursor;
    this.told.selected();
    this.view.redraw();
  }

  // Arrow keys; was it ours?
  arrow(event) {
    const d = ARROWS[event.key];
    if (d === undefined) return false;
    const { view, selection } = this;
    const [rows, cols] = STEPS[d];
    if (!this.edit) {
      view.camera.pan(-70 * cols, -70 * rows);
      return true;
    }
    if (event.altKey) {
      if (selection.cells.length) this.shift(selection.cells, rows, cols);
      return true;
    }
    const middle = view.cellAt(view.camera.width / 2, view.camera.height / 2);
    const start = selection.cursor >= 0 ? selection.cursor : Math.max(0, middle);
    const next = selection.cursor >= 0 ? view.board.neighbour(start, d) : start;
    if (next < 0) return true;
    if (event.shiftKey) this.block(selection.from >= 0 ? selection.from : start, next);
    else this.select([next], next);
    this.follow(next);
    return true;
  }

  // All cells between two corners.
  block(from, to) {
    const { cols } = this.view.board;
    const [rows, lines] = [[from, to].map((cell) => Math.floor(cell / cols)), [from, to].map((cell) => cell % cols)];
    const cells = [];
    for (let row = Math.min(...rows); row <= Math.max(...rows); row++) {
      for (let col = Math.min(...lines); col <= Math.max(...lines); col++) cells.push(row * cols + col);
    }
    this.selection.from = from;
    this.select(cells, to);
    this.selection.from = from;
  }

  // Bring a cell into sight.
  follow(cell) {
    const { camera } = this.view;
    const [x, y] = this.view.corner(cell);
    const [px, py] = camera.toScreen(x + this.view.width / 2, y + this.view.height / 2);
    if (px < 40 || py < 40 || px > camera.width - 40 || py > camera.height - 40) {
      camera.go(x + this.view.width / 2, y + this.view.height / 2, camera.zoom);
    }
  }
}
