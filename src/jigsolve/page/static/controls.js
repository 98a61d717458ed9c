// Buttons around the board, the theme, and keyboard shortcuts.

import { byId, onClick } from "./dom.js";

const ZOOM_STEP = 1.4;
const KEY_ZOOM_STEP = 1.3;
const isDark = window.matchMedia("(prefers-color-scheme: dark)");

export function connectButtons(app) {
  onClick("new", () => app.showStart());
  onClick("home", (event) => { event.preventDefault(); app.showStart(); });
  onClick("again", () => app.changeSettings(app.pieces.settings));
  onClick("help", () => byId("shortcuts").showModal());
  onClick("nearer", () => app.view?.camera.zoomBy(ZOOM_STEP));
  onClick("farther", () => app.view?.camera.zoomBy(1 / ZOOM_STEP));
  onClick("fit", () => app.view?.camera.fit(app.view.everything));
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

export function connectKeyboard(app) {
  document.addEventListener("keydown", (event) => {
    if (!app.view || event.target.matches("input:not([type=radio], [type=checkbox]), select, textarea") || document.querySelector("dialog[open]")) return;
    if (event.target.matches("button, summary, a, input") && [" ", "Enter", ...(event.target.matches("input") ? ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"] : [])].includes(event.key)) return;
    if (event.ctrlKey || event.metaKey ? handleControlKey(app, event) : handleShortcut(app, event) || app.gestures.handleArrow(event)) event.preventDefault();
  });
}

// These functions return whether the key was theirs.

function handleControlKey(app, event) {
  const key = event.key.toLowerCase();
  if (!app.editor || app.state.phase !== "answer" || !["a", "y", "z"].includes(key)) return false;
  if (key === "a") app.gestures.selectAll();
  else if (key === "y" || event.shiftKey) app.editor.redo();
  else app.editor.undo();
  return true;
}

function handleShortcut(app, event) {
  const { view, panel, editor, gestures, selection, doubts } = app;
  const { phase } = app.state;
  const shortcuts = {
    "+": () => view.camera.zoomBy(KEY_ZOOM_STEP),
    "=": () => view.camera.zoomBy(KEY_ZOOM_STEP),
    "-": () => view.camera.zoomBy(1 / KEY_ZOOM_STEP),
    0: () => view.camera.fit(view.everything),
    "?": () => byId("shortcuts").showModal(),
    s: () => phase === "pieces" && app.solve(),
    " ": () => ["solving", "paused"].includes(phase) && byId("pause").click(),
  };
  if (phase === "answer" && editor) {
    Object.assign(shortcuts, {
      s: () => app.solveRest(),
      r: () => panel.turn(),
      l: () => editor.toggleLock(selection.cells),
      x: () => panel.cut(),
      j: () => panel.join(),
      n: () => doubts.step(1),
      p: () => doubts.step(-1),
      d: () => doubts.toggleOverlay(),
      t: () => editor.turnPicture(),
      b: () => app.compare.toggle(),
      f: () => app.state.fragments && panel.selectFragment(),
      escape: () => gestures.select([], -1),
    });
  }
  if (app.state.fragments) for (const key of ["r", "l", "t", "b"]) delete shortcuts[key]; // tiles are upright, and lie nowhere
  const act = shortcuts[event.key.toLowerCase()];
  if (!act || event.altKey) return false;
  act();
  return true;
}
