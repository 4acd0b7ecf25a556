// Models that the browser keeps: a record for every model and page, in the local storage. All pages on a disk share this storage.

/** Begin of all keys. */
const RECORD = "ballesta edit ";
/** A file of the page that has not changed is stored by its name if it is longer, in characters. Records without such files fit other pages. */
const MAX_COPIED = 100e3;

class Records {
  /** `original`: the files of the page, which a record names if they are long. */
  constructor(page, original) {
    Object.assign(this, { original, base: `${RECORD}${location.pathname} ${fingerprint(JSON.stringify([page.main, page.files]))}`, id: "", works: true });
    // Another tab with the same record: from here on this tab has its own.
    window.addEventListener("storage", (event) => { if (event.key === this.key && event.newValue !== null) this.fork(); });
  }

  /** Key of the present model. */
  get key() {
    return this.id ? `${this.base} ${this.id}` : this.base;
  }

  /** Begins the record of another model. */
  fork() {
    this.id = `${Date.now().toString(36)}${Math.floor(Math.random() * 1e6).toString(36)}`;
  }

  /** The record with a key, or null if it is damaged or names files of another page. */
  read(key) {
    try {
      const found = JSON.parse(localStorage.getItem(key));
      const own = key === this.base || key.startsWith(`${this.base} `);
      const known = ([path, text, base64]) => typeof path === "string" && (typeof text === "string" || typeof base64 === "string" || (own && this.original.has(path)));
      if (!found || !Array.isArray(found.files) || !Array.isArray(found.marks) || !found.files.every(known) || !found.files.some(([path]) => path === found.main)) return null;
      const content = ([path, text, base64]) => {
        if (typeof text === "string") return [path, { text, bytes: null }];
        return [path, typeof base64 === "string" ? { text: null, bytes: bytesOf(base64) } : { ...this.original.get(path) }];
      };
      const [path] = key.slice(RECORD.length).split(" ");
      return { key, own, id: own ? key.slice(this.base.length + 1) : "", path, page: decodeURIComponent(path.split("/").pop()), saved: found.saved, main: found.main, name: found.name || found.main, files: new Map(found.files.map(content)), marks: found.marks, savedMain: found.savedMain };
    } catch {
      return null;
    }
  }

  /** All valid records, the newest first. */
  list() {
    let keys = [];
    try {
      keys = Object.keys(localStorage).filter((key) => key.startsWith(RECORD));
    } catch {
      this.works = false;
    }
    return keys.map((key) => this.read(key)).filter(Boolean).sort((a, b) => b.saved - a.saved);
  }

  /** Stores the present model; whether the browser has stored it. */
  write({ main, name, files, marks, savedMain }) {
    const entry = ([path, { text, bytes }]) => {
      const first = this.original.get(path);
      const isSame = first && (text === null ? first.bytes === bytes : first.text === text);
      if (isSame && (text ?? bytes).length > MAX_COPIED) return [path, null];
      return text === null ? [path, null, base64Of(bytes)] : [path, text];
    };
    try {
      localStorage.setItem(this.key, JSON.stringify({ saved: Date.now(), main, name, files: [...files].map(entry), marks: [...marks], savedMain }));
      this.works = true;
    } catch {
      this.works = false;
    }
    return this.works;
  }

  remove(key = this.key) {
    try {
      localStorage.removeItem(key);
    } catch {
      this.works = false;
    }
  }
}

const bytesOf = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

function base64Of(bytes) {
  let text = "";
  for (let k = 0; k < bytes.length; k += 8192) text += String.fromCharCode(...bytes.subarray(k, k + 8192));
  return btoa(text);
}
