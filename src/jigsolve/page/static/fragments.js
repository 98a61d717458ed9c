// The fragments of a cache on one board. Tiles that touch each other are one fragment. A tile may be used several times:
// every use is a piece of the board, numbered from n on after the first one, and `copies` holds their tiles.

import { HOLE, STEPS, directionOf, pieceOf } from "./board.js";
import { Editor, keyOf } from "./editor.js";

const GAP = 2; // cells that stay free around the last fragment

export class FragmentEditor extends Editor {
  constructor(board, onChange) {
    super(board, [0], 2, onChange);
    this.n = board.n;
    this.copies = [];
  }

  get state() {
    return { ...super.state, copies: this.copies };
  }

  // The tile of every use, by which the view draws it.
  get places() {
    return [...Array(this.n).keys(), ...this.copies];
  }

  tileOf(use) {
    return use < this.n ? use : this.copies[use - this.n];
  }

  toTile(side) {
    return side < 0 ? side : 4 * this.tileOf(pieceOf(side)) + (side & 3);
  }

  // Where a tile comes from, so that it can be found again.
  describePiece(use) {
    const tile = this.tileOf(use);
    const name = this.answer.names?.[tile];
    return `Tile ${tile}${name ? `, ${name}` : ""}${use < this.n ? "" : ", used again"}`;
  }

  addAnswer(answer, grid, description) {
    this.board.extend(this.n + answer.copies.length);
    this.reshape(description, grid, { answer: { ...answer, grid }, copies: answer.copies });
  }

  get movedCount() {
    if (!this.answer) return 0;
    const { cols, labels } = this.answer.grid;
    const before = new Map();
    labels.forEach((label, cell) => label !== HOLE && before.set(label, [Math.floor(cell / cols), cell % cols].join()));
    return this.board.labels.reduce((count, label, cell) => count + (label !== HOLE && before.get(label) !== this.board.position(cell).join()), 0);
  }

  get layout() {
    return { ...super.layout, copies: this.copies };
  }

  snapshot() {
    return { ...super.snapshot(), copies: this.copies };
  }

  restore({ rows, cols, labels, joined, cuts, copies }) {
    this.board.extend(this.n + copies.length);
    this.reshape("found your corrections again", { rows, cols, labels }, { joined: new Map(joined), cuts: new Map(cuts), copies });
  }

  // --- fragments -----------------------------------------------------------------------------------------------

  // The cells of the fragment that a cell belongs to.
  blockOf(cell) {
    return findPart(this.grid, cell);
  }

  // All fragments as lists of cells, those with most tiles first; single tiles are left out.
  get fragments() {
    return findParts(this.grid).filter((cells) => cells.length > 1).sort((a, b) => b.length - a.length || a[0] - b[0]);
  }

  // The joints by which some cells hang on the rest of their fragment, as [side id, side id].
  jointsAround(cells) {
    return this._contactsOf(this.grid, new Set(cells));
  }

  _contactsOf(grid, block) {
    const joints = [];
    for (const cell of block) {
      STEPS.forEach((step, direction) => {
        const other = cellAt(grid, cell, step);
        if (other < 0 || block.has(other) || grid.labels[other] === HOLE) return;
        joints.push([4 * pieceOf(grid.labels[cell]) + direction, 4 * pieceOf(grid.labels[other]) + (direction ^ 2)]);
      });
    }
    return joints;
  }

  // --- edits ---------------------------------------------------------------------------------------------------

