// A piece looked at closely: its number, how surely it lies there, and what else could lie beside it.

import { SIDES } from "./board.js";
import { percent } from "./words.js";

const ARROWS = ["→", "↓", "←", "↑"];

export class Inspect {
  constructor(view, edit) {
    this.view = view;
    this.edit = edit;
  }

  get said() { return this.edit.said; }

  // Of a cell: the piece, and for each direction its neighbour with the chance of that joint and the alternatives.
  facts(cell) {
    const { board } = this.view;
    const label = board.labels[cell];
    if (label < 0) return null;
    const piece = label >> 2;
    const [row, col] = [Math.floor(cell / board.cols), cell % board.cols];
    const same = this.said && this.edit.answer[cell] === label;
    const beside = [0, 1, 2, 3].map((d) => {
      const other = board.neighbour(cell, d);
      const side = board.side(cell, d);
      const theirs = other < 0 ? -1 : board.side(other, d ^ 2);
      return { d, side, other, theirs, chance: this.chance(cell, d), instead: this.alternatives(side).filter((one) => one.side !== theirs) };
    });
    return { piece, turn: label & 3, row, col, sure: same ? this.said.layout.confidence?.pieces?.[row]?.[col] : undefined, beside };
  }

  // Of the joint of a cell in direction d: what the solver believes, if it is still the solver's; else what C says of it.
  chance(cell, d) {
    const { board } = this.view;
    const other = board.neighbour(cell, d);
    if (other < 0 || board.labels[other] < 0 || !this.said) return undefined;
    if (this.edit.answer[cell] === board.labels[cell] && this.edit.answer[other] === board.labels[other]) {
      const first = d < 2 ? cell : other;
      const grid = this.said.layout.joints?.[d % 2 ? "down" : "right"];
      return grid?.[Math.floor(first / board.cols)]?.[first % board.cols] ?? undefined;
    }
    return this.alternatives(board.side(cell, d)).find((one) => one.side === board.side(other, d ^ 2))?.chance ?? 0;
  }

  alternatives(side) {
    const { alternatives } = this.said ?? {};
    if (!alternatives) return [];
    const from = side * alternatives.count;
    return Array.from({ length: alternatives.count }, (_, k) => ({ side: alternatives.sides[from + k], chance: alternatives.chances[from + k] }))
      .filter((one) => one.side >= 0);
  }

  // A few lines for the pointer.
  tip(cell) {
    const facts = this.facts(cell);
    if (!facts) return null;
    const lines = [`Piece ${facts.piece}${facts.sure === undefined || facts.sure === null ? "" : ` · ${percent(facts.sure)} in place`}`];
    for (const { d, theirs, chance, instead } of facts.beside) {
      const best = instead.slice(0, 2).filter((one) => one.chance >= 0.01).map((one) => `${one.side >> 2} (${percent(one.chance)})`);
      if (theirs < 0 && !best.length) continue;
      const now = theirs < 0 ? "edge" : `${theirs >> 2}${chance === undefined ? "" : ` (${percent(chance)})`}`;
      lines.push(`${ARROWS[d]} ${now}${best.length ? `, or ${best.join(", ")}` : ""}`);
    }
    return lines;
  }

  // The same with buttons, for the panel. jump(cell), join(side, side).
  panel(cell, { jump, join }) {
    const facts = this.facts(cell);
    if (!facts) return null;
    const box = document.createElement("div");
    const head = Object.assign(document.createElement("div"), { className: "inspected" });
    const words = document.createElement("p");
    words.className = "small";
    const sure = facts.sure === undefined || facts.sure === null ? "" : `${percent(facts.sure)} in place`;
    words.append(Object.assign(document.createElement("b"), { textContent: `Piece ${facts.piece}` }), document.createElement("br"),
      `row ${facts.row + 1}, column ${facts.col + 1}${facts.turn ? `, turned ${90 * facts.turn}°` : ""}`, document.createElement("br"), sure);
    head.append(thumbnail(this.view, [[facts.piece, facts.turn]], 52), words);
    const table = Object.assign(document.createElement("table"), { className: "beside" });
    for (const side of facts.beside) table.append(this._row(side, jump, join));
    box.append(head, table);
    return box;
  }

  _row({ d, side, other, theirs, chance, instead }, jump, join) {
    const line = document.createElement("tr");
    const name = Object.assign(document.createElement("th"), { scope: "row", textContent: `${ARROWS[d]} ${SIDES[d]}` });
    const cell = document.createElement("td");
    if (theirs >= 0) {
      const here = Object.assign(document.createElement("button"), { textContent: `${theirs >> 2} · ${percent(chance)}`, title: "Lies there now: go to it" });
      here.dataset.here = "";
      here.addEventListener("click", () => jump(other));
      cell.append(here);
    } else cell.append(Object.assign(document.createElement("span"), { className: "quiet", textContent: "edge " }));
    for (const one of instead) {
      const button = Object.assign(document.createElement("button"), { textContent: `${one.side >> 2} · ${percent(one.chance)}`, title: `Join piece ${one.side >> 2} here instead` });
      button.setAttribute("aria-label", `Join piece ${one.side >> 2} here instead, ${percent(one.chance)}`);
      button.addEventListener("click", () => join(side, one.side));
      cell.append(button);
    }
    line.append(name, cell);
    return line;
  }
}

// Pieces in a row, as a small picture. pieces: [piece, turn], side by side or (down) one below the other.
export function thumbnail(view, pieces, size, down = false) {
  const canvas = document.createElement("canvas");
  const ratio = window.devicePixelRatio || 1;
  const [w, h] = view.width > view.height ? [size, (size * view.height) / view.width] : [(size * view.width) / view.height, size];
  const [width, height] = down ? [w, h * pieces.length] : [w * pieces.length, h];
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.setAttribute("aria-hidden", "true");
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  pieces.forEach(([piece, turn], k) => view.piece(pen, piece, turn, down ? 0 : k * w, down ? k * h : 0, w, h));
  return canvas;
}
