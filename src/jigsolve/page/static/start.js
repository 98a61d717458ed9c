// The start page: examples, and files that are chosen or dropped.

import * as api from "./api.js";
import { byId, create, show } from "./dom.js";
import { formatCount } from "./format.js";

// open(request): called with a function that opens a session on the server.
export async function listExamples(open) {
  const examples = await api.listExamples().catch(() => []);
  byId("examples").replaceChildren(...examples.map(({ name, title, pieces, rotated }) => {
    const button = create("button", { onclick: () => open(() => api.openExample(name)) },
      create("img", { src: `api/examples/${name}.jpg`, alt: "", loading: "lazy" }),
      create("span", {}, title),
      create("small", {}, `${formatCount(pieces, "piece")}${rotated ? ", turned" : ""}`));
    button.dataset.example = name;
    return create("li", {}, button);
  }));
}

// hasSession(): is a puzzle open, which the dropped files would replace?
export function acceptFiles(open, hasSession) {
  const input = byId("files");
  input.addEventListener("change", () => {
    const chosen = [...input.files];
    input.value = "";
    if (chosen.length) open(() => api.openFiles(chosen));
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
    const dropped = await collectFiles(event.dataTransfer);
    if (dropped.length) open(() => api.openFiles(dropped));
  });
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
