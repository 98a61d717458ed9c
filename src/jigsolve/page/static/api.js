// Requests to the server. A refused request throws an Error whose message is one line for the person.

const NO_ANSWER = "The program is not answering: is jigsolve serve still running?";

async function request(path, options = {}) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error(NO_ANSWER);
  }
  if (!response.ok) {
    const { error } = await response.json().catch(() => ({}));
    throw new Error(error ?? `The program refused (${response.status}).`);
  }
  return response;
}

const requestJson = async (path, options) => (await request(path, options)).json();
const requestBlob = async (path, options) => (await request(path, options)).blob();
const toPost = (data) => ({ method: "POST", body: JSON.stringify(data) });

export const listChoices = () => requestJson("api/choices");
export const listExamples = () => requestJson("api/examples");

// work: what is known of an earlier session (kept.js)
export const openExample = (name, work) => requestJson(`api/examples/${name}`, work ? toPost(work) : { method: "POST" });

// Files are sent as one body: the length of a list of names and sizes, the list, and the contents.
function packFiles(files) {
  const list = new TextEncoder().encode(JSON.stringify(files.map((file) => [file.webkitRelativePath || file.name, file.size])));
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, list.length, true);
  return new Blob([length, list, ...files]);
}

// onProgress(share): how much is sent; fetch cannot tell.
export function openFiles(files, onProgress) {
  return new Promise((done, fail) => {
    const sending = new XMLHttpRequest();
    sending.open("POST", "api/sessions");
    sending.responseType = "json";
    sending.upload.onprogress = (event) => onProgress(event.loaded / event.total);
    sending.onload = () => (sending.status === 201 ? done(sending.response) : fail(new Error(sending.response?.error ?? `The program refused (${sending.status}).`)));
    sending.onerror = () => fail(new Error(NO_ANSWER));
    sending.send(packFiles(files));
  });
}

export class Session {
  constructor(key) {
    this.key = key;
    this.path = `api/sessions/${key}`;
  }

  fetchState() { return requestJson(this.path); }
  fetchAnswer() { return requestJson(`${this.path}/answer`); }
  fetchPicture(layout) { return requestBlob(`${this.path}/picture`, toPost(layout)); }
  fetchLayout(layout) { return requestBlob(`${this.path}/layout`, toPost(layout)); }
  fetchJudgement(layout) { return requestJson(`${this.path}/judgement`, toPost(layout)); }
  fetchFragments(layout) { return requestBlob(`${this.path}/fragments`, toPost(layout)); }
  fetchReport(layout) { return requestBlob(`${this.path}/report`, toPost(layout)); }
  fetchOverlay(layout) { return requestBlob(`${this.path}/overlay`, toPost(layout)); }
  fetchAnimation() { return requestBlob(`${this.path}/animation`); }
  async fetchSource() { return createImageBitmap(await requestBlob(`${this.path}/source`)); }
  setReference(file) { return requestJson(`${this.path}/reference`, { method: "POST", body: packFiles([file]) }); }
  removeReference() { return requestJson(`${this.path}/reference`, { method: "DELETE" }); }
  fetchReplay() { return requestBlob(`${this.path}/replay`); }
  changeSettings(settings) { return requestJson(`${this.path}/settings`, toPost(settings)); }
  solve(options) { return requestJson(`${this.path}/solve`, toPost(options)); }
  send(command) { return requestJson(`${this.path}/command`, toPost({ command })); }
  close() { return request(this.path, { method: "DELETE" }); }

  async fetchAtlas(version) {
    return createImageBitmap(await requestBlob(`${this.path}/atlas?${version}`));
  }

  // Receive the state and the timeline, and reconnect when the connection breaks. Each connection begins with
  // {restarted: true} and sends the timeline from its beginning, or the state only. Returns a function that ends it.
  subscribe(onMessage, onGone, brief = false) {
    let [closed, socket, delay] = [false, null, 300];
    const open = () => {
      socket = new WebSocket(`${location.origin.replace("http", "ws")}/${this.path}/live${brief ? "?brief" : ""}`);
      socket.onopen = () => { delay = 300; onMessage({ restarted: true }); };
      socket.onmessage = (event) => {
        const message = JSON.parse(event.data);
        if (message.gone) {
          closed = true;
          onGone(message.gone);
        } else onMessage(message);
      };
      socket.onclose = () => {
        if (closed) return;
        setTimeout(() => closed || open(), delay);
        delay = Math.min(5000, delay * 2);
      };
    };
    open();
    return () => { closed = true; socket.close(); };
  }
}
