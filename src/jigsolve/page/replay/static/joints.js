// The joints of a layout file: those that are doubtful, and those that are undecidable.

import { HOLE } from "./board.js";

export const DOUBT_THRESHOLD = 0.8;

// All joints with their values in two grids, as {row, col, direction, [name]}; direction is 0 (right) or 1 (down).
function listJoints(grids, name) {
  return ["right", "down"].flatMap((key, direction) =>
    (grids?.[key] ?? []).flatMap((line, row) => line.map((value, col) => ({ row, col, direction, [name]: value }))));
}

export function findUndecidable(layout) {
  return listJoints(layout.undecidable, "flag").filter(({ flag }) => flag);
}

// The least likely first.
export function findDoubtful(layout) {
  const undecidable = listJoints(layout.undecidable, "flag");
  return listJoints(layout.joints, "probability")
    .filter(({ probability }, k) => probability !== null && probability < DOUBT_THRESHOLD && !undecidable[k]?.flag)
    .sort((a, b) => a.probability - b.probability);
}

// The two cells of a joint.
export function cellsOf({ row, col, direction }, cols) {
  const cell = row * cols + col;
  return [cell, cell + (direction === 0 ? 1 : cols)];
}

// Does the board still hold both pieces of a joint as in the answer?
export function isUnchanged(board, answerLabels, joint) {
  return cellsOf(joint, board.cols).every((cell) => board.labels[cell] !== HOLE && board.labels[cell] === answerLabels[cell]);
}
