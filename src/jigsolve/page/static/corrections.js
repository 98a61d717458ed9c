// Corrections survive a reload of the page, in the same tab only.

const KEY = "corrections";
const DELAY_MS = 300;
let timer;

export function saveCorrections(editor) {
  clearTimeout(timer);
  timer = setTimeout(() => {
    try {
      sessionStorage.setItem(KEY, JSON.stringify({ solveId: editor.solveId, ...editor.snapshot() }));
    } catch {
      sessionStorage.removeItem(KEY); // there is not enough room
    }
  }, DELAY_MS);
}

export function restoreCorrections(editor) {
  const saved = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
  if (saved?.solveId === editor.solveId) editor.restore(saved);
}
