// Before and after: the scrambled sheet covers the left part of the answer, up to a line that can be dragged.

import { byId, onClick, show } from "./dom.js";

export class Compare {
  constructor(app) {
    this.app = app;
    this.shown = false;
    onClick("compare", () => this.toggle());
    byId("compare-share").addEventListener("input", () => this.app.view?.redraw());
  }

  toggle(shown = !this.shown) {
    this.shown = shown;
    byId("compare").setAttribute("aria-pressed", shown);
    show("compare-part", shown);
    if (shown) this.app.gestures?.select([], -1);
    if (shown) this.app.view.camera.fit(this.app.view.everything);
    this.app.view?.redraw();
  }

  paint(ctx, view) {
    if (!this.shown) return;
    const [, , width, height] = view.boardRect;
    const edge = (width * byId("compare-share").value) / 100;
    ctx.save();
    ctx.beginPath();
    ctx.rect(0, 0, edge, height);
    ctx.clip();
    ctx.fillStyle = view.colours.well;
    ctx.fillRect(0, 0, edge, height);
    view.drawSheetInto(ctx, view.boardRect);
    ctx.restore();
    const px = 1 / view.camera.zoom;
    for (const [colour, line] of [["#ffffff", 5], [view.colours.accent, 2.5]]) {
      ctx.strokeStyle = colour;
      ctx.lineWidth = line * px;
      ctx.beginPath();
      ctx.moveTo(edge, 0);
      ctx.lineTo(edge, height);
      ctx.stroke();
    }
  }
}
