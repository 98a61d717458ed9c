// Pointer and arrow keys on the board: pan and zoom, select, drag.

import { STEPS } from "./board.js";
import { warn } from "./status.js";

const ARROW_KEYS = { ArrowRight: 0, ArrowDown: 1, ArrowLeft: 2, ArrowUp: 3 };
const DRAG_THRESHOLD_PX = 4;
const ARROW_PAN_PX = 70;
const FOLLOW_MARGIN_PX = 40;

export class Selection {
  constructor() {
    this.cells = [];
    this.cursor = -1;
    this.anchor = -1; // the first corner of a block
    this.drag = null; // {cells, dx, dy}
    this.marquee = null; // [x, y, x, y]
    this.bare = false; // nothing may be drawn over the two cells
  }
}

export class Gestures {
  // editor: null while there is nothing to edit. onHover is called with a cell, and with its x and y unless it is -1.
  constructor(view, stage, selection, { onSelect, onHover }) {
    Object.assign(this, { view, stage, selection, onSelect, onHover, editor: null, press: null });
    this.fingers = new Map(); // pointer id -> [x, y]
    const on = (name, handle) => view.canvas.addEventListener(name, handle, { signal: view.signal });
    on("pointerdown", (event) => this.handleDown(event));
    on("pointermove", (event) => this.handleMove(event));
    on("pointerup", (event) => this.handleUp(event));
    on("pointercancel", (event) => this.handleUp(event, true));
    on("pointerleave", () => onHover(-1));
    on("dblclick", (event) => event.pointerType !== "touch" && view.camera.zoomAt(event.offsetX, event.offsetY, 1.8));
  }

  // --- pointer -------------------------------------------------------------------------------------------------

  handleDown(event) {
    const [x, y] = [event.offsetX, event.offsetY];
    this.view.canvas.setPointerCapture(event.pointerId);
    this.fingers.set(event.pointerId, [x, y]);
    const cell = this.editor ? this.view.cellAt(x, y) : -1;
    this.press = { x, y, cell, action: this._chooseAction(event, cell), moved: false };
  }

  // A drag moves a piece, and the background pans. A finger moves only what was tapped before, because on a small screen
  // there is hardly any background.
  _chooseAction(event, cell) {
    if (!this.editor || event.button !== 0) return "pan";
    if (event.shiftKey) return "marquee";
    const hasPiece = cell >= 0 && this.view.board.labels[cell] >= 0;
    return hasPiece && (event.pointerType !== "touch" || this.selection.cells.includes(cell)) ? "drag" : "pan";
  }

  handleMove(event) {
    const { press, fingers, view } = this;
    const now = [event.offsetX, event.offsetY];
    const before = fingers.get(event.pointerId);
    if (!before || !press) {
      this.onHover(this.editor ? view.cellAt(...now) : -1, ...now);
      return;
    }
    if (fingers.size === 2) {
      this.selection.drag = null;
      view.camera.pinch(fingers, event.pointerId, now);
      fingers.set(event.pointerId, now);
      press.moved = true;
      return;
    }
    fingers.set(event.pointerId, now);
    if (!press.moved && Math.hypot(now[0] - press.x, now[1] - press.y) < DRAG_THRESHOLD_PX) return;
    press.moved = true;
    this.onHover(-1);
    this.stage.classList.add("dragging");
    this._continue(before, now);
  }

  _continue(before, now) {
    const { press, selection, view } = this;
    const { camera } = view;
    if (press.action === "pan") {
      camera.pan(now[0] - before[0], now[1] - before[1]);
      return;
    }
    if (press.action === "drag") {
      if (!selection.cells.includes(press.cell)) this.select(this.editor.blockOf(press.cell), press.cell);
      selection.drag = { cells: selection.cells, dx: (now[0] - press.x) / camera.zoom, dy: (now[1] - press.y) / camera.zoom };
    } else {
      selection.marquee = [...camera.toWorld(press.x, press.y), ...camera.toWorld(...now)];
    }
    view.redraw();
  }

  handleUp(event, cancelled = false) {
    const { press, selection, view } = this;
    this.fingers.delete(event.pointerId);
    if (!press || this.fingers.size) return;
    this.press = null;
    this.stage.classList.remove("dragging");
    const { drag, marquee } = selection;
    [selection.drag, selection.marquee] = [null, null];
    if (cancelled) view.redraw();
    else if (drag) this.shift(drag.cells, Math.round(drag.dy / view.height), Math.round(drag.dx / view.width));
    else if (marquee) this.selectWithin(marquee);
    else if (!press.moved && this.editor) this.click(press.cell, event);
  }

