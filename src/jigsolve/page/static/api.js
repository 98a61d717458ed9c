// Talking to the server. What it refuses comes back as an Error whose message is one line for people.

async function asked(path, options = {}) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("The program is not answering: is jigsolve serve still running?");
  }
  if (!response.ok) {
    const said = await response.json().catch(() => ({}));
    throw new Error(said.error ?? `The program refused (${response.status}).`);
  }
  return response;
}

const json = async (path, options) => (await asked(path, options)).json();
const post = (path, data) => asked(path, { method: "POST", body: JSON.stringify(data) });

export const examples = () => json("api/examples");
export const beginExample = (name) => json(`api/examples/${name}`, { method: "POST" });

// Files travel as one body: the length of a list of names and sizes, the list, the files one after another.
export function begin(files) {
  const list = new TextEncoder().encode(JSON.stringify(files.map((file) => [file.webkitRelativePath || file.name, file.size])));
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, list.length, true);
  return json("api/desks", { method: "POST", body: new Blob([length, list, ...files]) });
}

export class Desk {
  constructor(key) {
    this.key = key;
    this.path = `api/desks/${key}`;
  }

  state() { return json(this.path); }
  leave() { return asked(this.path, { method: "DELETE" }); }
  change(settings) { return post(`${this.path}/settings`, settings).then((response) => response.json()); }
  solve(data) { return post(`${this.path}/solve`, data).then((response) => response.json()); }
  order(order) { return post(`${this.path}/order`, { order }).then((response) => response.json()); }
  answer() { return json(`${this.path}/answer`); }
  picture(layout) { return post(`${this.path}/picture`, layout).then((response) => response.blob()); }
  layout(layout) { return post(`${this.path}/layout`, layout).then((response) => response.blob()); }
  replay() { return asked(`${this.path}/replay`).then((response) => response.blob()); }

  async atlas(version) {
    const response = await asked(`${this.path}/atlas?${version}`);
    return createImageBitmap(await response.blob());
  }

  // Hears state and story as they come, from the beginning; finds its way back when the line breaks.
  live(hear, lost) {
    let [closed, socket, wait] = [false, null, 300];
    const open = () => {
      socket = new WebSocket(`${location.origin.replace("http", "ws")}/${this.path}/live`);
      socket.onopen = () => { wait = 300; hear({ afresh: true }); };
      socket.onmessage = (event) => {
        const said = JSON.parse(event.data);
        if (said.gone) {
          closed = true;
          lost(said.gone);
        } else hear(said);
      };
      socket.onclose = () => {
        if (closed) return;
        setTimeout(() => closed || open(), wait);
        wait = Math.min(5000, wait * 2);
      };
    };
    open();
    return () => { closed = true; socket.close(); };
  }
}

export function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
