// What is known about the layout on the board: the solver's confidence in its answer, or the server's judgement of an edit.

import { labelsOf } from "./board.js";
import { formatCount, formatDuration } from "./format.js";
import { toPins } from "./pins.js";
import { byId, show } from "./dom.js";

const DELAY_MS = 150; // after the last edit
const PIECES = /^[\d,]+ pieces?, /; // how many there are does not change

// The layout, and the joints that the person knows. A piece that was moved is locked, but is judged like any other. The
// report of fragments says how many joints were cut.
export function describeForJudge({ board, joined, cuts, layout }) {
  const known = layout.copies ? cuts : new Map();
  const pins = toPins({ board, joined, locked: new Set(), cuts: known });
  return { ...layout, ...(joined.size || known.size ? { pins } : {}) };
}

export class Judge {
  // onJudged(): called when another layout is judged.
  constructor(app, onJudged) {
    this.app = app;
    this.onJudged = onJudged;
    this.current = null; // {layout, labels, verdict, score} of the layout that was judged last
  }

  // An answer comes with its confidence.
  accept({ layout, verdict, score }) {
    this.current = { layout, labels: labelsOf(layout), verdict, score: score ?? null };
  }

  // Is the layout on the board the one that was judged?
  get isCurrent() {
    const { board } = this.app;
    const { current } = this;
    return Boolean(current) && current.layout.cols === board.cols && current.labels.every((label, cell) => label === board.labels[cell]);
  }

  // Was this cell judged with the piece that lies in it?
  knows(cell) {
    const { board } = this.app;
    const { current } = this;
    return Boolean(current) && current.layout.cols === board.cols && current.labels[cell] === board.labels[cell];
  }

  // The server can judge the edits of an answer from a file now, and knows what else could lie where.
  async learn() {
    const { editor, session, panel, selection } = this.app;
    const { alternatives } = await session.fetchAnswer();
    if (editor !== this.app.editor) return;
    editor.answer.alternatives = alternatives;
    panel.inspect(selection.cursor);
    if (this.current.verdict === null) this.current = null;
    this.request();
  }

  // Judge the layout on the board, unless it is known or changes again at once.
  request() {
    clearTimeout(this.timer);
    this.showHeadline();
    if (this.isCurrent) return;
    this.timer = setTimeout(() => this._fetch().catch(() => {}), DELAY_MS);
  }

  async _fetch() {
    const { session, editor } = this.app;
    if (!session || !editor) return;
    const judged = await session.fetchJudgement(describeForJudge(editor));
    if (session !== this.app.session || editor !== this.app.editor) return;
    this.accept(judged);
    if (this.isCurrent) this.onJudged();
  }

  showHeadline() {
    const { editor } = this.app;
    const { answer, movedCount } = editor;
    const { rows, cols } = editor.board;
    const known = this.isCurrent ? this.current.verdict : null;
    const now = known === null ? ", not judged yet" : `. Now ${known.replace(PIECES, "")}`;
    byId("verdict").textContent = movedCount ? `Edited: ${formatCount(movedCount, this.app.state.fragments ? "tile" : "piece")} moved${now}` : known ?? answer.verdict;
    const total = Object.values(answer.seconds).reduce((sum, spent) => sum + spent, 0);
    const what = this.app.state.fragments ? `Least confidence of a joint ${answer.params["least confidence"] ?? "unknown"}` : `${rows} rows × ${cols} columns`;
    byId("facts").textContent = [what, ...(total ? [formatDuration(total)] : []), ...(answer.stopped ? ["stopped early"] : [])].join(" · ");
    byId("facts").title = answer.consistency === null ? "" : `Consistency (ALC) ${answer.consistency.toFixed(1)}`;
    this._showScore(this.isCurrent ? this.current.score : null);
  }

  _showScore(score) {
    show("score", score);
    if (!score) return;
    byId("score").classList.toggle("perfect", score.perfect);
    const percent = (share) => (share === 1 ? "all" : `${Math.min(99.9, 100 * share).toFixed(share > 0.99 ? 1 : 0)} %`);
    byId("score").textContent = score.perfect ? "Compared with the original: every piece is in its place."
      : `Compared with the original: ${percent(score.neighbour)} of joints right, ${percent(score.direct)} of pieces in place.`;
  }
}
