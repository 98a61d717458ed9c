// Where every piece lies: in a cell of the board, or at home on the sheet. A label is 4 * piece + turn.

export const HOLE = -1;
export const SIDES = ["right", "down", "left", "up"];
export const STEPS = [[0, 1], [1, 0], [0, -1], [-1, 0]];

export class Board {
  constructor(n, rows, cols) {
    this.n = n;
    this.rows = rows;
    this.cols = cols;
    this.labels = new Int32Array(rows * cols).fill(HOLE);
    this.cellOf = new Int32Array(n).fill(-1);
    this.touched = new Set(); // cells, since they were last taken
    this.moved = new Map(); // piece -> its label and cell before, likewise
  }

  // More rows or columns, or fewer that are empty; what lies there stays.
  resize(rows, cols) {
    if (rows === this.rows && cols === this.cols) return;
    const old = this.labels;
    const [height, width] = [this.rows, this.cols];
    this.rows = rows;
    this.cols = cols;
    this.labels = new Int32Array(rows * cols).fill(HOLE);
    this.cellOf.fill(-1);
    for (let row = 0; row < Math.min(rows, height); row++) {
      for (let col = 0; col < Math.min(cols, width); col++) {
        const label = old[row * width + col];
        if (label !== HOLE) {
          this.labels[row * cols + col] = label;
          this.cellOf[label >> 2] = row * cols + col;
        }
      }
    }
    this.touched.clear();
    this.moved.clear();
  }

  put(cell, label) {
    const before = this.labels[cell];
    if (before === label) return;
    if (before !== HOLE && this.cellOf[before >> 2] === cell) {
      this._remember(before >> 2);
      this.cellOf[before >> 2] = -1;
    }
    if (label !== HOLE) {
      const piece = label >> 2;
      this._remember(piece);
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

  _remember(piece) {
    if (this.moved.has(piece)) return;
    const cell = this.cellOf[piece];
    this.moved.set(piece, { cell, turn: cell < 0 ? 0 : this.labels[cell] & 3 });
  }

  // What changed since this was last asked.
  taken() {
    const changes = { touched: this.touched, moved: this.moved };
    this.touched = new Set();
    this.moved = new Map();
    return changes;
  }

  clear() {
    for (let cell = 0; cell < this.labels.length; cell++) this.put(cell, HOLE);
  }

  neighbour(cell, d) {
    const row = Math.floor(cell / this.cols) + STEPS[d][0];
    const col = (cell % this.cols) + STEPS[d][1];
    return row < 0 || col < 0 || row >= this.rows || col >= this.cols ? -1 : row * this.cols + col;
  }

  // The side (4 * piece + side) that a cell's piece shows in direction d, -1 in a hole.
  side(cell, d) {
    const label = this.labels[cell];
    return label === HOLE ? -1 : (label >> 2) * 4 + ((d - (label & 3)) & 3);
  }

  // One entry of a story; returns the cells that pieces came to, in order.
  apply(entry) {
    const told = entry.placed ?? entry.laid;
    if (!told) return [];
    let [rows, cols] = [entry.rows ?? this.rows, entry.cols ?? this.cols];
    if (entry.placed) {
      for (let k = 0; k < told.length; k += 3) {
        rows = Math.max(rows, told[k] + 1);
        cols = Math.max(cols, told[k + 1] + 1);
      }
    }
    this.resize(rows, cols);
    const cells = [];
    for (let k = 0; k < told.length; k += 3) {
      const cell = told[k] * this.cols + told[k + 1];
      if (this.labels[cell] !== told[k + 2]) cells.push(cell);
      this.put(cell, told[k + 2]);
    }
    return cells;
  }
}
