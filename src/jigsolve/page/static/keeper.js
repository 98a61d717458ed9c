// Keeps the work of every tab in the browser (kept.js), and brings it back.

import { byId } from "./dom.js";
import { discardKept, findSource, keepSource, keepWork, listKept } from "./kept.js";
import { listKeptWork } from "./start.js";

const DELAY_MS = 300;

export class Keeper {
  constructor(app) {
    this.app = app;
  }

  addSource(tab, source) {
    return keepSource(tab.id, source);
  }

  // Keep the shown puzzle as it is now, a moment later.
  save() {
    const { tab } = this.app;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => tab && tab === this.app.tab && this._save(tab), DELAY_MS);
  }

  async _save(tab) {
    const { state, editor } = this.app;
    if (!state || !["pieces", "answer"].includes(state.phase)) return;
    const { judge } = this.app;
    const joints = state.fragments && editor && judge.isCurrent ? { joints: judge.current.layout.joints } : {};
    const layout = state.fragments ? editor && { format: "jigsolve-layout", version: 1, piece: state.puzzle.piece, ...editor.layout, ...joints } : editor?.answer.layout;
    await this._keep(tab, state, layout ?? null, editor?.isEdited ? editor.snapshot() : null);
  }

  // Keep a picture of a bag that was not looked at yet.
  async saveUnseen(tab) {
    const [state, answer] = await Promise.all([tab.session.fetchState(), tab.session.fetchAnswer()]);
    await this._keep(tab, state, answer.layout, null);
  }

  _keep(tab, state, layout, corrections) {
    const { key, title, settings, pieces, solve_id: solveId } = state;
    const work = { format: "jigsolve-work", title, settings: { ...settings, piece: settings.piece ?? state.puzzle?.piece ?? null }, pieces, layout };
    return keepWork({ id: tab.id, parent: tab.parent ?? null, key, title, time: Date.now(), solveId, work, corrections });
  }

  list() {
    return listKept();
  }

  // Apply the corrections of an earlier visit to the same answer.
  restore(tab, editor) {
    const { corrections, correctedSolve } = tab;
    tab.corrections = null;
    if (corrections && (correctedSolve === undefined || correctedSolve === editor.solveId)) editor.restore(corrections);
  }

  async reopen(record) {
    const source = await findSource(record.parent ?? record.id);
    if (source) await this.app.open(source, record);
    else await discardKept(record.id);
  }

  async showList() {
    const open = new Set(this.app.tabs.list.map((tab) => tab.id));
    const records = (await listKept()).filter((record) => !open.has(record.id));
    listKeptWork(records, {
      onContinue: (record) => this.reopen(record),
      onDiscard: async (record) => {
        await this._discard(record.id);
        this.showList();
      },
    });
  }

  async forget(tab) {
    clearTimeout(this.timer);
    await this._discard(tab.id);
  }

  // Other pictures of a bag still need the source.
  async _discard(id) {
    const records = await listKept();
    const parent = records.find((record) => record.id === id)?.parent ?? null;
    const isShared = (source) => records.some((record) => record.id !== id && (record.parent ?? record.id) === source);
    await discardKept(id, !isShared(id));
    if (parent && !isShared(parent)) await discardKept(parent);
  }

  // Nothing is lost with pieces that were not solved yet.
  async confirmDiscard(tab) {
    const { app } = this;
    const editor = tab === app.tab ? app.editor : tab.editor;
    const edited = editor?.isEdited || tab.corrections;
    if (!edited && !["queued", "solving", "paused"].includes(tab.state.phase)) return true;
    byId("discard-text").textContent = edited ? `Your corrections of “${tab.state.title}” would be lost.` : `“${tab.state.title}” is still being solved.`;
    const dialog = byId("discard");
    dialog.returnValue = "";
    dialog.showModal();
    await new Promise((done) => dialog.addEventListener("close", done, { once: true }));
    return dialog.returnValue === "discard";
  }
}
