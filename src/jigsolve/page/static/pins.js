// Pin files of the command line (docs/pins.md).

import { HOLE, SIDES, pieceOf, turnOf } from "./board.js";
import { turnGrid } from "./turning.js";

const toJoint = ([a, b]) => ({ piece: pieceOf(a), side: SIDES[a & 3], other: pieceOf(b), other_side: SIDES[b & 3] });

// turned: quarter turns that the person has done to the whole picture. Pins are those of the picture as it was solved.
export function toPins({ board, locked, joined, cuts, turned = 0 }) {
  const { rows, cols, labels } = turnGrid(board, 4 - (turned & 3));
  const cells = [];
  for (let cell = 0; locked.size && cell < rows * cols; cell++) {
    const label = labels[cell];
    if (label === HOLE || !locked.has(pieceOf(label))) continue;
    cells.push({ piece: pieceOf(label), row: Math.floor(cell / cols), col: cell % cols, turn: turnOf(label) });
  }
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
