// Messages for the person: a status line, and a toast for errors.

import { byId, show } from "./dom.js";

const TOAST_MS = 5000;
let timer;

export function say(text) {
  byId("say").textContent = text;
}

export function warn(text) {
  say(text);
  byId("toast").textContent = text;
  show("toast", true);
  clearTimeout(timer);
  timer = setTimeout(() => show("toast", false), TOAST_MS);
}

// Run an action of the person; if it fails, the reason is shown.
export async function attempt(act) {
  try {
    await act();
    show("toast", false);
  } catch (error) {
    warn(error.message);
  }
}