  // Move tiles: what they leave is cut, what they touch then is joined. Fragments that lie where they go make room, if the
  // tiles touch another one there. Returns why it is impossible, or "".
  move(cells, rows, cols) {
    const from = cells.map((cell) => this.board.position(cell));
    const to = from.map(([row, col]) => [row + rows, col + cols]);
    if (to.some(([row, col]) => row < 0 || col < 0)) return "There is no room on this side: move the other fragment instead.";
    const left = this.jointsAround(cells);
    const labels = cells.map((cell) => this.board.labels[cell]);
    const grid = enlarge(this.grid, Math.max(...to.map(([row]) => row)) + 1, Math.max(...to.map(([, col]) => col)) + 1);
    for (const [row, col] of from) grid.labels[row * grid.cols + col] = HOLE;
    const goals = to.map(([row, col]) => row * grid.cols + col);
    const away = [];
    for (const goal of goals) if (grid.labels[goal] !== HOLE) away.push(takePart(grid, goal));
    goals.forEach((goal, k) => { grid.labels[goal] = labels[k]; });
    const met = this._contactsOf(grid, new Set(goals));
    if (away.length && !met.length) return "Other tiles lie there: drop it on a free place, or beside the one that it belongs to.";
    const settled = away.reduce((whole, part) => putAside(whole, part), grid);
    this.reshape(met.length ? "put together" : `moved ${cells.length}`, settled, this._decide(met, left.filter(([a, b]) => !met.some((joint) => keyOf(...joint) === keyOf(a, b)))));
    return "";
  }

  // Pins with some joints made and others cut.
  _decide(made, cut) {
    const [joined, cuts] = [new Map(this.joined), new Map(this.cuts)];
    for (const [a, b] of made) {
      joined.set(keyOf(a, b), [a, b]);
      cuts.delete(keyOf(a, b));
    }
    for (const [a, b] of cut) {
      cuts.set(keyOf(a, b), [a, b]);
      joined.delete(keyOf(a, b));
    }
    return { joined, cuts };
  }

  // Mark joints as wrong. What no other joint holds moves aside.
  cut(joints) {
    const values = this._decide([], joints);
    const isWhole = (cell, other, direction) => !values.cuts.has(keyOf(this.board.sideAt(cell, direction), this.board.sideAt(other, direction ^ 2)));
    let grid = this.grid;
    const { labels } = this.board;
    const start = new Set(joints.map(([a]) => this.board.cellOf[pieceOf(a)]).filter((cell) => cell >= 0));
    const seen = new Set();
    const aside = [];
    for (const cell of start) {
      if (seen.has(cell)) continue;
      const block = this.blockOf(cell);
      block.forEach((one) => seen.add(one));
      const parts = findParts({ ...this.grid, labels: keepOnly(labels, block) }, isWhole).sort((a, b) => b.length - a.length);
      aside.push(...parts.slice(1));
    }
    const taken = aside.map((part) => takeCells(grid, part));
    grid = taken.reduce((whole, part) => putAside(whole, part), grid);
    const what = joints.length === 1 ? "cut a joint" : `cut ${joints.length} joints`;
    this.reshape(aside.length ? what : `${what}; others still hold the tiles together`, grid, values);
  }

  // Put the tile of a side beside another side: with its fragment, or once more if that does not fit. Returns why it is
  // impossible, or "".
  attach(side, otherSide) {
    const { board } = this;
    const cell = board.cellOf[pieceOf(side)];
    const [row, col] = board.position(cell);
    const [down, right] = STEPS[directionOf(side, 0)];
    const goal = [row + down, col + right];
    const from = board.cellOf[pieceOf(otherSide)];
    const block = from < 0 ? [] : this.blockOf(from);
    if (from >= 0 && !block.includes(cell)) {
      const [fromRow, fromCol] = board.position(from);
      const moved = block.map((one) => board.position(one)).map(([r, c]) => board.cellAt(r + goal[0] - fromRow, c + goal[1] - fromCol));
      if (!moved.some((one) => one >= 0 && board.labels[one] !== HOLE && !block.includes(one))) return this.move(block, goal[0] - fromRow, goal[1] - fromCol);
    }
    return this._useAgain(this.tileOf(pieceOf(otherSide)), goal);
  }

  _useAgain(tile, [row, col]) {
    if (row < 0 || col < 0) return "There is no room on this side: move the fragment first.";
    const grid = enlarge(this.grid, row + 1, col + 1);
    const cell = row * grid.cols + col;
    if (grid.labels[cell] !== HOLE) return "A tile lies there: cut it off first.";
    const isFirst = this.board.cellOf[tile] < 0;
    const copies = isFirst ? this.copies : [...this.copies, tile];
    grid.labels[cell] = 4 * (isFirst ? tile : this.n + copies.length - 1);
    this.board.extend(this.n + copies.length);
    this.reshape(isFirst ? "put a tile" : "used a tile again", grid, { ...this._decide(this._contactsOf(grid, new Set([cell])), []), copies });
    return "";
  }
}