  click(cell, event) {
    const { cells } = this.selection;
    if (cell < 0 || this.view.board.labels[cell] < 0) this.select([], -1);
    else if (event.shiftKey || event.ctrlKey || event.metaKey) {
      const others = cells.filter((one) => one !== cell);
      this.select(others.length < cells.length ? others : [...others, cell], cell);
    } else if (event.pointerType === "touch" && cells.length === 1 && this._areNeighbours(cells[0], cell)) this.select([...cells, cell], cell); // a joint
    else this.select([cell], cell);
  }

  _areNeighbours(a, b) {
    return [0, 1, 2, 3].some((direction) => this.view.board.neighbour(a, direction) === b);
  }

  // --- selection -----------------------------------------------------------------------------------------------

  // Move cells, and the selection with them.
  shift(cells, rows, cols) {
    if (!rows && !cols) return this.view.redraw();
    const { board } = this.view;
    const goals = cells.map((cell) => board.position(cell)).map(([row, col]) => [row + rows, col + cols]);
    const problem = this.editor.move(cells, rows, cols);
    if (problem) {
      warn(problem);
      return this.view.redraw();
    }
    const moved = goals.map((goal) => board.cellAt(...goal));
    return this.select(moved, this.selection.cursor < 0 ? -1 : moved[0]);
  }

  selectWithin([x0, y0, x1, y1]) {
    const { width, height, board } = this.view;
    const toRange = (a, b, size, end) => [Math.max(0, Math.floor(Math.min(a, b) / size)), Math.min(end - 1, Math.floor(Math.max(a, b) / size))];
    const cells = this._cellsBetween(toRange(y0, y1, height, board.rows), toRange(x0, x1, width, board.cols)).filter((cell) => board.labels[cell] >= 0);
    this.select(cells, cells[0] ?? -1);
  }

  selectAll() {
    const { board } = this.view;
    const cells = [...board.labels.keys()].filter((cell) => board.labels[cell] >= 0);
    this.select(cells, cells[0] ?? -1);
  }

  // Select the block between two corners.
  selectBlock(from, to) {
    const [[row0, col0], [row1, col1]] = [from, to].map((cell) => this.view.board.position(cell));
    this.select(this._cellsBetween([Math.min(row0, row1), Math.max(row0, row1)], [Math.min(col0, col1), Math.max(col0, col1)]), to);
    this.selection.anchor = from;
  }

  _cellsBetween([top, bottom], [left, right]) {
    const cells = [];
    for (let row = top; row <= bottom; row++) {
      for (let col = left; col <= right; col++) cells.push(this.view.board.cellAt(row, col));
    }
    return cells;
  }

  select(cells, cursor) {
    Object.assign(this.selection, { cells, cursor, bare: false });
    if (cells.length <= 1) this.selection.anchor = cursor;
    this.onSelect();
    this.view.redraw();
  }

  // --- keys ----------------------------------------------------------------------------------------------------

  // Returns whether the key was an arrow.
  handleArrow(event) {
    const direction = ARROW_KEYS[event.key];
    if (direction === undefined) return false;
    const { view, selection } = this;
    const [rows, cols] = STEPS[direction];
    if (!this.editor) {
      view.camera.pan(-ARROW_PAN_PX * cols, -ARROW_PAN_PX * rows);
      return true;
    }
    if (event.altKey) {
      if (selection.cells.length) this.shift(selection.cells, rows, cols);
      return true;
    }
    const centre = view.cellAt(view.camera.width / 2, view.camera.height / 2);
    const start = selection.cursor >= 0 ? selection.cursor : Math.max(0, centre);
    const next = selection.cursor >= 0 ? view.board.neighbour(start, direction) : start;
    if (next < 0) return true;
    if (event.shiftKey) this.selectBlock(selection.anchor >= 0 ? selection.anchor : start, next);
    else this.select([next], next);
    this.bringIntoView(next);
    return true;
  }

  bringIntoView(cell) {
    const { camera, width, height } = this.view;
    const [left, top] = this.view.cornerOf(cell);
    const [x, y] = [left + width / 2, top + height / 2];
    const [px, py] = camera.toScreen(x, y);
    const visible = Math.min(px, py, camera.width - px, camera.height - py) >= FOLLOW_MARGIN_PX;
    if (!visible) camera.moveTo(x, y, camera.zoom);
  }
}
