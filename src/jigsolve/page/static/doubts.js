// Doubtful joints: a list of them or of the regions they lie in, and a closer look at one, bare and magnified.

import { pieceOf, turnOf } from "./board.js";
import { byId, create, onClick, show } from "./dom.js";
import { formatCount, formatPercent } from "./format.js";
import { drawThumbnail } from "./inspector.js";
import { cellsOf, findDoubtful, findUndecidable } from "./joints.js";
import { MAX_SINGLE_DOUBTS, findRegions } from "./regions.js";
import { say } from "./status.js";

const MAX_LISTED = 100; // regions, or joints of a region; Next and Previous reach all
const CARD_PX = 92; // of a piece in the closer look

const describeRange = (name, [first, last]) => (first === last ? `${name} ${first + 1}` : `${name}s ${first + 1}–${last + 1}`);
const describePlace = (rows, cols) => `${describeRange("Row", rows)}, ${describeRange("column", cols)}`;

export class Doubts {
  constructor(app) {
    this.app = app;
    Object.assign(this, { list: [], regions: [], current: -1, open: null });
    onClick("previous", () => this.step(-1));
    onClick("next", () => this.step(1));
    onClick("overlay", () => this.toggleOverlay());
  }

  // Show the doubtful joints of a layout that was just judged.
  update(layout) {
    const visited = this.list[this.current];
    const doubtful = findDoubtful(layout);
    this.regions = findRegions(doubtful, layout.cols);
    this.list = doubtful.length > MAX_SINGLE_DOUBTS ? this.regions.flatMap((region) => region.joints) : doubtful;
    this.current = visited ? this.list.findIndex((joint) => ["row", "col", "direction"].every((key) => joint[key] === visited[key])) : -1;
    this.open = null;
    byId("doubt-count").textContent = doubtful.length || "none";
    for (const id of ["previous", "next"]) show(id, doubtful.length);
    show("legend", doubtful.length || findUndecidable(layout).length);
    if (this.current < 0) this.look(null);
    this._fill();
  }

  _fill() {
    const grouped = this.list.length > MAX_SINGLE_DOUBTS;
    const items = grouped ? this.regions.slice(0, MAX_LISTED).map((region) => this._buildRegion(region)) : this.list.map((joint) => create("li", {}, this._buildJoint(joint)));
    byId("doubts").replaceChildren(...items);
  }

  _buildRegion(region) {
    const { rows, cols, joints } = region;
    const button = create("button", { onclick: () => this.openRegion(region), ariaExpanded: this.open === region },
      describePlace(rows, cols), create("span", { className: "number" }, formatCount(joints.length, "joint")));
    const inner = this.open === region ? [create("ol", { className: "doubts inner" }, ...joints.slice(0, MAX_LISTED).map((joint) => create("li", {}, this._buildJoint(joint))))] : [];
    return create("li", {}, button, ...inner);
  }

  openRegion(region) {
    const { view } = this.app;
    this.open = this.open === region ? null : region;
    this._fill();
    const { rows, cols } = region;
    if (this.open) view.camera.fit([cols[0] * view.width, rows[0] * view.height, (cols[1] - cols[0] + 1) * view.width, (rows[1] - rows[0] + 1) * view.height], true, 60);
  }

  _buildJoint(joint) {
    const { board, view } = this.app;
    const labels = cellsOf(joint, board.cols).map((cell) => board.labels[cell]);
    const [below, percent] = [joint.direction === 1, formatPercent(joint.probability)];
    const place = describePlace([joint.row, joint.row + below], [joint.col, joint.col + !below]);
    return create("button", { onclick: () => this.goTo(this.list.indexOf(joint)), ariaCurrent: this.list[this.current] === joint, ariaLabel: `${place}: ${percent}` },
      drawThumbnail(view, labels.map((label) => [pieceOf(label), turnOf(label)]), below ? 19 : 26, below), place, create("span", { className: "number" }, percent));
  }

  step(by) {
    const count = this.list.length;
    if (count) this.goTo((this.current + by + count + (this.current < 0 && by < 0 ? 1 : 0)) % count);
  }

