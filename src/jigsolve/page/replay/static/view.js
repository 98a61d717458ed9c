// The puzzle on a canvas: the sheet, the board, pieces in flight between them. One bitmap holds all that lies still, so
// that a frame costs the same for ten pieces and for twenty thousand.

import { HOLE } from "./board.js";
import { makeCanvas, Pyramid } from "./pyramid.js";
import { Camera } from "./camera.js";

const MOST_PIXELS = 24e6; // of the bitmap of the board
const MOST_FLYING = 500; // pieces in the air; the others appear
const FLIGHT = 460; // milliseconds

export class View {
  // atlas: {image, cols, piece: [width, height], place?, turn?, home?}; home: columns of the sheet.
  constructor(canvas, atlas, board) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d", { alpha: false });
    this.atlas = atlas;
    [this.width, this.height] = atlas.piece;
    this.board = board;
    this.home = atlas.home ?? atlas.cols;
    this._end = new AbortController();
    this.ended = this._end.signal;
    this.camera = new Camera(canvas, () => this.redraw(), this.ended);
    this.painters = []; // draw on top, in world units
    this.flights = [];
    this.atHome = new Set(); // pieces that will fly, and still lie on the sheet
    this.mode = "sheet";
    this.frames = []; // times of the last frames, for whoever measures
    this.flown = 0; // pieces that have flown, likewise
    this.colours = {};
    this.still = window.matchMedia("(prefers-reduced-motion: reduce)");
    this._asked = 0;
    this._build();
    this._sheet = this._sheetPyramid();
    this.theme();
    this._watch = new ResizeObserver(() => this.resized());
    this._watch.observe(canvas);
    this.resized();
  }

  close() {
    this._watch.disconnect();
    this._end.abort();
    cancelAnimationFrame(this._asked);
    this.closed = true;
  }

  theme() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["ground", "well", "line", "accent", "doubt", "blind", "ink"]) {
      this.colours[name] = style.getPropertyValue(`--${name}`).trim() || "#888";
    }
    this._veil();
    this.redraw();
  }

  resized() {
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.max(1, Math.round(this.canvas.clientWidth * ratio));
    this.canvas.height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    this.camera.refit();
    this.redraw();
  }

  // --- the world -----------------------------------------------------------------------------------------------

  get boardRect() {
    return [0, 0, this.board.cols * this.width, this.board.rows * this.height];
  }

  get sheetRect() {
    const [width, height] = [this.home * this.width, Math.ceil(this.board.n / this.home) * this.height];
    if (this.mode === "sheet") return [0, 0, width, height];
    const gap = 0.06 * Math.max(width, height) + this.width;
    const upright = this.canvas.clientHeight > this.canvas.clientWidth;
    return upright ? [0, -height - gap, width, height] : [-width - gap, 0, width, height];
  }

  get everything() {
    const [x, y, w, h] = this.sheetRect;
    if (this.mode === "sheet") return [x, y, w, h];
    const [bx, by, bw, bh] = this.boardRect;
    if (this.mode === "board") return [bx, by, bw, bh];
    const [left, top] = [Math.min(x, bx), Math.min(y, by)];
    return [left, top, Math.max(x + w, bx + bw) - left, Math.max(y + h, by + bh) - top];
  }

  show(mode, glides = true) {
    this.mode = mode;
    this.camera.fit(this.everything, glides);
  }

  window() {
    return [...this.camera.toWorld(0, 0), ...this.camera.toWorld(this.camera.width, this.camera.height)];
  }

  cellAt(px, py) {
    const [x, y] = this.camera.toWorld(px, py);
    const [col, row] = [Math.floor(x / this.width), Math.floor(y / this.height)];
    if (row < 0 || col < 0 || row >= this.board.rows || col >= this.board.cols) return -1;
    return row * this.board.cols + col;
  }

  corner(cell) {
    return [(cell % this.board.cols) * this.width, Math.floor(cell / this.board.cols) * this.height];
  }

  homeOf(piece) {
    const [x, y] = this.sheetRect;
    return [x + (piece % this.home) * this.width, y + Math.floor(piece / this.home) * this.height];
  }

  // --- bitmaps -------------------------------------------------------------------------------------------------

  _build() {
    const { rows, cols } = this.board;
    this.built = [rows, cols];
    const scale = Math.min(1, Math.sqrt(MOST_PIXELS / Math.max(1, rows * cols * this.width * this.height)));
    this.cell = [Math.max(1, Math.floor(this.width * scale)), Math.max(1, Math.floor(this.height * scale))];
    this.bitmap = makeCanvas(cols * this.cell[0], rows * this.cell[1]);
    this.ink = this.bitmap.getContext("2d");
    this.pyramid = new Pyramid(this.bitmap, this.cell[0] / this.width);
    for (let cell = 0; cell < rows * cols; cell++) this._stamp(cell);
  }

  _stamp(cell) {
    const label = this.board.labels[cell];
    const [w, h] = this.cell;
    const [x, y] = [(cell % this.board.cols) * w, Math.floor(cell / this.board.cols) * h];
    this.ink.clearRect(x, y, w, h);
    if (label !== HOLE) this.piece(this.ink, label >> 2, label & 3, x, y, w, h);
    this.pyramid.touch(x, y, w, h);
  }

  _sheetPyramid() {
    const { atlas } = this;
    if (!atlas.place) return new Pyramid(atlas.image, 1);
    const rows = Math.ceil(this.board.n / this.home);
    const scale = Math.min(1, Math.sqrt(4e6 / (rows * this.home * this.width * this.height)));
    const [w, h] = [Math.max(1, Math.floor(this.width * scale)), Math.max(1, Math.floor(this.height * scale))];
    const sheet = makeCanvas(this.home * w, rows * h);
    const pen = sheet.getContext("2d");
    for (let piece = 0; piece < this.board.n; piece++) {
      this.piece(pen, piece, 0, (piece % this.home) * w, Math.floor(piece / this.home) * h, w, h);
    }
    return new Pyramid(sheet, w / this.width);
  }

  // Draw a piece with a turn (which may be between two quarters) into a rectangle.
  piece(pen, piece, turn, x, y, w, h) {
    const { atlas } = this;
    const place = atlas.place ? atlas.place[piece] : piece;
    if (place < 0) return;
    const sx = (place % atlas.cols) * this.width;
    const sy = Math.floor(place / atlas.cols) * this.height;
    const quarters = turn - (atlas.turn ? atlas.turn[piece] : 0);
    if (quarters % 4 === 0) {
      pen.drawImage(atlas.image, sx, sy, this.width, this.height, x, y, w, h);
      return;
    }
    pen.save();
    pen.translate(x + w / 2, y + h / 2);
    pen.rotate((quarters * Math.PI) / 2);
    pen.drawImage(atlas.image, sx, sy, this.width, this.height, -w / 2, -h / 2, w, h);
    pen.restore();
  }

  // Which pieces have left the sheet, one pixel each.
  _veil() {
    const rows = Math.ceil(this.board.n / this.home);
    this.veil ??= makeCanvas(this.home, rows);
    const pen = this.veil.getContext("2d");
    const mask = pen.createImageData(this.veil.width, this.veil.height);
    for (let place = 0; place < this.veil.width * this.veil.height; place++) {
      const empty = place >= this.board.n || (this.board.cellOf[place] >= 0 && !this.atHome.has(place));
      mask.data[4 * place + 3] = empty ? 255 : 0;
    }
    pen.putImageData(mask, 0, 0);
    pen.globalCompositeOperation = "source-in"; // the mask, in the colour of an empty place
    pen.fillStyle = this.colours.well ?? "#888";
    pen.fillRect(0, 0, this.veil.width, this.veil.height);
    pen.globalCompositeOperation = "source-over";
  }

  // --- changes -------------------------------------------------------------------------------------------------

  // The board has changed: pieces fly to where they lie now. order: cells as they were filled; seconds: for all of them.
  update(order = [], seconds = 0) {
    if (this.built[0] !== this.board.rows || this.built[1] !== this.board.cols) {
      this._build();
      this.reset();
      this.camera.fit(this.everything, false);
      return;
    }
    const { touched, moved } = this.board.taken();
    const flies = !this.still.matches && seconds > 0 && moved.size > 0;
    const rank = new Map(order.map((cell, k) => [cell, k]));
    const every = Math.ceil(moved.size / Math.max(MOST_FLYING, (MOST_FLYING * 1000 * seconds) / FLIGHT));
    const waiting = new Set();
    if (flies) {
      const now = performance.now();
      let count = 0;
      for (const [piece, before] of moved) {
        const cell = this.board.cellOf[piece];
        if (cell < 0) continue;
        const share = before.cell < 0 && rank.has(cell) ? rank.get(cell) / order.length : 0;
        const from = before.cell >= 0 ? this.corner(before.cell) : this.homeOf(piece);
        if (before.cell < 0) this.atHome.add(piece);
        this.flights.push({ piece, cell, from, turn: before.turn, since: now + 1000 * seconds * share, seen: count++ % every === 0 });
        waiting.add(cell);
      }
      this.flown += count;
      this.flights.sort((a, b) => a.since - b.since);
    } else {
      this.flights = this.flights.filter((flight) => this.board.cellOf[flight.piece] === flight.cell && !touched.has(flight.cell));
      this.atHome = new Set(this.flights.filter((flight) => this.atHome.has(flight.piece)).map((flight) => flight.piece));
    }
    for (const cell of touched) {
      if (waiting.has(cell)) this._erase(cell);
      else this._stamp(cell);
    }
    this._veil();
    this.redraw();
  }

  // The board is another one now, or was emptied behind our back.
  reset() {
    this.board.taken();
    this.flights = [];
    this.atHome.clear();
    this._build();
    this._veil();
    this.redraw();
  }

  _erase(cell) {
    const [w, h] = this.cell;
    const [x, y] = [(cell % this.board.cols) * w, Math.floor(cell / this.board.cols) * h];
    this.ink.clearRect(x, y, w, h);
    this.pyramid.touch(x, y, w, h);
  }

  land() {
    for (const flight of this.flights) this._stamp(flight.cell);
    this.flights = [];
    this.atHome.clear();
    this._veil();
    this.redraw();
  }

  // When all pieces have landed.
  async settled() {
    if (this.mode === "sheet") this.land(); // nobody sees them fly
    while (this.flights.length && !this.closed) await new Promise((done) => setTimeout(done, 60));
  }

  // --- frames --------------------------------------------------------------------------------------------------

  redraw() {
    if (!this._asked && !this.closed) this._asked = requestAnimationFrame((now) => this._frame(now));
  }

  _frame(now) {
    this._asked = 0;
    this.frames.push(now);
    if (this.frames.length > 600) this.frames.shift();
    const gliding = this.camera.step(now);
    const ratio = this.canvas.width / Math.max(1, this.canvas.clientWidth);
    const { pen, camera } = this;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.fillStyle = this.colours.ground;
    pen.fillRect(0, 0, this.canvas.width, this.canvas.height);
    const zoom = camera.zoom * ratio;
    const [left, top] = [camera.x - camera.width / 2 / camera.zoom, camera.y - camera.height / 2 / camera.zoom];
    pen.setTransform(zoom, 0, 0, zoom, -left * zoom, -top * zoom);
    pen.imageSmoothingEnabled = zoom < 3;
    pen.imageSmoothingQuality = "low";
    let landed = 0;
    if (this.mode !== "board") this._drawSheet(zoom);
    if (this.mode !== "sheet") {
      this._drawBoard(zoom);
      landed = this._drawFlights(now);
      for (const painter of this.painters) painter.paint(pen, this);
    }
    if (gliding || landed || this.flights.length) this.redraw(); // what landed is in the next frame's bitmap
  }

  _drawSheet(zoom) {
    const [x, y, w, h] = this.sheetRect;
    const [left, top, right, bottom] = this.window();
    this._sheet.refresh();
    this.pen.save();
    this.pen.translate(x, y);
    this._sheet.draw(this.pen, zoom, left - x, top - y, right - x, bottom - y);
    this.pen.imageSmoothingEnabled = false;
    this.pen.drawImage(this.veil, 0, 0, w, h);
    this.pen.restore();
    if (this.width * this.camera.zoom > 7) this._grid(x, y, w, h, 0.35);
  }

  _drawBoard(zoom) {
    const [x, y, w, h] = this.boardRect;
    const { pen } = this;
    pen.fillStyle = this.colours.well;
    pen.fillRect(x, y, w, h);
    if (this.width * this.camera.zoom > 5) this._grid(x, y, w, h, 0.5);
    this.pyramid.refresh();
    this.pyramid.draw(pen, zoom, ...this.window());
    pen.strokeStyle = this.colours.line;
    pen.lineWidth = 1.5 / this.camera.zoom;
    pen.strokeRect(x, y, w, h);
  }

  _grid(x, y, w, h, strength) {
    const { pen } = this;
    const [left, top, right, bottom] = this.window();
    pen.beginPath();
    for (let line = Math.max(x, x + Math.ceil((left - x) / this.width) * this.width); line <= Math.min(x + w, right); line += this.width) {
      pen.moveTo(line, Math.max(y, top));
      pen.lineTo(line, Math.min(y + h, bottom));
    }
    for (let line = Math.max(y, y + Math.ceil((top - y) / this.height) * this.height); line <= Math.min(y + h, bottom); line += this.height) {
      pen.moveTo(Math.max(x, left), line);
      pen.lineTo(Math.min(x + w, right), line);
    }
    pen.globalAlpha = strength;
    pen.strokeStyle = this.colours.line;
    pen.lineWidth = 1 / this.camera.zoom;
    pen.stroke();
    pen.globalAlpha = 1;
  }

  _drawFlights(now) {
    let [landed, left] = [0, false];
    for (const flight of this.flights) {
      const share = (now - flight.since) / FLIGHT;
      if (share < 0) break; // they are sorted
      if (this.atHome.delete(flight.piece)) left = true;
      const label = this.board.labels[flight.cell];
      const here = label !== HOLE && label >> 2 === flight.piece;
      if (share >= 1 || !flight.seen || !here) {
        flight.done = true;
        landed++;
        if (here) this._stamp(flight.cell);
        continue;
      }
      const eased = share < 0.5 ? 4 * share ** 3 : 1 - (2 - 2 * share) ** 3 / 2;
      const [x1, y1] = this.corner(flight.cell);
      const [x0, y0] = flight.from;
      const turn = flight.turn + ((((label & 3) - flight.turn + 6) % 4) - 2) * eased;
      const lift = 1 + 0.35 * Math.sin(Math.PI * share);
      const [w, h] = [this.width * lift, this.height * lift];
      const [x, y] = [x0 + (x1 - x0) * eased, y0 + (y1 - y0) * eased];
      this.piece(this.pen, flight.piece, turn, x - (w - this.width) / 2, y - (h - this.height) / 2, w, h);
    }
    if (left) this._veil();
    if (landed) this.flights = this.flights.filter((flight) => !flight.done);
    return landed;
  }
}
