// The open puzzles: one tab each. Puzzles in the background keep a brief connection, which also keeps them alive.

import { Session } from "./api.js";
import { byId, create, show } from "./dom.js";

const NEWS = { queued: "waiting", solving: "solving", paused: "paused", answer: "solved" };

export class Tabs {
  // onSibling(tab): another picture of a bag has got a tab
  constructor({ onSelect, onClose, onSibling }) {
    Object.assign(this, { onSelect, onClose, onSibling, active: null });
    this.list = []; // {id, session, state, unsubscribe}; id: of what is kept in the browser
  }

  find(key) {
    return this.list.find((tab) => tab.session.key === key);
  }

  add(state, id) {
    const tab = { id, session: new Session(state.key), state, unsubscribe: null };
    this.list.push(tab);
    this.follow(tab);
    return tab;
  }

  // Follow a puzzle in the background.
  follow(tab) {
    tab.unsubscribe?.();
    tab.unsubscribe = tab.session.subscribe(({ state }) => {
      if (state) this.update(tab, state);
    }, () => this.remove(tab), true);
    this.draw();
  }

  update(tab, state) {
    tab.state = state;
    for (const key of state.siblings) if (!this.find(key)) this.addSibling(tab, key);
    this.draw();
  }

  // Another picture of the same bag. Its work is kept beside that of the first.
  addSibling(tab, key) {
    const sibling = this.add({ ...tab.state, key, title: "", siblings: [] }, `${tab.id}-${key}`);
    sibling.parent = tab.parent ?? tab.id;
    this.onSibling(sibling);
  }

  activate(tab) {
    if (this.active && this.list.includes(this.active)) this.follow(this.active);
    this.active = tab;
    tab?.unsubscribe?.();
    if (tab) tab.unsubscribe = null;
    this.draw();
    byId("tabs").querySelector("[aria-current=page]")?.parentElement.scrollIntoView({ block: "nearest", inline: "center" });
  }

  remove(tab) {
    tab.unsubscribe?.();
    this.list = this.list.filter((other) => other !== tab);
    if (this.active === tab) this.active = null;
    this.draw();
  }

  draw() {
    show("new", this.list.length && this.active);
    byId("tabs").replaceChildren(...this.list.map((tab) => this._build(tab)));
    history.replaceState(null, "", this.list.length ? `#${this.list.map((tab) => tab.session.key).join(",")}` : "./");
  }

  _build(tab) {
    const title = tab.state.title || "…";
    const news = tab === this.active ? "" : NEWS[tab.state.phase] ?? "";
    const button = create("button", { className: "tab", title, onclick: () => this.onSelect(tab) }, create("span", {}, title), ...(news ? [create("small", {}, news)] : []));
    button.setAttribute("aria-current", tab === this.active ? "page" : "false");
    return create("li", {}, button, create("button", { className: "close", ariaLabel: `Discard ${title}`, title: "Discard", onclick: () => this.onClose(tab) }, "×"));
  }
}
