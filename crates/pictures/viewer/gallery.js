// The start page of a workshop page: models of this browser, templates and gallery models.

/** Text of a blank model. Without the `#` of its last tables it is a pendulum. */
const BLANK_MODEL = `# The smallest valid model: a name, and the settings of a run. All quantities are in SI units, angles in radians.
# Type [[ on a new line for a list of tables, or Ctrl+Space for a list of keys.

[model]
name = "model"
description = ""
gravity = [0, 0, -9.81] # m/s² along x, y, z
step = 1e-3             # step of the integrator, s
integrator = "rk4"

# A run: start, end and interval of the outputs, s.
[experiment]
start = 0
stop = 10
step = 1e-2

# Positions at the start, m. Remove the # of the lines below for a pendulum that begins to move at once.
# [points]
# pivot = [0, 0, 0]
# bob = [1, 0, 0]

# A body has a mass, kg, and a centre of mass. \`ground\` exists already.
# [[body]]
# name = "bob"
# mass = 1
# com = "bob"

# A joint connects two bodies at a point; a revolute joint turns about its axis.
# [[joint]]
# name = "pivot"
# type = "revolute"
# bodies = ["ground", "bob"]
# point = "pivot"
# axis = [0, 1, 0]
`;

class Gallery {
  constructor(workshop) {
    Object.assign(this, { workshop, dialog: element("templates"), cards: [] });
    this.dialog.addEventListener("keydown", (event) => this.key(event));
    // Without a model there is nothing behind the start page.
    this.dialog.addEventListener("cancel", (event) => { if (!workshop.main) event.preventDefault(); });
    this.dialog.addEventListener("close", () => { if (!workshop.main) this.show(); });
  }

  show() {
    const { workshop, dialog } = this;
    const { templates, gallery = [] } = workshop.page;
    this.search = Object.assign(made("input"), { type: "search", placeholder: "Search models" });
    this.search.setAttribute("aria-label", "Search models");
    this.search.addEventListener("input", () => this.find());
    this.count = made("output");
    const bar = made("div", "bar");
    bar.append(this.search, this.count, button("Open .zip…", () => workshop.panel.pickArchive(), "Open a zip archive that was downloaded from a workshop page"));
    if (window.showDirectoryPicker) bar.append(button("Open folder…", () => workshop.panel.openFolder(), "Open a folder of this computer, and save it later"));
    if (workshop.main) bar.append(button("Close", () => dialog.close(), "Return to the present model (Esc)"));
    const head = made("div", "head");
    head.append(made("h2", "", "Start a model"), made("p", "", workshop.main ? "A new model replaces the present one. The present one stays in this browser if it was changed."
      : "Write a mechanism as text, and see it move. Choose where to start, or drop files here."), bar);
    this.cards = [];
    const files = (list) => new Map(list.map(([path, base64]) => [path, workshop.file(base64)]));
    const blank = this.card("Blank model", "An empty model with comments that explain its tables", null, () => workshop.begin("model.toml", new Map([["model.toml", { text: BLANK_MODEL, bytes: null }]])));
    const own = workshop.page.main && (workshop.records.id !== "" || workshop.files.size === 0)
      ? [this.card("Model of this page", [...workshop.original.keys()].slice(0, 3).join(", "), null, () => workshop.begin(workshop.page.main, workshop.original, ""))] : [];
    const starts = templates.map((one) => this.card(one.name, one.description, one.picture, () => workshop.begin(one.main, files(one.files))));
    const models = gallery.map((one) => this.card(one.name, one.description, one.picture, () => workshop.panel.guarded(async () => {
      const list = await unpacked(one.packed);
      workshop.begin(one.main, new Map(list.map(([path, bytes]) => [path, { text: textOf(bytes), bytes }])));
    })));
    this.nothing = made("p", "nothing");
    dialog.replaceChildren(head, ...this.stored(), ...this.section("Templates", [...own, blank, ...starts]), ...this.section(`Gallery: ${models.length} models`, models), this.nothing);
    this.find();
    if (!dialog.open) dialog.showModal();
    this.search.focus();
  }

