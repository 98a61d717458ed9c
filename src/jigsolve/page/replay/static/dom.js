// Helpers for the document.

export const byId = (id) => document.getElementById(id);

export function show(id, visible) {
  byId(id).hidden = !visible;
}

export function onClick(id, handle) {
  byId(id).addEventListener("click", handle);
}

// A new element with properties and children, which are elements or texts.
export function create(tag, properties = {}, ...children) {
  const created = Object.assign(document.createElement(tag), properties);
  created.append(...children);
  return created;
}

export function fillList(list, texts) {
  list.replaceChildren(...texts.map((text) => create("li", {}, text)));
}
