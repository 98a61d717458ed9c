// The edits of an answer: moves, turns, locks, cuts and joins, with undo and redo without limit. Locks, joins and cuts are
// pins of the next solve.

import { HOLE, pieceOf, turnOf } from "./board.js";
import { parsePins } from "./pins.js";
import { turnGrid } from "./turning.js";

export const keyOf = (a, b) => (a < b ? `${a}:${b}` : `${b}:${a}`);
const toMap = (joints) => new Map(joints.map(([a, b]) => [keyOf(a, b), [a, b]]));
const unite = (set, added) => new Set([...set, ...added]);

function subtract(set, removed) {
  const gone = new Set(removed);
  return new Set([...set].filter((one) => !gone.has(one)));
}

export class Editor {
  // turns: the turns that pieces may have. quarters: the smallest turn of the picture. onChange(description): called after
  // every step.
  constructor(board, turns, quarters, onChange) {
    Object.assign(this, { board, turns, quarters, onChange });
    this.answer = null; // of the solver
    this.turned = 0; // quarter turns of the whole picture since it was solved
    this.locked = new Set(); // pieces
    this.joined = new Map(); // key -> [side id, side id]
    this.cuts = new Map();
    this.steps = [];
    this.done = 0; // number of steps that are not undone
  }

  get state() {
    return { answer: this.answer, turned: this.turned, locked: this.locked, joined: this.joined, cuts: this.cuts };
  }

  // A step that can be undone. `change` may replace what `state` holds (not alter it), and set labels with `put`.
  step(description, change) {
    const before = this.state;
    const oldLabels = new Map();
    const put = (cell, label) => {
      for (const changed of [cell, label === HOLE ? -1 : this.board.cellOf[pieceOf(label)]]) { // also the cell that it leaves
        if (changed >= 0 && !oldLabels.has(changed)) oldLabels.set(changed, this.board.labels[changed]);
      }
      this.board.put(cell, label);
    };
    change(put);
    const changes = [...oldLabels].map(([cell, old]) => [cell, old, this.board.labels[cell]]).filter(([, old, label]) => old !== label);
    if (!changes.length && Object.keys(before).every((name) => before[name] === this.state[name])) return;
    this._record({ description, before, after: this.state, changes });
  }

  // A step that replaces the whole grid, and may set other values of the state.
  reshape(description, grid, values) {
    const [before, old] = [this.state, this.grid];
    Object.assign(this, values);
    this.setGrid(grid);
    this._record({ description, before, after: this.state, grids: [old, this.grid] });
  }

  _record(step) {
    this.steps.length = this.done;
    this.steps.push(step);
    this.done++;
    this.onChange(step.description);
  }

  get grid() {
    const { rows, cols, labels } = this.board;
    return { rows, cols, labels: labels.slice() };
  }

  setGrid({ rows, cols, labels }) {
    this.board.clear();
    this.board.resize(rows, cols);
    labels.forEach((label, cell) => this.board.put(cell, label));
  }

  // The first step is the answer, without which there is nothing to edit.
  get canUndo() {
    return this.done > 1;
  }

  get canRedo() {
    return this.done < this.steps.length;
  }

  undo() {
    if (!this.canUndo) return;
    const step = this.steps[--this.done];
    if (step.grids) this.setGrid(step.grids[0]);
    else for (const [cell, old] of step.changes) this.board.put(cell, old);
    Object.assign(this, step.before);
    this.onChange(`Undone: ${step.description}`);
  }

  redo() {
    if (!this.canRedo) return;
    const step = this.steps[this.done++];
    if (step.grids) this.setGrid(step.grids[1]);
    else for (const [cell, , label] of step.changes) this.board.put(cell, label);
    Object.assign(this, step.after);
    this.onChange(`Redone: ${step.description}`);
  }

  // A new answer of the solver is a step as well. It is shown as the person has turned the picture.
  addAnswer(answer, grid, description) {
    this.reshape(description, turnGrid(grid, this.turned), { answer: { ...answer, grid } });
  }

