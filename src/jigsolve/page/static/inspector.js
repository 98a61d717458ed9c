// A closer look at a piece: its number, how likely it is in place, and the alternatives for its neighbours.

import { SIDES, pieceOf, turnOf } from "./board.js";
import { byId, create } from "./dom.js";
import { formatPercent } from "./format.js";
import { DOUBT_THRESHOLD } from "./joints.js";

const ARROWS = ["→", "↓", "←", "↑"];
const WHERE = ["on the right", "below", "on the left", "above"];

export class Inspector {
  constructor(view, editor, judge) {
    Object.assign(this, { view, editor, judge });
  }

  // The piece in a cell, its probability to be in place (null if unknown), and for each direction the neighbour, the
  // probability of the joint, and alternatives.
  describe(cell) {
    const { board } = this.view;
    const label = board.labels[cell];
    if (label < 0) return null;
    const [row, col] = board.position(cell);
    const inPlace = this.judge.knows(cell) ? this.judge.current.layout.confidence?.pieces?.[row]?.[col] ?? null : null;
    const sides = SIDES.map((_, direction) => {
      const neighbour = board.neighbour(cell, direction);
      const side = board.sideAt(cell, direction);
      const facing = neighbour < 0 ? -1 : board.sideAt(neighbour, direction ^ 2);
      const alternatives = this.alternatives(side).filter((one) => one.side !== this.editor.toTile(facing));
      return { direction, side, neighbour, facing, probability: this.jointProbability(cell, direction), alternatives };
    });
    return { piece: pieceOf(label), turn: turnOf(label), row, col, inPlace, sides };
  }

  // The probability of the joint in the layout that was judged, or else that of the candidate.
  jointProbability(cell, direction) {
    const { board } = this.view;
    const neighbour = board.neighbour(cell, direction);
    if (neighbour < 0 || board.labels[neighbour] < 0) return undefined;
    if (this.judge.knows(cell) && this.judge.knows(neighbour)) {
      const [row, col] = board.position(direction < 2 ? cell : neighbour);
      return this.judge.current.layout.joints?.[direction % 2 ? "down" : "right"]?.[row]?.[col] ?? undefined;
    }
    const facing = board.sideAt(neighbour, direction ^ 2);
    return this.alternatives(board.sideAt(cell, direction)).find((one) => one.side === this.editor.toTile(facing))?.probability ?? 0;
  }

  alternatives(side) {
    const { alternatives } = this.editor.answer ?? {};
    if (!alternatives) return [];
    const { count, sides, probabilities } = alternatives;
    const own = this.editor.toTile(side);
    return Array.from({ length: count }, (_, k) => ({ side: sides[own * count + k], probability: probabilities[own * count + k] }))
      .filter((one) => one.side >= 0);
  }

  // Show a tooltip at the pointer, or hide it where there is no piece. Returns whether it is shown.
  showTip(cell, x, y) {
    const tip = byId("tip");
    const facts = cell >= 0 ? this.describe(cell) : null;
    tip.hidden = !facts;
    if (!facts) return false;
    const { piece, row, col, inPlace, sides } = facts;
    const weak = sides.filter(({ facing, probability }) => facing >= 0 && probability !== undefined && probability < DOUBT_THRESHOLD);
    const name = this.editor.describePiece?.(piece);
    tip.replaceChildren(create("b", {}, name ?? (inPlace === null ? `Row ${row + 1}, column ${col + 1}` : `${formatPercent(inPlace)} in place`)));
    for (const { direction, probability, alternatives } of weak) {
      const better = alternatives.some((one) => one.probability > probability) ? ", another fits better" : "";
      tip.append(create("div", {}, `${ARROWS[direction]} fits with ${formatPercent(probability)}${better}`));
    }
    const stage = byId("stage");
    tip.style.left = `${Math.min(x + 16, stage.clientWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${Math.min(y + 18, stage.clientHeight - tip.offsetHeight - 8)}px`;
    return true;
  }

  // The same as elements with buttons. onJump(cell), onJoin(side id, side id). Null in a hole.
  buildPanel(cell, { onJump, onJoin }) {
    const facts = this.describe(cell);
    if (!facts) return null;
    const { piece, turn, row, col, inPlace, sides } = facts;
    const name = this.editor.describePiece?.(piece);
    const text = name ? create("p", { className: "small name" }, name) : create("p", { className: "small" }, create("b", {}, inPlace === null ? "Not judged" : `${formatPercent(inPlace)} in place`), create("br"),
      `Row ${row + 1}, column ${col + 1}${turn ? `, turned ${90 * turn}°` : ""}`, create("br"), create("span", { className: "quiet" }, `Piece number ${piece}`));
    return create("div", {}, create("div", { className: "inspected" }, drawThumbnail(this.view, [[piece, turn]], 52), text),
      create("table", { className: "beside" }, ...sides.map((side) => this._buildRow(side, onJump, onJoin))));
  }

  // What lies beside a side, and what else could.
  _buildRow({ direction, side, neighbour, facing, probability, alternatives }, onJump, onJoin) {
    const cell = create("td");
    const build = (id, percent, title, onclick) => create("button", { title, ariaLabel: `${title}, ${percent}`, onclick },
      drawThumbnail(this.view, [[pieceOf(id), (direction + 2 - id) & 3]], 26), create("span", { className: "number" }, percent));
    if (facing >= 0) {
      const button = build(facing, formatPercent(probability), `Lies ${WHERE[direction]} now: go to it`, () => onJump(neighbour));
      button.dataset.here = "";
      cell.append(button);
    } else cell.append(create("span", { className: "quiet" }, neighbour < 0 ? "edge " : "empty "));
    for (const one of alternatives) {
      cell.append(build(one.side, formatPercent(one.probability), `Put this piece ${WHERE[direction]}`, () => onJoin(side, one.side)));
    }
    return create("tr", {}, create("th", { scope: "row", ariaLabel: WHERE[direction] }, ARROWS[direction]), cell);
  }
}

// Pieces [piece, turn] as a small picture, side by side or one below the other.
export function drawThumbnail(view, pieces, size, vertical = false) {
  const ratio = window.devicePixelRatio || 1;
  const [w, h] = view.width > view.height ? [size, (size * view.height) / view.width] : [(size * view.width) / view.height, size];
  const [width, height] = vertical ? [w, h * pieces.length] : [w * pieces.length, h];
  const canvas = create("canvas", { width: width * ratio, height: height * ratio, ariaHidden: "true" });
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const ctx = canvas.getContext("2d");
  ctx.scale(ratio, ratio);
  pieces.forEach(([piece, turn], k) => view.drawPiece(ctx, piece, turn, vertical ? 0 : k * w, vertical ? k * h : 0, w, h));
  return canvas;
}
