// The puzzle on a canvas: the sheet, the board, and pieces in flight between them. All resting pieces are in one bitmap, so
// a frame costs the same for ten pieces and for twenty thousand.

import { HOLE, pieceOf, turnOf } from "./board.js";
import { makeCanvas, Pyramid } from "./pyramid.js";
import { Camera } from "./camera.js";

const MAX_BOARD_PIXELS = 24e6; // of the bitmap of the board
const MAX_SHEET_PIXELS = 4e6; // of the bitmap of the sheet
const MAX_SHARP_CELLS = 1500; // that are drawn one by one where the bitmap of the board is too coarse
const MAX_FLIGHTS = 500; // pieces in the air; the others just appear
const FLIGHT_MS = 460;
const COLOURS = ["ground", "well", "line", "accent", "doubt", "undecidable"];

export class View {
  // atlas: {image, cols, piece: [width, height], place?, turn?, sheet_cols?}
  constructor(canvas, atlas, board) {
    this.canvas = canvas;
    this.ctx = canvas.getContext("2d", { alpha: false });
    this.atlas = atlas;
    [this.width, this.height] = atlas.piece;
    this.board = board;
    this.sheetCols = atlas.sheet_cols ?? atlas.cols;
    this.sheetRows = Math.ceil(board.n / this.sheetCols);
    this._closing = new AbortController();
    this.signal = this._closing.signal; // aborted when the view closes
    this.camera = new Camera(canvas, () => this.redraw(), this.signal);
    this.painters = []; // draw on top of the board, in world units
    this.flights = [];
    this.flightCount = 0; // of all flights so far
    this.departing = new Set(); // pieces whose flight has not begun: they are still drawn on the sheet
    this.mode = "sheet";
    this.colours = {};
    this.reducedMotion = window.matchMedia("(prefers-reduced-motion: reduce)");
    this._frameRequest = 0;
    this._buildBoard();
    this._sheet = this._buildSheet();
    this._mask = makeCanvas(this.sheetCols, this.sheetRows);
    this.updateColours();
    this._resizeObserver = new ResizeObserver(() => this.resize());
    this._resizeObserver.observe(canvas);
    this.resize();
  }

  close() {
    this._resizeObserver.disconnect();
    this._closing.abort();
    cancelAnimationFrame(this._frameRequest);
  }

  updateColours() {
    const probe = document.body.appendChild(document.createElement("i")); // resolves variables to colours
    for (const name of COLOURS) {
      probe.style.color = `var(--${name})`;
      this.colours[name] = getComputedStyle(probe).color;
    }
    probe.remove();
    this._updateMask();
    this.redraw();
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.max(1, Math.round(this.canvas.clientWidth * ratio));
    this.canvas.height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    this.camera.refit();
    this.redraw();
  }

  // --- the world: rectangles are [x, y, width, height] -----------------------------------------------------------

  get boardRect() {
    return [0, 0, this.board.cols * this.width, this.board.rows * this.height];
  }

  get sheetRect() {
    const [width, height] = [this.sheetCols * this.width, this.sheetRows * this.height];
    if (this.mode === "sheet") return [0, 0, width, height];
    const gap = 0.06 * Math.max(width, height) + this.width;
    const portrait = this.canvas.clientHeight > this.canvas.clientWidth;
    return portrait ? [0, -height - gap, width, height] : [-width - gap, 0, width, height];
  }

  get everything() {
    if (this.mode === "sheet") return this.sheetRect;
    if (this.mode === "board") return this.boardRect;
    const [x, y, w, h] = this.sheetRect;
    const [bx, by, bw, bh] = this.boardRect;
    const [left, top] = [Math.min(x, bx), Math.min(y, by)];
    return [left, top, Math.max(x + w, bx + bw) - left, Math.max(y + h, by + bh) - top];
  }

  // mode: "sheet", "board" or "both"
  setMode(mode, animate = true) {
    this.mode = mode;
    this.camera.fit(this.everything, animate);
  }

  // What the canvas shows, as [left, top, right, bottom].
  visibleRect() {
    return [...this.camera.toWorld(0, 0), ...this.camera.toWorld(this.camera.width, this.camera.height)];
  }

  cellAt(px, py) {
    const [x, y] = this.camera.toWorld(px, py);
    return this.board.cellAt(Math.floor(y / this.height), Math.floor(x / this.width));
  }

  cornerOf(cell) {
    const [row, col] = this.board.position(cell);
    return [col * this.width, row * this.height];
  }

