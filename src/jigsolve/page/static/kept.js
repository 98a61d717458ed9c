// Work that outlives the page: the files and what was done with them, in the browser's own database, until it is discarded.
// Where the browser has none, nothing is kept.

const STORES = { sources: "id", work: "id" };

let opening;

function open() {
  opening ??= new Promise((done, fail) => {
    const request = indexedDB.open("jigsolve", 1);
    request.onupgradeneeded = () => {
      for (const [name, keyPath] of Object.entries(STORES)) request.result.createObjectStore(name, { keyPath });
    };
    request.onsuccess = () => done(request.result);
    request.onerror = () => fail(request.error);
  });
  return opening;
}

async function use(names, mode, act) {
  const transaction = (await open()).transaction(names, mode);
  const request = act((name) => transaction.objectStore(name));
  return new Promise((done, fail) => {
    transaction.oncomplete = () => done(request?.result);
    transaction.onabort = () => fail(transaction.error);
  });
}

const ignore = () => undefined;

// source: {files: [File]} or {example: name}
export const keepSource = (id, source) => use(["sources"], "readwrite", (store) => store("sources").put({ id, ...source })).catch(ignore);

// record: {id, key, title, time, solveId, work, corrections}; work is what the server needs to open the files again.
export const keepWork = (record) => use(["work"], "readwrite", (store) => store("work").put(record)).catch(ignore);

export async function listKept() {
  const records = (await use(["work"], "readonly", (store) => store("work").getAll()).catch(ignore)) ?? [];
  return records.sort((a, b) => b.time - a.time);
}

export const findSource = (id) => use(["sources"], "readonly", (store) => store("sources").get(id)).catch(ignore);

export const discardKept = (id, withSource = true) => use(["sources", "work"], "readwrite", (store) => {
  if (withSource) store("sources").delete(id);
  store("work").delete(id);
}).catch(ignore);
