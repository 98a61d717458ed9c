// Pin files of the command line (docs/pins.md).

import { SIDES, pieceOf, turnOf } from "./board.js";

const toJoint = ([a, b]) => ({ piece: pieceOf(a), side: SIDES[a & 3], other: pieceOf(b), other_side: SIDES[b & 3] });

export function toPins({ board, locked, joined, cuts }) {
  const cells = [...locked].filter((piece) => board.cellOf[piece] >= 0).map((piece) => {
    const [row, col] = board.position(board.cellOf[piece]);
    return { piece, row, col, turn: turnOf(board.labels[board.cellOf[piece]]) };
  });
  return { format: "jigsolve-pins", version: 1, cells, joints: [...joined.values()].map(toJoint), forbidden: [...cuts.values()].map(toJoint) };
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("Expected a pin file, got something that is not JSON.");
  }
}

// Returns cells as [cell, label], and joints as [side id, side id].
export function parsePins(text, board) {
  const data = parseJson(text);
  if (data?.format !== "jigsolve-pins" || data.version !== 1) throw new Error('Expected a pin file with "format": "jigsolve-pins", version 1.');
  const parseNumber = (value, end) => {
    if (!Number.isInteger(value) || value < 0 || value >= end) throw new Error(`Expected whole numbers from 0 to ${end - 1} in the pin file, got ${value}.`);
    return value;
  };
  const parseSide = (name) => {
    if (!SIDES.includes(name)) throw new Error(`Expected a side out of ${SIDES.join(", ")}, got ${name}.`);
    return SIDES.indexOf(name);
  };
  const parseJoint = ({ piece, side, other, other_side }) =>
    [4 * parseNumber(piece, board.n) + parseSide(side), 4 * parseNumber(other, board.n) + parseSide(other_side)];
  const parseCell = ({ piece, row, col, turn }) =>
    [board.cellAt(parseNumber(row, board.rows), parseNumber(col, board.cols)), 4 * parseNumber(piece, board.n) + parseNumber(turn ?? 0, 4)];
  return {
    joined: (data.joints ?? []).map(parseJoint),
    cuts: (data.forbidden ?? []).map(parseJoint),
    cells: (data.cells ?? []).map(parseCell),
  };
}