  sheetCornerOf(piece) {
    const [x, y] = this.sheetRect;
    return [x + (piece % this.sheetCols) * this.width, y + Math.floor(piece / this.sheetCols) * this.height];
  }

  // --- bitmaps -------------------------------------------------------------------------------------------------

  // The size of a piece in a bitmap that holds `count` pieces.
  _scaledPiece(count, maxPixels) {
    const scale = Math.min(1, Math.sqrt(maxPixels / Math.max(1, count * this.width * this.height)));
    return [Math.max(1, Math.floor(this.width * scale)), Math.max(1, Math.floor(this.height * scale))];
  }

  _buildBoard() {
    const { rows, cols } = this.board;
    this._gridSize = [rows, cols];
    this._cellSize = this._scaledPiece(rows * cols, MAX_BOARD_PIXELS);
    const bitmap = makeCanvas(cols * this._cellSize[0], rows * this._cellSize[1]);
    this._boardCtx = bitmap.getContext("2d");
    this._pyramid = new Pyramid(bitmap, this._cellSize[0] / this.width);
    for (let cell = 0; cell < rows * cols; cell++) this._drawCell(cell);
  }

  _buildSheet() {
    if (!this.atlas.place) return new Pyramid(this.atlas.image, 1);
    const { sheetCols, sheetRows } = this;
    const [w, h] = this._scaledPiece(sheetRows * sheetCols, MAX_SHEET_PIXELS);
    const sheet = makeCanvas(sheetCols * w, sheetRows * h);
    const ctx = sheet.getContext("2d");
    for (let piece = 0; piece < this.board.n; piece++) {
      this.drawPiece(ctx, piece, 0, (piece % sheetCols) * w, Math.floor(piece / sheetCols) * h, w, h);
    }
    return new Pyramid(sheet, w / this.width);
  }

  _clearCell(cell) {
    const [w, h] = this._cellSize;
    const [row, col] = this.board.position(cell);
    this._boardCtx.clearRect(col * w, row * h, w, h);
    this._pyramid.touch(col * w, row * h, w, h);
    return [col * w, row * h, w, h];
  }

  _drawCell(cell) {
    const rect = this._clearCell(cell);
    const label = this.board.labels[cell];
    if (label !== HOLE) this.drawPiece(this._boardCtx, pieceOf(label), turnOf(label), ...rect);
  }

  // Draw a piece into a rectangle. The turn may lie between two quarter turns.
  drawPiece(ctx, piece, turn, x, y, w, h) {
    const { atlas } = this;
    const place = atlas.place ? atlas.place[piece] : piece;
    if (place < 0) return;
    const sx = (place % atlas.cols) * this.width;
    const sy = Math.floor(place / atlas.cols) * this.height;
    const quarters = turn - (atlas.turn ? atlas.turn[piece] : 0);
    if (quarters % 4 === 0) {
      ctx.drawImage(atlas.image, sx, sy, this.width, this.height, x, y, w, h);
      return;
    }
    ctx.save();
    ctx.translate(x + w / 2, y + h / 2);
    ctx.rotate((quarters * Math.PI) / 2);
    ctx.drawImage(atlas.image, sx, sy, this.width, this.height, -w / 2, -h / 2, w, h);
    ctx.restore();
  }

  // The mask covers the pieces that have left the sheet, with one pixel for each.
  _updateMask() {
    const { width, height } = this._mask;
    const ctx = this._mask.getContext("2d");
    const pixels = ctx.createImageData(width, height);
    for (let place = 0; place < width * height; place++) {
      const empty = place >= this.board.n || (this.board.cellOf[place] >= 0 && !this.departing.has(place));
      pixels.data[4 * place + 3] = empty ? 255 : 0;
    }
    ctx.putImageData(pixels, 0, 0);
    ctx.globalCompositeOperation = "source-in"; // colours the covered pixels only
    ctx.fillStyle = this.colours.well;
    ctx.fillRect(0, 0, width, height);
    ctx.globalCompositeOperation = "source-over";
  }

  // --- changes -------------------------------------------------------------------------------------------------