  turnPicture() {
    this.reshape("turned the picture", turnGrid(this.grid, this.quarters), { turned: (this.turned + this.quarters) & 3 });
  }

  // Which piece of the atlas each piece of the board shows; null if it is the same.
  get places() {
    return null;
  }

  // The side of the answer that a side of the board is.
  toTile(side) {
    return side;
  }

  // The cells that a drag moves.
  blockOf(cell) {
    return [cell];
  }

  // How many pieces do not lie as in the answer.
  get movedCount() {
    if (!this.answer) return 0;
    const { labels } = turnGrid(this.answer.grid, this.turned);
    return this.board.labels.reduce((count, label, cell) => count + (label !== HOLE && label !== labels[cell]), 0);
  }

  // --- moving --------------------------------------------------------------------------------------------------

  // Move cells to other cells (a map). Displaced pieces fill the cells that become free. Returns why it is impossible, or "".
  relocate(description, goals, turn = 0) {
    const { labels } = this.board;
    const sources = [...goals.keys()];
    const targets = new Set(goals.values());
    if (targets.has(-1)) return "It would lie beyond the board.";
    const displaced = [...targets].filter((cell) => !goals.has(cell));
    const free = sources.filter((cell) => !targets.has(cell));
    if (this.piecesIn(displaced).some((piece) => this.locked.has(piece))) return "A locked piece lies there: unlock it first.";
    const old = new Map([...sources, ...displaced].map((cell) => [cell, labels[cell]]));
    const moved = this.piecesIn(sources);
    this.step(description, (put) => {
      displaced.forEach((cell, k) => put(free[k], old.get(cell)));
      for (const [cell, goal] of goals) {
        const label = old.get(cell);
        put(goal, label === HOLE ? HOLE : 4 * pieceOf(label) + ((label + turn) & 3));
      }
      this.locked = unite(this.locked, moved);
    });
    return "";
  }

  move(cells, rows, cols) {
    return this.relocate(`moved ${cells.length}`, new Map(cells.map((cell) => {
      const [row, col] = this.board.position(cell);
      return [cell, this.board.cellAt(row + rows, col + cols)];
    })));
  }

  // May a piece have this turn, as the picture lies now?
  mayTurn(turn) {
    return this.turns.includes((turn - this.turned) & 3);
  }

  // Turn cells as a block: a quarter turn clockwise, or a half turn if pieces are oblong.
  turn(cells) {
    const { board } = this;
    const quarters = this.turns.includes(1) ? 1 : 2;
    if (this.turns.length === 1) return "These pieces are upright: choose “turned” first.";
    const positions = cells.map((cell) => board.position(cell));
    const [top, left] = [0, 1].map((axis) => Math.min(...positions.map((position) => position[axis])));
    const [bottom, right] = [0, 1].map((axis) => Math.max(...positions.map((position) => position[axis])));
    return this.relocate(`turned ${cells.length}`, new Map(positions.map(([row, col], k) => [
      cells[k], quarters === 1 ? board.cellAt(top + col - left, left + bottom - row) : board.cellAt(top + bottom - row, left + right - col),
    ])), quarters);
  }

  // --- pins ----------------------------------------------------------------------------------------------------

  piecesIn(cells) {
    return cells.map((cell) => this.board.labels[cell]).filter((label) => label !== HOLE).map(pieceOf);
  }

  areLocked(cells) {
    const pieces = this.piecesIn(cells);
    return pieces.length > 0 && pieces.every((piece) => this.locked.has(piece));
  }

  // Lock the pieces in some cells, or unlock them if all are locked.
  toggleLock(cells) {
    const pieces = this.piecesIn(cells);
    if (!pieces.length) return;
    const unlock = this.areLocked(cells);
    this.step(unlock ? "unlocked" : "locked", () => {
      this.locked = unlock ? subtract(this.locked, pieces) : unite(this.locked, pieces);
    });
  }

