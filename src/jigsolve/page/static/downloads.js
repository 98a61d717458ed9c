// What can be saved: files are named after the source.

import { byId, onClick } from "./dom.js";
import { describeForJudge } from "./judge.js";
import { toPins } from "./pins.js";
import { attempt, say } from "./status.js";

function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// "holiday.zip, picture 2" -> "holiday-2"
export function nameOf(title) {
  const [name, number] = title.split(/, picture (\d+)$/);
  const stem = name.replace(/^.*[/\\]/, "").replace(/\.[a-z0-9]{2,5}$/i, "").replace(/[^\p{L}\p{N}._ -]+/gu, "-").trim() || "puzzle";
  return number ? `${stem}-${number}` : stem;
}

export function connectDownloads(app) {
  const onSave = (id, suffix, fetchFile) => onClick(id, () => attempt(async () => {
    const button = byId(id);
    button.disabled = true;
    const name = `${nameOf(app.state.title)}-${typeof suffix === "string" ? suffix : suffix()}`;
    try {
      download(await fetchFile(), name);
      say(`Saved ${name}`);
    } finally {
      button.disabled = false;
    }
  }));
  const layout = () => describeForJudge(app.editor);
  onSave("save-picture", () => (app.state.fragments ? "fragments.zip" : "solved.png"), () => (app.state.fragments ? app.session.fetchFragments(layout()) : app.session.fetchPicture(layout())));
  onSave("save-report", "report.html", () => app.session.fetchReport(layout()));
  onSave("save-layout", "layout.json", () => app.session.fetchLayout(layout()));
  onSave("save-overlay", "doubts.png", () => app.session.fetchOverlay(layout()));
  onSave("save-replay", "replay.html", () => app.session.fetchReplay());
  onSave("save-animation", "solving.gif", () => app.session.fetchAnimation());
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