  // Show the changes of the board; pieces fly to their new cells. order: cells in the order of their flights, which begin
  // within the given seconds. No seconds, no flights.
  update(order = [], seconds = 0) {
    const [rows, cols] = this._gridSize;
    if (rows !== this.board.rows || cols !== this.board.cols) {
      this.reset();
      const hasGrown = rows <= this.board.rows && cols <= this.board.cols;
      if (this.camera.fitted || !hasGrown) this.camera.fit(this.everything, false);
      return;
    }
    const { touched, moved } = this.board.takeChanges();
    let goals = new Set();
    if (!this.reducedMotion.matches && seconds > 0 && moved.size > 0) goals = this._launch(moved, order, seconds);
    else {
      this.flights = this.flights.filter(({ piece, cell }) => this.board.cellOf[piece] === cell && !touched.has(cell));
      this.departing = new Set(this.flights.map(({ piece }) => piece).filter((piece) => this.departing.has(piece)));
    }
    for (const cell of touched) {
      if (goals.has(cell)) this._clearCell(cell);
      else this._drawCell(cell);
    }
    this._updateMask();
    this.redraw();
  }

  // Start flights for all moved pieces. Returns their goals.
  _launch(moved, order, seconds) {
    const now = performance.now();
    const rank = new Map(order.map((cell, k) => [cell, k]));
    const visibleEvery = Math.ceil(moved.size / Math.max(MAX_FLIGHTS, (MAX_FLIGHTS * 1000 * seconds) / FLIGHT_MS));
    const goals = new Set();
    for (const [piece, before] of moved) {
      const cell = this.board.cellOf[piece];
      if (cell < 0) continue;
      const fromSheet = before.cell < 0;
      const delay = fromSheet && rank.has(cell) ? rank.get(cell) / order.length : 0;
      if (fromSheet) this.departing.add(piece);
      this.flights.push({
        piece, cell, turn: before.turn, from: fromSheet ? this.sheetCornerOf(piece) : this.cornerOf(before.cell),
        start: now + 1000 * seconds * delay, visible: goals.size % visibleEvery === 0,
      });
      goals.add(cell);
    }
    this.flightCount += goals.size;
    this.flights.sort((a, b) => a.start - b.start);
    return goals;
  }

  // Draw everything anew, for a board that has another size or was cleared.
  reset() {
    this.board.takeChanges();
    this.flights = [];
    this.departing.clear();
    this._buildBoard();
    this._updateMask();
    this.redraw();
  }

  finishFlights() {
    for (const flight of this.flights) this._drawCell(flight.cell);
    this.flights = [];
    this.departing.clear();
    this._updateMask();
    this.redraw();
  }

  async waitForFlights() {
    if (this.mode === "sheet") this.finishFlights(); // they are not visible
    while (this.flights.length && !this.signal.aborted) await new Promise((done) => setTimeout(done, 60));
  }

  // --- frames --------------------------------------------------------------------------------------------------

  redraw() {
    if (!this._frameRequest && !this.signal.aborted) this._frameRequest = requestAnimationFrame((now) => this._drawFrame(now));
  }

  _drawFrame(now) {
    this._frameRequest = 0;
    const moving = this.camera.step(now);
    const ratio = this.canvas.width / Math.max(1, this.canvas.clientWidth);
    const { ctx, camera } = this;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.fillStyle = this.colours.ground;
    ctx.fillRect(0, 0, this.canvas.width, this.canvas.height);
    const zoom = camera.zoom * ratio;
    const [left, top] = camera.toWorld(0, 0);
    ctx.setTransform(zoom, 0, 0, zoom, -left * zoom, -top * zoom);
    ctx.imageSmoothingEnabled = zoom < 3;
    ctx.imageSmoothingQuality = "low";
    let landed = 0;
    if (this.mode !== "board") this._drawSheet(zoom);
    if (this.mode !== "sheet") {
      this._drawBoard(zoom);
      landed = this._drawFlights(now);
      for (const painter of this.painters) painter.paint(ctx, this);
    }
    if (moving || landed || this.flights.length) this.redraw(); // landed pieces are in the bitmap of the next frame
  }

  _drawSheet(zoom) {
    const [x, y, w, h] = this.sheetRect;
    const [left, top, right, bottom] = this.visibleRect();
    this._sheet.refresh();
    this.ctx.save();
    this.ctx.translate(x, y);
    this._sheet.draw(this.ctx, zoom, [left - x, top - y, right - x, bottom - y]);
    this.ctx.imageSmoothingEnabled = false;
    this.ctx.drawImage(this._mask, 0, 0, w, h);
    this.ctx.restore();
    if (this.width * this.camera.zoom > 7) this._drawGrid(this.sheetRect, 0.35);
  }

