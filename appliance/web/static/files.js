// The files of the message that is being written: uploaded at once, shown as chips, taken when it is sent.

import { upload } from "/static/api.js";
import { t } from "/static/texts.js";
import { make } from "/static/view.js";

const MOST = 10;
const LIMIT = 20 * 1024 * 1024; // bytes, as the gateway's

export class Files {
  constructor({ list, input, agent, problem }) {
    this.list = list;
    this.agent = agent; // tells to whom the message goes
    this.problem = problem;
    this.entries = [];
    input.addEventListener("change", () => {
      this.add(input.files);
      input.value = "";
    });
  }

  get busy() {
    return this.entries.some((entry) => !entry.id);
  }

  get ready() {
    return this.entries.filter((entry) => entry.id);
  }

  async add(chosen) {
    this.problem("");
    await Promise.all([...chosen].slice(0, MOST - this.entries.length).map((file) => this.#one(file)));
  }

  async #one(file) {
    if (file.size > LIMIT) {
      this.problem(`${file.name}: > 20 MB`);
      return;
    }
    const entry = { name: file.name, agent: this.agent(), share: 0, preview: file.type.startsWith("image/") ? URL.createObjectURL(file) : "" };
    this.entries.push(entry);
    this.#draw();
    try {
      const stored = await upload(file, entry.agent, (share) => {
        entry.share = share;
        entry.bar.value = share;
      });
      if (stored.kind !== "image") entry.preview = "";
      Object.assign(entry, { id: stored.id, kind: stored.kind });
    } catch (error) {
      this.entries = this.entries.filter((other) => other !== entry);
      this.problem(`${file.name}: ${error.message}`);
    }
    this.#draw();
  }

  /** What goes with the message now; the list starts afresh. */
  take() {
    const taken = this.ready;
    this.entries = [];
    this.#draw();
    return taken;
  }

  #draw() {
    this.list.hidden = !this.entries.length;
    this.list.replaceChildren(...this.entries.map((entry) => {
      const item = make("li", "file");
      if (entry.preview) {
        const image = make("img");
        image.src = entry.preview;
        image.alt = "";
        item.append(image);
      }
      item.append(make("span", "name", entry.name));
      entry.bar = make("progress");
      entry.bar.max = 1;
      entry.bar.value = entry.share;
      entry.bar.setAttribute("aria-label", `${entry.name}: ${t("uploading")}`);
      if (!entry.id) item.append(entry.bar);
      const remove = make("button", "icon", "✕");
      remove.type = "button";
      remove.setAttribute("aria-label", t("remove", { name: entry.name }));
      remove.addEventListener("click", () => {
        this.entries = this.entries.filter((other) => other !== entry);
        this.#draw();
      });
      item.append(remove);
      return item;
    }));
  }
}
