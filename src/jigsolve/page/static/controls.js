// Buttons around the board, exports, and keyboard shortcuts.

import { byId, onClick } from "./dom.js";
import { toPins } from "./pins.js";
import { attempt, say } from "./status.js";

const ZOOM_STEP = 1.4;
const KEY_ZOOM_STEP = 1.3;
const isDark = window.matchMedia("(prefers-color-scheme: dark)");

export function connectButtons(app) {
  onClick("new", () => app.leave());
  onClick("home", (event) => { event.preventDefault(); app.leave(); });
  onClick("again", () => app.changeSettings(app.pieces.settings));
  onClick("help", () => byId("shortcuts").showModal());
  onClick("nearer", () => app.view?.camera.zoomBy(ZOOM_STEP));
  onClick("farther", () => app.view?.camera.zoomBy(1 / ZOOM_STEP));
  onClick("fit", () => app.view?.camera.fit(app.view.everything));
  onClick("look", () => setArranging(app, false));
  onClick("arrange", () => setArranging(app, true));
}

function setArranging(app, arranging) {
  app.gestures.arranging = arranging;
  byId("look").setAttribute("aria-pressed", !arranging);
  byId("arrange").setAttribute("aria-pressed", arranging);
  byId("stage").classList.toggle("arranging", arranging);
  say(arranging ? "Drag pieces to other cells; hold Shift to select a block." : "Drag to look around.");
}

// The theme of the system, unless the person has chosen another.
export function connectTheme(app) {
  const { dataset } = document.documentElement;
  const chosen = localStorage.getItem("theme");
  if (chosen) dataset.theme = chosen;
  isDark.addEventListener("change", () => app.view?.updateColours());
  onClick("theme", () => {
    const dark = dataset.theme ? dataset.theme === "dark" : isDark.matches;
    dataset.theme = dark ? "light" : "dark";
    localStorage.setItem("theme", dataset.theme);
    app.view?.updateColours();
    app.solving.curve.draw();
  });
}

function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function connectExports(app) {
  const onSave = (id, name, fetchFile) => onClick(id, () => attempt(async () => download(await fetchFile(), name)));
  onSave("save-picture", "solved.png", () => app.session.fetchPicture(app.editor.layout()));
  onSave("save-layout", "layout.json", () => app.session.fetchLayout(app.editor.layout()));
  onSave("save-replay", "replay.html", () => app.session.fetchReplay());
  onSave("save-pins", "pins.json", () => new Blob([JSON.stringify(toPins(app.editor), null, 1)], { type: "application/json" }));
  byId("load-pins").addEventListener("change", (event) => attempt(async () => {
    const [file] = event.target.files;
    if (!file) return;
    const text = await file.text();
    event.target.value = "";
    app.editor.loadPins(text);
    byId("pins-part").open = true;
  }));
}

export function connectKeyboard(app) {
  document.addEventListener("keydown", (event) => {
    if (!app.view || event.target.matches("input, select, textarea") || byId("shortcuts").open) return;
    if (event.target.matches("button, summary, a") && (event.key === " " || event.key === "Enter")) return;
    if (event.ctrlKey || event.metaKey ? handleHistoryKey(app, event) : handleShortcut(app, event) || app.gestures.handleArrow(event)) event.preventDefault();
  });
}

// These functions return whether the key was theirs.

function handleHistoryKey(app, event) {
  const key = event.key.toLowerCase();
  if (!app.editor || app.state.phase !== "answer" || !["y", "z"].includes(key)) return false;
  if (key === "y" || event.shiftKey) app.editor.redo();
  else app.editor.undo();
  return true;
}

function handleShortcut(app, event) {
  const { view, panel, editor, gestures, selection } = app;
  const { phase } = app.state;
  const shortcuts = {
    "+": () => view.camera.zoomBy(KEY_ZOOM_STEP),
    "=": () => view.camera.zoomBy(KEY_ZOOM_STEP),
    "-": () => view.camera.zoomBy(1 / KEY_ZOOM_STEP),
    0: () => view.camera.fit(view.everything),
    "?": () => byId("shortcuts").showModal(),
    s: () => phase === "pieces" && app.solve(app.pieces.effort),
    " ": () => ["solving", "paused"].includes(phase) && byId("pause").click(),
  };
  if (phase === "answer" && editor) {
    Object.assign(shortcuts, {
      s: () => app.solveRest(),
      h: () => setArranging(app, false),
      v: () => setArranging(app, true),
      r: () => panel.turn(),
      l: () => editor.toggleLock(selection.cells),
      x: () => panel.cut(),
      j: () => panel.join(),
      n: () => panel.stepDoubt(1),
      p: () => panel.stepDoubt(-1),
      d: () => panel.toggleOverlay(),
      escape: () => gestures.select([], -1),
    });
  }
  const act = shortcuts[event.key.toLowerCase()];
  if (!act || event.altKey) return false;
  act();
  return true;
}
