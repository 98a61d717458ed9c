// Doubtful joints that lie close together, as regions: hundreds of joints are a few places to look at.

import { cellsOf } from "./joints.js";

export const MAX_SINGLE_DOUBTS = 24; // more are shown as regions
const MAX_REGIONS = 40;
const TILES = 6; // along the longer axis, if there would be more regions

// [{joints, rows: [first, last], cols: [first, last]}], those with the least likely joints first. joints: as `findDoubtful`
// returns them, the least likely first.
export function findRegions(joints, cols) {
  const byCell = new Map();
  for (const joint of joints) {
    for (const cell of cellsOf(joint, cols)) byCell.set(cell, [...(byCell.get(cell) ?? []), joint]);
  }
  const seen = new Set();
  const regions = [];
  for (const start of joints) {
    if (seen.has(start)) continue;
    seen.add(start);
    const found = [start];
    for (let k = 0; k < found.length; k++) {
      for (const next of listNear(found[k], byCell, cols)) {
        if (seen.has(next)) continue;
        seen.add(next);
        found.push(next);
      }
    }
    regions.push(describeRegion(found, cols));
  }
  return regions.length > MAX_REGIONS ? groupByTile(joints, cols) : regions;
}

// Joints that are scattered everywhere: a region for each part of the picture.
function groupByTile(joints, cols) {
  const size = Math.ceil(Math.max(cols, ...joints.map(({ row }) => row + 1)) / TILES);
  const tiles = new Map();
  for (const joint of joints) {
    const key = `${Math.floor(joint.row / size)}:${Math.floor(joint.col / size)}`;
    if (!tiles.has(key)) tiles.set(key, []);
    tiles.get(key).push(joint);
  }
  return [...tiles.values()].map((found) => describeRegion(found, cols));
}

// The joints of the cells of a joint, and of the cells around them.
function listNear(joint, byCell, cols) {
  return cellsOf(joint, cols).flatMap((cell) => {
    const near = [];
    for (let col = Math.max(0, (cell % cols) - 1); col <= Math.min(cols - 1, (cell % cols) + 1); col++) {
      for (let row = Math.floor(cell / cols) - 1; row <= Math.floor(cell / cols) + 1; row++) near.push(...(byCell.get(row * cols + col) ?? []));
    }
    return near;
  });
}

function describeRegion(joints, cols) {
  let [top, left, bottom, right] = [Infinity, Infinity, 0, 0];
  for (const cell of joints.flatMap((joint) => cellsOf(joint, cols))) {
    const [row, col] = [Math.floor(cell / cols), cell % cols];
    [top, left, bottom, right] = [Math.min(top, row), Math.min(left, col), Math.max(bottom, row), Math.max(right, col)];
  }
  joints.sort((a, b) => a.probability - b.probability);
  return { joints, rows: [top, bottom], cols: [left, right] };
}
