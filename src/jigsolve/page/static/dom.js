// A few words for the document.

export const element = (id) => document.getElementById(id);

export function show(id, yes) {
  element(id).hidden = !yes;
}

export function lines(list, texts) {
  list.replaceChildren(...texts.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
}
