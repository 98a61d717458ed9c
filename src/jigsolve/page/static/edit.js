// What a person does to an answer: moves, turns, locks, cuts, joins; undo and redo without limit. Locks, joints and cuts
// are the pins of the command line (docs/pins.md).

import { HOLE, SIDES } from "./board.js";

const keyOf = (a, b) => (a < b ? `${a}:${b}` : `${b}:${a}`);

export class Edit {
  // turns: those that a piece may take. changed(): called after every step.
  constructor(board, turns, changed) {
    this.board = board;
    this.turns = turns;
    this.changed = changed;
    this.answer = board.labels.slice(); // the labels that the solver gave
    this.said = null; // what it believes of them
    this.locked = new Set(); // pieces
    this.joined = new Map(); // key -> [side, side]
    this.cuts = new Map();
    this.steps = [];
    this.at = 0; // steps that are done
  }

  get state() {
    return { answer: this.answer, said: this.said, locked: this.locked, joined: this.joined, cuts: this.cuts };
  }

  // One step that can be undone: `change` may replace (never alter) what `state` holds, and put labels by `put`.
  step(what, change) {
    const before = { ...this.state };
    const cells = new Map();
    const put = (cell, label) => {
      for (const one of [cell, label === HOLE ? -1 : this.board.cellOf[label >> 2]]) { // the cell it leaves changes as well
        if (one >= 0 && !cells.has(one)) cells.set(one, this.board.labels[one]);
      }
      this.board.put(cell, label);
    };
    change(put);
    const moved = [...cells].map(([cell, old]) => [cell, old, this.board.labels[cell]]).filter(([, old, now]) => old !== now);
    const after = { ...this.state };
    if (!moved.length && Object.keys(before).every((name) => before[name] === after[name])) return;
    this.steps.length = this.at;
    this.steps.push({ what, before, after, moved });
    this.at++;
    this.changed(what);
  }

  undo() {
    if (!this.at) return;
    const step = this.steps[--this.at];
    for (const [cell, old] of step.moved) this.board.put(cell, old);
    Object.assign(this, step.before);
    this.changed(`Undone: ${step.what}`);
  }

  redo() {
    if (this.at >= this.steps.length) return;
    const step = this.steps[this.at++];
    for (const [cell, , now] of step.moved) this.board.put(cell, now);
    Object.assign(this, step.after);
    this.changed(`Done again: ${step.what}`);
  }

  // The solver has spoken: its labels are one more step.
  hear(labels, said, what = "Solve") {
    this.step(what, (put) => {
      labels.forEach((label, cell) => put(cell, label));
      this.answer = labels.slice();
      this.said = said;
    });
  }

  // --- moving --------------------------------------------------------------------------------------------------

  // Cells go to other cells; whatever lies there fills the places that became free. Says why not, if it cannot.
  carry(what, goals, turn = 0) {
    const { labels } = this.board;
    const away = [...goals.keys()];
    const taken = new Set(goals.values());
    if (away.some((cell) => goals.get(cell) < 0)) return "It would lie beyond the board.";
    const displaced = [...taken].filter((cell) => !goals.has(cell));
    const free = away.filter((cell) => !taken.has(cell));
    if (displaced.some((cell) => labels[cell] !== HOLE && this.locked.has(labels[cell] >> 2))) return "A locked piece lies there: unlock it first.";
    const old = new Map([...away, ...displaced].map((cell) => [cell, labels[cell]]));
    this.step(what, (put) => {
      displaced.forEach((cell, k) => put(free[k], old.get(cell)));
      for (const [cell, goal] of goals) {
        const label = old.get(cell);
        put(goal, label === HOLE ? HOLE : (label & ~3) | ((label + turn) & 3));
      }
      this.locked = this._with(this.locked, away.map((cell) => old.get(cell)).filter((label) => label !== HOLE).map((label) => label >> 2));
    });
    return "";
  }

