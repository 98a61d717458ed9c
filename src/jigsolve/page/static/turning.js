// Quarter turns of whole layouts. A grid is {rows, cols, labels}.

import { HOLE, pieceOf, turnOf } from "./board.js";

// Where a cell of a grid of so many rows goes in a clockwise quarter turn.
const turnCell = ([row, col], rows) => [col, rows - 1 - row];

export function turnGrid({ rows, cols, labels }, quarters) {
  if (!(quarters & 3)) return { rows, cols, labels };
  const turned = new Int32Array(labels.length);
  labels.forEach((label, cell) => {
    const [row, col] = turnCell([Math.floor(cell / cols), cell % cols], rows);
    turned[row * rows + col] = label === HOLE ? HOLE : 4 * pieceOf(label) + ((turnOf(label) + 1) & 3);
  });
  return turnGrid({ rows: cols, cols: rows, labels: turned }, quarters - 1);
}