  // The joints between some cells, or those of a single cell with its neighbours, as [side id, side id].
  jointsOf(cells) {
    const block = new Set(cells);
    const joints = [];
    for (const cell of cells) {
      for (let direction = 0; direction < 4; direction++) {
        const other = this.board.neighbour(cell, direction);
        if (other < 0 || (cells.length > 1 && (!block.has(other) || direction > 1))) continue;
        const [a, b] = [this.board.sideAt(cell, direction), this.board.sideAt(other, direction ^ 2)];
        if (a >= 0 && b >= 0) joints.push([a, b]);
      }
    }
    return joints;
  }

  // Mark joints as wrong. Two locked pieces could not be separated, so they are unlocked.
  cut(joints) {
    this.step(`cut ${joints.length === 1 ? "a joint" : `${joints.length} joints`}`, () => {
      [this.cuts, this.joined] = [new Map(this.cuts), new Map(this.joined)];
      for (const [a, b] of joints) {
        this.cuts.set(keyOf(a, b), [a, b]);
        this.joined.delete(keyOf(a, b));
        const pieces = [a, b].map(pieceOf);
        if (pieces.every((piece) => this.locked.has(piece))) this.locked = subtract(this.locked, pieces);
      }
    });
  }

  // Mark joints as right.
  join(joints) {
    this.step(`joined ${joints.length === 1 ? "two pieces" : `${joints.length} joints`}`, () => {
      [this.cuts, this.joined] = [new Map(this.cuts), new Map(this.joined)];
      for (const [a, b] of joints) {
        for (const [key, sides] of this.joined) if (sides.includes(a) || sides.includes(b)) this.joined.delete(key);
        this.joined.set(keyOf(a, b), [a, b]);
        this.cuts.delete(keyOf(a, b));
      }
    });
  }

  isJoined(a, b) {
    return this.joined.has(keyOf(a, b));
  }

  // type: "locked", "joined" or "cuts"
  removePin(type, key) {
    this.step("forgot a correction", () => {
      this[type] = new this[type].constructor(this[type]);
      this[type].delete(key);
    });
  }

  removeAllPins() {
    this.step("forgot all corrections", () => {
      [this.locked, this.joined, this.cuts] = [new Set(), new Map(), new Map()];
    });
  }

  get pinCount() {
    return this.locked.size + this.joined.size + this.cuts.size;
  }

  loadPins(text) {
    const { board } = this;
    const { cells, joined, cuts } = parsePins(text, board);
    this.step("loaded pins", (put) => {
      for (const [cell, label] of cells) {
        const [there, from] = [board.labels[cell], board.cellOf[pieceOf(label)]];
        if (pieceOf(there) !== pieceOf(label) && from >= 0) put(from, there);
        put(cell, label);
      }
      this.locked = unite(this.locked, cells.map(([, label]) => pieceOf(label)));
      this.joined = new Map([...this.joined, ...toMap(joined)]);
      this.cuts = new Map([...this.cuts, ...toMap(cuts)]);
    });
  }

  // --- data ----------------------------------------------------------------------------------------------------

  get isEdited() {
    return this.pinCount > 0 || this.movedCount > 0 || this.turned > 0;
  }

  // All edits, without the history: for a later visit.
  snapshot() {
    const { rows, cols, labels } = this.board;
    return { rows, cols, labels: [...labels], turned: this.turned, locked: [...this.locked], joined: [...this.joined], cuts: [...this.cuts] };
  }

  restore({ rows, cols, labels, turned, locked, joined, cuts }) {
    if (labels.length !== this.board.labels.length) return;
    this.reshape("found your corrections again", { rows, cols, labels },
      { turned, locked: new Set(locked), joined: new Map(joined), cuts: new Map(cuts) });
  }

  get layout() {
    const { rows, cols, labels } = this.board;
    const toRows = (value) => Array.from({ length: rows }, (_, row) => Array.from(labels.subarray(row * cols, (row + 1) * cols), value));
    return { rows, cols, pieces: toRows((label) => (label === HOLE ? null : pieceOf(label))), turns: toRows((label) => (label === HOLE ? 0 : turnOf(label))) };
  }
}