  move(cells, rows, cols) {
    const { board } = this;
    return this.carry(`moved ${cells.length}`, new Map(cells.map((cell) => {
      const [row, col] = [Math.floor(cell / board.cols) + rows, (cell % board.cols) + cols];
      return [cell, row < 0 || col < 0 || row >= board.rows || col >= board.cols ? -1 : row * board.cols + col];
    })));
  }

  // A clockwise quarter of all, or half where pieces are oblong; a block turns as a whole within its square.
  turn(cells) {
    const { board } = this;
    const quarters = this.turns.includes(1) ? 1 : 2;
    if (this.turns.length === 1) return "These pieces are upright: tick “Pieces may be turned” first.";
    const places = cells.map((cell) => [Math.floor(cell / board.cols), cell % board.cols]);
    const [top, left] = [0, 1].map((axis) => Math.min(...places.map((place) => place[axis])));
    let [height, width] = [0, 1].map((axis) => Math.max(...places.map((place) => place[axis])) + 1);
    height -= top;
    width -= left;
    return this.carry(`turned ${cells.length}`, new Map(places.map(([row, col], k) => {
      let [y, x] = [row - top, col - left];
      [y, x] = quarters === 1 ? [x, height - 1 - y] : [height - 1 - y, width - 1 - x];
      const inside = top + y < board.rows && left + x < board.cols;
      return [cells[k], inside ? (top + y) * board.cols + left + x : -1];
    })), quarters);
  }

  // --- pins ----------------------------------------------------------------------------------------------------

  pieces(cells) {
    return cells.map((cell) => this.board.labels[cell]).filter((label) => label !== HOLE).map((label) => label >> 2);
  }

  lock(cells) {
    const pieces = this.pieces(cells);
    if (!pieces.length) return;
    const all = pieces.every((piece) => this.locked.has(piece));
    this.step(all ? "unlocked" : "locked", () => {
      this.locked = all ? this._without(this.locked, pieces) : this._with(this.locked, pieces);
    });
  }

  // The joints among some cells; of a single cell, those with its neighbours. As [side, side].
  jointsOf(cells) {
    const own = new Set(cells);
    const found = [];
    for (const cell of cells) {
      for (let d = 0; d < 4; d++) {
        const other = this.board.neighbour(cell, d);
        if (other < 0 || (cells.length > 1 && (!own.has(other) || d > 1))) continue;
        const [a, b] = [this.board.side(cell, d), this.board.side(other, d ^ 2)];
        if (a >= 0 && b >= 0) found.push([a, b]);
      }
    }
    return found;
  }

  // These joints are wrong. Two locked pieces could not part: they are unlocked.
  cut(joints) {
    this.step(`cut ${joints.length === 1 ? "a joint" : `${joints.length} joints`}`, () => {
      [this.cuts, this.joined] = [new Map(this.cuts), new Map(this.joined)];
      for (const [a, b] of joints) {
        this.cuts.set(keyOf(a, b), [a, b]);
        this.joined.delete(keyOf(a, b));
        if (this.locked.has(a >> 2) && this.locked.has(b >> 2)) this.locked = this._without(this.locked, [a >> 2, b >> 2]);
      }
    });
  }

  // These joints are right.
  join(joints) {
    this.step(`joined ${joints.length === 1 ? "two pieces" : `${joints.length} joints`}`, () => {
      [this.cuts, this.joined] = [new Map(this.cuts), new Map(this.joined)];
      for (const [a, b] of joints) {
        for (const [key, [c, d]] of this.joined) if ([c, d].some((side) => side === a || side === b)) this.joined.delete(key);
        this.joined.set(keyOf(a, b), [a, b]);
        this.cuts.delete(keyOf(a, b));
      }
    });
  }

  forget(kind, key) {
    this.step("forgot a correction", () => {
      if (kind === "locked") this.locked = this._without(this.locked, [key]);
      else {
        this[kind] = new Map(this[kind]);
        this[kind].delete(key);
      }
    });
  }

