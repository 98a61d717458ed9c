// The start page: examples, kept work, and files that are chosen, dropped or pasted.

import * as api from "./api.js";
import { byId, create, show } from "./dom.js";
import { formatCount } from "./format.js";

// onOpen(source): called with {files} or {example}
export async function listExamples(onOpen) {
  const examples = await api.listExamples().catch(() => []);
  byId("examples").replaceChildren(...examples.map(({ name, title, pieces, rotated }) => {
    const button = create("button", { onclick: () => onOpen({ example: name }) },
      create("img", { src: `api/examples/${name}.jpg`, alt: "", loading: "lazy" }),
      create("span", {}, title),
      create("small", {}, `${formatCount(pieces, "piece")}${rotated ? ", turned" : ""}`));
    button.dataset.example = name;
    return create("li", {}, button);
  }));
}

// Open a source, with the work that is kept of it. onBusy(text, share): what is going on; no share if it is unknown.
export async function openSource({ files, example }, work, onBusy) {
  if (example) {
    onBusy("Cutting and shuffling …");
    return api.openExample(example, work);
  }
  const sent = work ? [...files, new File([JSON.stringify(work)], "work.json")] : files;
  const what = files.length === 1 ? files[0].name : formatCount(files.length, "file");
  onBusy(`Sending ${what} …`, 0);
  return api.openFiles(sent, (share) => onBusy(share < 1 ? `Sending ${what} …` : `Reading ${what} and looking for the pieces …`, share < 1 ? share : undefined));
}

export function showBusy(text, share) {
  show("busy", text);
  byId("busy-text").textContent = text;
  const bar = byId("busy-bar");
  if (share === undefined) bar.removeAttribute("value");
  else bar.value = share;
  byId("drop").classList.toggle("busy", Boolean(text));
}

// records: of kept.js. onContinue(record), onDiscard(record)
export function listKeptWork(records, { onContinue, onDiscard }) {
  show("kept-part", records.length);
  const describe = ({ work, time }) => `${work.layout ? "solved" : "not solved yet"}, ${new Date(time).toLocaleString([], { dateStyle: "medium", timeStyle: "short" })}`;
  byId("kept").replaceChildren(...records.map((record) => create("li", {},
    create("button", { className: "open", onclick: () => onContinue(record) }, create("span", {}, record.title), create("small", {}, describe(record))),
    create("button", { className: "plain", ariaLabel: `Discard ${record.title}`, onclick: () => onDiscard(record) }, "Discard"))));
}

// hasSession(): is a puzzle shown, beside which the dropped files would open?
export function acceptFiles(onOpen, hasSession) {
  const open = (files) => files.length && onOpen({ files });
  const input = byId("files");
  input.addEventListener("change", () => {
    const chosen = [...input.files];
    input.value = "";
    open(chosen);
  });
  let depth = 0;
  const highlight = (dragging) => {
    byId("drop").classList.toggle("over", dragging);
    show("drop-veil", dragging && hasSession());
  };
  window.addEventListener("dragenter", (event) => { event.preventDefault(); highlight(++depth > 0); });
  window.addEventListener("dragleave", () => { depth = Math.max(0, depth - 1); highlight(depth > 0); });
  window.addEventListener("dragover", (event) => event.preventDefault());
  window.addEventListener("drop", async (event) => {
    event.preventDefault();
    depth = 0;
    highlight(false);
    open(await collectFiles(event.dataTransfer));
  });
  window.addEventListener("paste", (event) => open([...(event.clipboardData?.files ?? [])]));
}

// The dropped files, including those inside folders.
async function collectFiles(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.some((entry) => entry.isDirectory)) return [...transfer.files];
  const files = [];
  const walk = async (entry) => {
    if (entry.isFile) {
      files.push(await new Promise((done, fail) => entry.file(done, fail)));
      return;
    }
    const reader = entry.createReader();
    for (;;) {
      const children = await new Promise((done, fail) => reader.readEntries(done, fail));
      if (!children.length) break;
      for (const child of children) await walk(child);
    }
  };
  for (const entry of entries) await walk(entry);
  return files;
}
