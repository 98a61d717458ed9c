// The grid and the pieces in its cells. A label is 4 * piece + turn, a side id is 4 * piece + side.

export const HOLE = -1;
export const SIDES = ["right", "down", "left", "up"];
export const STEPS = [[0, 1], [1, 0], [0, -1], [-1, 0]]; // rows and columns, for each direction

export const pieceOf = (label) => label >> 2; // takes a label or a side id
export const turnOf = (label) => label & 3;
export const directionOf = (side, turn) => (side + turn) & 3; // takes a side or a side id

// The labels of all cells of a layout file.
export function labelsOf(layout) {
  const turns = layout.turns.flat();
  return Int32Array.from(layout.pieces.flat(), (piece, cell) => (piece === null ? HOLE : 4 * piece + turns[cell]));
}

export class Board {
  constructor(n, rows, cols) {
    this.n = n;
    this.rows = rows;
    this.cols = cols;
    this.labels = new Int32Array(rows * cols).fill(HOLE);
    this.cellOf = new Int32Array(n).fill(-1);
    this.touched = new Set(); // cells that have changed since the last takeChanges()
    this.moved = new Map(); // piece -> its cell and turn at that time
  }

  // Cells that remain keep their labels.
  resize(rows, cols) {
    if (rows === this.rows && cols === this.cols) return;
    const [oldLabels, oldRows, oldCols] = [this.labels, this.rows, this.cols];
    this.rows = rows;
    this.cols = cols;
    this.labels = new Int32Array(rows * cols).fill(HOLE);
    this.cellOf.fill(-1);
    for (let row = 0; row < Math.min(rows, oldRows); row++) {
      for (let col = 0; col < Math.min(cols, oldCols); col++) {
        const label = oldLabels[row * oldCols + col];
        if (label === HOLE) continue;
        this.labels[row * cols + col] = label;
        this.cellOf[pieceOf(label)] = row * cols + col;
      }
    }
    this.takeChanges();
  }

  // More pieces than before.
  extend(n) {
    if (n <= this.n) return;
    const cellOf = new Int32Array(n).fill(-1);
    cellOf.set(this.cellOf);
    Object.assign(this, { n, cellOf });
  }

  put(cell, label) {
    const before = this.labels[cell];
    if (before === label) return;
    if (before !== HOLE && this.cellOf[pieceOf(before)] === cell) {
      this._rememberOrigin(pieceOf(before));
      this.cellOf[pieceOf(before)] = -1;
    }
    if (label !== HOLE) {
      const piece = pieceOf(label);
      this._rememberOrigin(piece);
      const from = this.cellOf[piece];
      if (from >= 0 && from !== cell) {
        this.labels[from] = HOLE;
        this.touched.add(from);
      }
      this.cellOf[piece] = cell;
    }
    this.labels[cell] = label;
    this.touched.add(cell);
  }

  _rememberOrigin(piece) {
    if (this.moved.has(piece)) return;
    const cell = this.cellOf[piece];
    this.moved.set(piece, { cell, turn: cell < 0 ? 0 : turnOf(this.labels[cell]) });
  }

  // What has changed since the last call.
  takeChanges() {
    const changes = { touched: this.touched, moved: this.moved };
    this.touched = new Set();
    this.moved = new Map();
    return changes;
  }

  clear() {
    for (let cell = 0; cell < this.labels.length; cell++) this.put(cell, HOLE);
  }

  position(cell) {
    return [Math.floor(cell / this.cols), cell % this.cols];
  }

  // The cell at a position, -1 outside the grid.
  cellAt(row, col) {
    return row < 0 || col < 0 || row >= this.rows || col >= this.cols ? -1 : row * this.cols + col;
  }

  neighbour(cell, direction) {
    const [row, col] = this.position(cell);
    return this.cellAt(row + STEPS[direction][0], col + STEPS[direction][1]);
  }

  // The side id that a cell's piece shows in a direction, -1 in a hole.
  sideAt(cell, direction) {
    const label = this.labels[cell];
    return label === HOLE ? -1 : 4 * pieceOf(label) + ((direction - turnOf(label)) & 3);
  }

  // Apply a timeline entry. Returns the cells that pieces moved to, in order.
  apply(entry) {
    const changes = entry.anchored ?? entry.changed;
    if (!changes) return [];
    let [rows, cols] = [entry.rows ?? this.rows, entry.cols ?? this.cols];
    if (entry.anchored) {
      for (let k = 0; k < changes.length; k += 3) {
        rows = Math.max(rows, changes[k] + 1);
        cols = Math.max(cols, changes[k + 1] + 1);
      }
    }
    this.resize(rows, cols);
    const cells = [];
    for (let k = 0; k < changes.length; k += 3) {
      const cell = changes[k] * this.cols + changes[k + 1];
      if (this.labels[cell] !== changes[k + 2]) cells.push(cell);
      this.put(cell, changes[k + 2]);
    }
    return cells;
  }
}