  forgetAll() {
    this.step("forgot all corrections", () => {
      [this.locked, this.joined, this.cuts] = [new Set(), new Map(), new Map()];
    });
  }

  get count() {
    return this.locked.size + this.joined.size + this.cuts.size;
  }

  // As the pin file that the command line takes.
  pins() {
    const { board } = this;
    const joint = ([a, b]) => ({ piece: a >> 2, side: SIDES[a & 3], other: b >> 2, other_side: SIDES[b & 3] });
    const cells = [...this.locked].filter((piece) => board.cellOf[piece] >= 0).map((piece) => {
      const cell = board.cellOf[piece];
      return { piece, row: Math.floor(cell / board.cols), col: cell % board.cols, turn: board.labels[cell] & 3 };
    });
    return { format: "jigsolve-pins", version: 1, cells, joints: [...this.joined.values()].map(joint), forbidden: [...this.cuts.values()].map(joint) };
  }

  load(data) {
    if (data?.format !== "jigsolve-pins" || data.version !== 1) throw new Error('Expected a pin file with "format": "jigsolve-pins", version 1.');
    const { board } = this;
    const whole = (value, most) => {
      if (!Number.isInteger(value) || value < 0 || value >= most) throw new Error(`Expected whole numbers from 0 to ${most - 1} in the pin file, got ${value}.`);
      return value;
    };
    const side = (name) => {
      if (!SIDES.includes(name)) throw new Error(`Expected a side out of ${SIDES.join(", ")}, got ${name}.`);
      return SIDES.indexOf(name);
    };
    const joints = (list) => (list ?? []).map((one) => [4 * whole(one.piece, board.n) + side(one.side), 4 * whole(one.other, board.n) + side(one.other_side)]);
    const [joined, cuts] = [joints(data.joints), joints(data.forbidden)];
    const cells = (data.cells ?? []).map((one) => [whole(one.row, board.rows) * board.cols + whole(one.col, board.cols), 4 * whole(one.piece, board.n) + whole(one.turn ?? 0, 4)]);
    this.step("loaded pins", (put) => {
      for (const [cell, label] of cells) {
        const [there, from] = [board.labels[cell], board.cellOf[label >> 2]];
        if (there >> 2 !== label >> 2 && from >= 0) put(from, there);
        put(cell, label);
      }
      this.locked = this._with(this.locked, cells.map(([, label]) => label >> 2));
      const map = (some) => new Map(some.map(([a, b]) => [keyOf(a, b), [a, b]]));
      this.joined = new Map([...this.joined, ...map(joined)]);
      this.cuts = new Map([...this.cuts, ...map(cuts)]);
    });
  }

  // All that a person has done, for a page that is loaded again; the way there is not kept.
  kept() {
    return { labels: [...this.board.labels], locked: [...this.locked], joined: [...this.joined], cuts: [...this.cuts] };
  }

  restore(kept) {
    if (kept.labels.length !== this.board.labels.length) return;
    this.step("found your corrections again", (put) => {
      kept.labels.forEach((label, cell) => put(cell, label));
      this.locked = new Set(kept.locked);
      this.joined = new Map(kept.joined);
      this.cuts = new Map(kept.cuts);
    });
  }

  layout() {
    const { rows, cols, labels } = this.board;
    const lines = (value) => Array.from({ length: rows }, (_, row) => Array.from(labels.subarray(row * cols, (row + 1) * cols), value));
    return { rows, cols, pieces: lines((label) => (label === HOLE ? null : label >> 2)), turns: lines((label) => (label === HOLE ? 0 : label & 3)) };
  }

  _with(set, more) { return new Set([...set, ...more]); }
  _without(set, less) {
    const gone = new Set(less);
    return new Set([...set].filter((one) => !gone.has(one)));
  }
}