// --- grids: {rows, cols, labels} -------------------------------------------------------------------------------

function cellAt({ rows, cols }, cell, [down, right]) {
  const [row, col] = [Math.floor(cell / cols) + down, (cell % cols) + right];
  return row < 0 || col < 0 || row >= rows || col >= cols ? -1 : row * cols + col;
}

// The cells that hang together with a cell. isWhole(cell, neighbour, direction): false where a joint is cut.
function findPart(grid, start, isWhole = () => true) {
  if (grid.labels[start] === HOLE) return [];
  const found = [start];
  const seen = new Set(found);
  for (const cell of found) {
    STEPS.forEach((step, direction) => {
      const other = cellAt(grid, cell, step);
      if (other < 0 || seen.has(other) || grid.labels[other] === HOLE || !isWhole(cell, other, direction)) return;
      seen.add(other);
      found.push(other);
    });
  }
  return found;
}

function findParts(grid, isWhole) {
  const seen = new Uint8Array(grid.labels.length);
  const parts = [];
  grid.labels.forEach((label, cell) => {
    if (label === HOLE || seen[cell]) return;
    const part = findPart(grid, cell, isWhole);
    for (const one of part) seen[one] = 1;
    parts.push(part.sort((a, b) => a - b));
  });
  return parts;
}

function keepOnly(labels, cells) {
  const kept = new Int32Array(labels.length).fill(HOLE);
  for (const cell of cells) kept[cell] = labels[cell];
  return kept;
}

// At least this many rows and columns; it grows to the right and downward, with some room.
function enlarge(grid, rows, cols) {
  const size = [rows > grid.rows ? rows + GAP : grid.rows, cols > grid.cols ? cols + GAP : grid.cols];
  const labels = new Int32Array(size[0] * size[1]).fill(HOLE);
  for (let row = 0; row < grid.rows; row++) labels.set(grid.labels.subarray(row * grid.cols, (row + 1) * grid.cols), row * size[1]);
  return { rows: size[0], cols: size[1], labels };
}

// Remove cells from a grid; returns them as {row, col, label}.
function takeCells(grid, cells) {
  return cells.map((cell) => {
    const taken = { row: Math.floor(cell / grid.cols), col: cell % grid.cols, label: grid.labels[cell] };
    grid.labels[cell] = HOLE;
    return taken;
  });
}

const takePart = (grid, cell) => takeCells(grid, findPart(grid, cell));

// The grid with a fragment in the free place that is nearest to where it lay; rows are added if there is none.
function putAside(grid, part) {
  const [top, left] = [Math.min(...part.map(({ row }) => row)), Math.min(...part.map(({ col }) => col))];
  const [height, width] = [Math.max(...part.map(({ row }) => row)) - top + 1, Math.max(...part.map(({ col }) => col)) - left + 1];
  const filled = sumFilled(grid);
  let [best, distance] = [null, Infinity];
  for (let row = 1; row + height < grid.rows; row++) {
    for (let col = 1; col + width < grid.cols; col++) {
      const far = Math.hypot(row - top, col - left);
      if (far < distance && filled(row - 1, col - 1, row + height + 1, col + width + 1) === 0) [best, distance] = [[row, col], far];
    }
  }
  const [row, col] = best ?? [grid.rows, 1];
  const roomy = enlarge(grid, row + height + 1, col + width + 1);
  for (const one of part) roomy.labels[(one.row - top + row) * roomy.cols + one.col - left + col] = one.label;
  return roomy;
}

// How many cells of a rectangle hold a tile.
function sumFilled({ rows, cols, labels }) {
  const sums = new Int32Array((rows + 1) * (cols + 1));
  const at = (row, col) => row * (cols + 1) + col;
  for (let row = 0; row < rows; row++) {
    for (let col = 0; col < cols; col++) {
      sums[at(row + 1, col + 1)] = sums[at(row, col + 1)] + sums[at(row + 1, col)] - sums[at(row, col)] + (labels[row * cols + col] !== HOLE);
    }
  }
  return (top, left, bottom, right) => sums[at(bottom, right)] - sums[at(top, right)] - sums[at(bottom, left)] + sums[at(top, left)];
}