  // The whole sheet, fitted into a rectangle of the world.
  drawSheetInto(ctx, [x, y, w, h]) {
    const [width, height] = [this.sheetCols * this.width, this.sheetRows * this.height];
    const scale = Math.min(w / width, h / height);
    this._sheet.refresh();
    ctx.save();
    ctx.translate(x + (w - width * scale) / 2, y + (h - height * scale) / 2);
    ctx.scale(scale, scale);
    this._sheet.draw(ctx, this.camera.zoom * scale, [0, 0, width, height]);
    ctx.restore();
  }

  _drawBoard(zoom) {
    const { ctx } = this;
    ctx.fillStyle = this.colours.well;
    ctx.fillRect(...this.boardRect);
    if (this.width * this.camera.zoom > 5) this._drawGrid(this.boardRect, 0.5);
    this._pyramid.refresh();
    this._pyramid.draw(ctx, zoom, this.visibleRect());
    if (zoom * this.width > this._cellSize[0]) this._drawSharp();
    ctx.strokeStyle = this.colours.line;
    ctx.lineWidth = 1.5 / this.camera.zoom;
    ctx.strokeRect(...this.boardRect);
  }

  // The visible cells at the resolution of the atlas.
  _drawSharp() {
    const { board, ctx } = this;
    if (this._cellSize[0] >= this.width) return;
    const [left, top, right, bottom] = this.visibleRect();
    const clip = (from, to, size, end) => [Math.max(0, Math.floor(from / size)), Math.min(end, Math.ceil(to / size))];
    const [row0, row1] = clip(top, bottom, this.height, board.rows);
    const [col0, col1] = clip(left, right, this.width, board.cols);
    if ((row1 - row0) * (col1 - col0) > MAX_SHARP_CELLS) return;
    const flying = new Set(this.flights.map(({ cell }) => cell));
    for (let row = row0; row < row1; row++) {
      for (let col = col0; col < col1; col++) {
        const cell = board.cellAt(row, col);
        const label = board.labels[cell];
        if (label !== HOLE && !flying.has(cell)) this.drawPiece(ctx, pieceOf(label), turnOf(label), col * this.width, row * this.height, this.width, this.height);
      }
    }
  }

  _drawGrid([x, y, w, h], opacity) {
    const { ctx } = this;
    const [left, top, right, bottom] = this.visibleRect();
    ctx.beginPath();
    for (let line = Math.max(x, x + Math.ceil((left - x) / this.width) * this.width); line <= Math.min(x + w, right); line += this.width) {
      ctx.moveTo(line, Math.max(y, top));
      ctx.lineTo(line, Math.min(y + h, bottom));
    }
    for (let line = Math.max(y, y + Math.ceil((top - y) / this.height) * this.height); line <= Math.min(y + h, bottom); line += this.height) {
      ctx.moveTo(Math.max(x, left), line);
      ctx.lineTo(Math.min(x + w, right), line);
    }
    ctx.globalAlpha = opacity;
    ctx.strokeStyle = this.colours.line;
    ctx.lineWidth = 1 / this.camera.zoom;
    ctx.stroke();
    ctx.globalAlpha = 1;
  }

  // Draw the pieces in flight. Returns the number that landed.
  _drawFlights(now) {
    let [landed, departed] = [0, false];
    for (const flight of this.flights) {
      const share = (now - flight.start) / FLIGHT_MS;
      if (share < 0) break; // flights are sorted by their start
      if (this.departing.delete(flight.piece)) departed = true;
      const label = this.board.labels[flight.cell];
      const valid = label !== HOLE && pieceOf(label) === flight.piece;
      if (share >= 1 || !flight.visible || !valid) {
        flight.done = true;
        landed++;
        if (valid) this._drawCell(flight.cell);
        continue;
      }
      const eased = share < 0.5 ? 4 * share ** 3 : 1 - (2 - 2 * share) ** 3 / 2;
      const [x1, y1] = this.cornerOf(flight.cell);
      const [x0, y0] = flight.from;
      const turn = flight.turn + (((turnOf(label) - flight.turn + 6) % 4) - 2) * eased;
      const lift = 1 + 0.35 * Math.sin(Math.PI * share);
      const [w, h] = [this.width * lift, this.height * lift];
      const [x, y] = [x0 + (x1 - x0) * eased, y0 + (y1 - y0) * eased];
      this.drawPiece(this.ctx, flight.piece, turn, x - (w - this.width) / 2, y - (h - this.height) / 2, w, h);
    }
    if (departed) this._updateMask();
    if (landed) this.flights = this.flights.filter((flight) => !flight.done);
    return landed;
  }
}
