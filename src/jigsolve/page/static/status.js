// Messages for the person: a status line, and a toast for errors.

import { byId, show } from "./dom.js";

const TOAST_MS = 5000;
let timer;

// Options of the command line that notes and errors name, and what the page calls them.
const FIELDS = { piece: "Piece size", rotated: "turned", upright: "upright", pictures: "Number of pictures", border: "Borders", "keep-lines": "Keep lines", turn: "Turn picture" };

// A note or an error in the words of the page.
export function translate(text) {
  return text.replace(/--([a-z-]+)( [0-9]\S*[0-9]| [0-9]| clean)?/g, (option, name, value) => (FIELDS[name] ? `“${FIELDS[name]}${value ? `:${value}` : ""}”` : option));
}

// isShown: false if the same words stand elsewhere on the screen
export function say(text, isShown = true) {
  byId("say").textContent = text;
  byId("say").classList.toggle("unseen", !isShown);
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