  // Move the camera to a doubtful joint, and select its two pieces. Nothing is drawn over them.
  goTo(k) {
    const { view, gestures, board } = this.app;
    this.current = k;
    const joint = this.list[k];
    const [first, second] = cellsOf(joint, board.cols);
    const region = this.list.length > MAX_SINGLE_DOUBTS ? this.regions.find(({ joints }) => joints.includes(joint)) : null;
    if (region !== this.open) this.open = region;
    gestures.select([first, second], first);
    this.look(joint);
    const [[x, y], [x1, y1]] = [view.cornerOf(first), view.cornerOf(second)];
    const zoom = Math.max(view.camera.zoom, Math.min(6, 110 / Math.min(view.width, view.height)));
    view.camera.fitted = null;
    view.camera.moveTo((x + x1 + view.width) / 2, (y + y1 + view.height) / 2, zoom);
    say(`Doubtful joint ${k + 1} of ${this.list.length}: ${formatPercent(joint.probability)}`);
    this._fill();
    byId("doubts-part").open = true;
    byId("doubt-card").scrollIntoView({ block: "nearest" });
  }

  // Show one joint bare and magnified, as it lies and as it could be; null shows none.
  look(joint) {
    const { overlay, selection, view } = this.app;
    if (overlay) overlay.bare = joint;
    selection.bare = joint !== null;
    overlay?.update();
    view.redraw();
    show("doubt-card", joint);
    if (joint) this._fillCard(joint);
  }

  _fillCard(joint) {
    const { board, view, editor, gestures } = this.app;
    const cells = cellsOf(joint, board.cols);
    const labels = cells.map((cell) => board.labels[cell]);
    const below = joint.direction === 1;
    const draw = (pieces) => drawThumbnail(view, pieces.map((label) => [pieceOf(label), turnOf(label)]), CARD_PX, below);
    const decide = (act) => () => { act(editor.jointsOf(cells)); this.step(1); };
    const figures = [create("figure", {}, draw(labels), create("figcaption", {}, `As it lies, ${formatPercent(joint.probability)}`))];
    const other = this._findAlternative(cells, joint.direction, labels);
    if (other) {
      figures.push(create("figure", {}, draw(other.labels), create("figcaption", {}, "Another piece that may fit")));
    }
    const buttons = [
      create("button", { title: "Keep the two together (J)", onclick: decide((joints) => editor.join(joints)) }, "It is right"),
      create("button", { title: "The next solve keeps them apart (X)", onclick: decide((joints) => editor.cut(joints)) }, "It is wrong"),
      ...(other ? [create("button", { onclick: () => { gestures.select([], -1); this.app.panel.attach(other.side, other.otherSide); } }, "Use the other")] : []),
    ];
    byId("doubt-card").replaceChildren(create("p", { className: "small" }, create("b", {}, `Doubt ${this.current + 1} of ${this.list.length}: does this fit?`)),
      create("div", { className: `figures${below ? " tall" : ""}` }, ...figures), create("div", { className: "row tight" }, ...buttons));
  }

  // The likeliest other piece at one of the two sides: {labels of the two pieces then, probability, side, otherSide}.
  _findAlternative(cells, direction, labels) {
    const { board, inspector } = this.app;
    const found = [0, 1].flatMap((k) => {
      const facing = k === 0 ? direction : direction ^ 2;
      const side = board.sideAt(cells[k], facing);
      const present = board.sideAt(cells[1 - k], facing ^ 2);
      return inspector.alternatives(side).filter((one) => one.side !== present && this.app.editor.mayTurn((facing + 2 - one.side) & 3)).map((one) => {
        const label = 4 * pieceOf(one.side) + ((facing + 2 - one.side) & 3); // turned so that its side faces the other piece
        return { probability: one.probability, side, otherSide: one.side, labels: k === 0 ? [labels[0], label] : [label, labels[1]] };
      });
    });
    return found.sort((a, b) => b.probability - a.probability)[0] ?? null;
  }

  toggleOverlay() {
    const { overlay, view } = this.app;
    overlay.shown = !overlay.shown;
    byId("overlay").setAttribute("aria-pressed", overlay.shown);
    view.redraw();
  }
}