  section(title, cards) {
    if (cards.length === 0) return [];
    const host = made("section");
    const grid = made("div", "cards");
    grid.append(...cards);
    host.append(made("h3", "", title), grid);
    return [host];
  }

  card(name, description, picture, act) {
    const card = button("", act);
    card.className = "row card";
    const frame = picture ? Object.assign(made("img"), { src: picture, alt: "", loading: "lazy" }) : made("div", "blank", "+");
    if (!picture) frame.setAttribute("aria-hidden", "true");
    card.append(frame, made("b", "", name.replace(/_/g, " ")), made("small", "", description));
    card.dataset.words = `${name} ${name.replace(/[_-]/g, " ")} ${description}`.toLowerCase();
    this.cards.push(card);
    return card;
  }

  /** Models that this browser keeps. */
  stored() {
    const { workshop } = this;
    const records = workshop.records.list().filter(({ key }) => key !== workshop.records.key || !workshop.main);
    if (records.length === 0) return [];
    const host = made("section", "stored");
    host.append(made("h3", "", "Stored in this browser"));
    for (const record of records) {
      const line = made("div", "record");
      const open = button("", () => workshop.resume(record));
      open.className = "row";
      const from = record.own ? "" : `, from ${record.page}`;
      open.append(made("b", "", record.name), made("small", "", `changed ${new Date(record.saved).toLocaleString()}${from}`));
      const remove = button("Delete", () => {
        workshop.records.remove(record.key);
        line.remove();
        if (host.querySelectorAll(".record").length === 0) host.remove();
      }, `Delete the stored changes of ${record.name}`);
      line.append(open, remove);
      host.append(line);
    }
    return [host];
  }

  /** Shows the cards that have all words of the search. */
  find() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const card of this.cards) {
      card.hidden = !words.every((word) => card.dataset.words.includes(word));
      if (!card.hidden) found++;
    }
    for (const host of this.dialog.querySelectorAll("section")) {
      const cards = [...host.querySelectorAll(".card")];
      host.hidden = cards.length > 0 ? cards.every((card) => card.hidden) : words.length > 0;
    }
    this.count.textContent = words.length > 0 ? `${found} of ${this.cards.length}` : "";
    this.nothing.textContent = found === 0 ? `No model matches “${this.search.value}”.` : "";
    this.nothing.hidden = found > 0;
  }

  /** Arrow keys move between the cards; Enter in the search opens the first one. */
  key(event) {
    const seen = this.cards.filter((card) => card.offsetParent);
    const at = seen.indexOf(document.activeElement);
    if (event.target === this.search) {
      if (event.key === "Enter" && seen.length > 0) seen[0].click();
      else if (event.key === "ArrowDown" && seen.length > 0) seen[0].focus();
      else if (event.key === "Escape" && this.search.value) {
        this.search.value = "";
        this.find();
      } else return;
      event.preventDefault();
      return;
    }
    if (event.key === "/" || (event.key.length === 1 && /\w/.test(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey)) {
      // The typed character goes to the search.
      this.search.focus();
      if (event.key === "/") event.preventDefault();
      return;
    }
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (at < 0 || (!by && event.key !== "ArrowDown" && event.key !== "ArrowUp")) return;
    event.preventDefault();
    let next = by ? seen[at + by] : null;
    if (!by) {
      const own = seen[at].getBoundingClientRect();
      const down = event.key === "ArrowDown";
      const beyond = seen.map((card) => ({ card, box: card.getBoundingClientRect() })).filter(({ box }) => (down ? box.top > own.bottom - 4 : box.bottom < own.top + 4));
      const row = down ? Math.min(...beyond.map(({ box }) => box.top)) : Math.max(...beyond.map(({ box }) => box.top));
      const inRow = beyond.filter(({ box }) => Math.abs(box.top - row) < 4).sort((a, b) => Math.abs(a.box.left - own.left) - Math.abs(b.box.left - own.left));
      next = inRow.length > 0 ? inRow[0].card : null;
      if (!next && !down) next = this.search;
    }
    if (next) {
      next.focus();
      next.scrollIntoView({ block: "nearest" });
    }
  }
}
