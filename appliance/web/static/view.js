// Drawing the conversation: rows that the gateway stored, and the turn that runs now.

import { render } from "/static/markdown.js";
import { currentLanguage, t } from "/static/texts.js";

const REDRAW_MS = 80;

export function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

export function time(at) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "";
  const today = new Date().toDateString() === date.toDateString();
  const style = today ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" };
  return new Intl.DateTimeFormat(currentLanguage(), style).format(date);
}

export function money(usd) {
  const amount = Number(usd);
  if (!Number.isFinite(amount)) return "";
  const digits = amount !== 0 && Math.abs(amount) < 0.01 ? 4 : 2;
  return `$${amount.toFixed(digits)}`;
}

/** Stored rows as elements: the steps of a turn and its final answer become one message. */
export function rows(stored) {
  const elements = [];
  let turn = null;
  for (const one of stored) {
    if (one.role === "assistant") {
      if (!turn) {
        turn = new Turn();
        elements.push(turn.element);
      }
      turn.stored(one);
      if (one.in_reply_to) turn = null;
      continue;
    }
    turn = null;
    if (one.role === "user") elements.push(userMessage(one));
    else if (one.role === "marker") elements.push(make("div", "marker", t(`marker.${one.text === "compaction" ? "compaction" : "new"}`)));
  }
  return elements;
}

export function userMessage(stored, files = []) {
  const element = make("article", "message user");
  element.dataset.id = stored.id;
  element.append(make("h2", "sr-only", t("you")));
  const shown = files.length ? files : (stored.files || []).map((file) => (typeof file === "string" ? { name: file } : file));
  if (shown.length) element.append(sentFiles(shown));
  if (stored.text) element.append(make("div", "body", stored.text));
  const foot = make("div", "foot");
  if (stored.at) foot.append(make("span", "", time(stored.at)));
  element.append(foot);
  return element;
}

function sentFiles(files) {
  const box = make("div", "sent-files");
  for (const file of files) {
    const [id, agent] = file.id ? [file.id, file.agent] : placeOf(file.path);
    const name = file.name || id;
    const link = make("a", "file", name);
    link.href = id ? fileAddress(id, agent) : "#";
    if (id && /\.(png|jpe?g|gif|webp)$/i.test(id)) {
      link.target = "_blank";
      const image = make("img");
      image.src = fileAddress(id, agent);
      image.alt = name;
      image.loading = "lazy";
      image.addEventListener("load", () => link.classList.add("picture"));
      image.addEventListener("error", () => image.replaceWith(name)); // called a picture, is none
      link.replaceChildren(image);
    } else link.download = name;
    box.append(link);
  }
  return box;
}

/** The id of a stored file (its day and its name) and whose it is, by its path in an agent's work folder. */
function placeOf(path) {
  const found = /agents\/([^/]+)\/files\/inbox\/(\d{4}-\d{2}-\d{2}\/[^/]+)$/.exec(path || "");
  return found ? [found[2], found[1]] : ["", ""];
}

function fileAddress(id, agent) {
  const whose = agent ? `?agent=${agent}` : ""; // what went with an answer lies in one place for all
  return `/api/attachments/${id.split("/").map(encodeURIComponent).join("/")}${whose}`;
}

function short(value) {
  const text = typeof value === "string" ? value : Object.values(value || {}).map((part) => (typeof part === "string" ? part : JSON.stringify(part))).join(" ");
  return text.replace(/\s+/g, " ").slice(0, 160);
}

/** An answer: what was said and done in the order of its coming, and what it was and cost in the end. */
export class Turn {
  constructor() {
    this.element = make("article", "message assistant");
    this.parts = make("div", "parts");
    this.working = make("div", "working", t("thinking"));
    this.working.hidden = true;
    this.footBox = make("div", "foot");
    this.element.append(make("h2", "sr-only", t("it")), this.parts, this.working, this.footBox);
    this.steps = new Map();
    this.body = null; // the text that grows now
    this.said = "";
    this.rested = []; // texts that are complete, in their order
    this.answers = 0; // messages that the turn answers
    this.timer = 0;
    this.cost = 0; // milliseconds of the last drawing: a text that is slow to draw is drawn less often
  }

  busy() {
    this.working.hidden = false;
    return this;
  }

  get begun() {
    return this.parts.childElementCount > 0;
  }

  /** A piece of text; `restart` takes back what this answer said since its last step (another model begins anew), and
   *  once the turn answers more messages than before, another answer begins. */
  text(delta, restart = false, answers = 0) {
    this.#passed();
    if (restart) this.said = "";
    else if (answers > this.answers && this.answers) this.#rest();
    this.answers = answers;
    if (!this.body) {
      this.#rest();
      this.body = make("div", "markdown");
      this.parts.append(this.body);
    }
    this.said += delta;
    if (!this.timer) this.timer = setTimeout(() => this.draw(), Math.max(REDRAW_MS, 4 * this.cost));
  }

  draw() {
    clearTimeout(this.timer);
    this.timer = 0;
    const before = performance.now();
    this.body?.replaceChildren(render(this.said));
    this.cost = performance.now() - before;
    this.onDraw?.();
  }

  /** The text so far is complete: what comes next stands under it. */
  #rest() {
    if (this.timer) this.draw();
    if (this.said.trim()) this.rested.push(this.said.trim());
    this.body = null;
    this.said = "";
  }

  #passed() {
    this.working.textContent = t("thinking");
  }

  step(started) {
    this.#passed();
    this.#rest();
    const step = new Step(started);
    this.steps.set(started.id, step);
    let box = this.parts.lastElementChild;
    if (!box?.classList.contains("steps")) {
      box = make("div", "steps");
      this.parts.append(box);
    }
    box.append(step.element);
    return step;
  }

  stepEnded(ended) {
    (this.steps.get(ended.id) || this.step({ id: ended.id, name: ended.name, input: {} })).finish(ended);
  }

  /** Something to know; a passing one (a model that is still loading) shows only until the next sign of life. */
  notice(text, passing = false) {
    if (passing) {
      this.working.textContent = text;
      return;
    }
    this.#rest();
    this.parts.append(make("div", "notice", text));
  }

  /** A row of the transcript: a step on the way, or the end. */
  stored(one) {
    if (one.in_reply_to) {
      this.finish({ ...one, reply: one.text });
      return;
    }
    if (one.text) this.text(one.text);
    for (const call of one.tools || []) this.step({ id: call.id || `${one.id}-${this.steps.size}`, name: call.name, input: call.input }).finish(call);
    this.#rest();
  }

  finish(done) {
    this.working.remove();
    let reply = done.reply || "";
    for (const text of this.rested) if (reply.startsWith(`${text}\n\n`)) reply = reply.slice(text.length + 2); // stands above
    const partly = done.error && this.said.trim() && !reply.startsWith(this.said.trim());
    if (partly) this.#rest(); // what had come stays, and why it ended stands under it
    if (reply) {
      if (!this.body) this.text("");
      this.said = reply;
      this.draw();
    } else if (done.error) this.parts.append(make("p", "error", typeof done.error === "string" ? done.error : done.error.message));
    if (done.files?.length) this.parts.append(sentFiles(done.files));
    const parts = [done.at ? time(done.at) : "", done.model || "", done.model && done.cost_usd !== undefined ? money(done.cost_usd) : ""];
    this.footBox.replaceChildren(...parts.filter(Boolean).map((part) => make("span", "", part)));
  }
}

/** A tool call that unfolds to what went in and what came back. */
class Step {
  constructor(started) {
    this.element = make("details", "step");
    const summary = make("summary");
    this.state = make("span", "state", "…");
    summary.append(make("strong", "", started.name || "?"), make("span", "what", short(started.input)), this.state);
    this.element.append(summary);
    const input = typeof started.input === "string" ? started.input : JSON.stringify(started.input ?? {}, null, 2);
    if (input && input !== "{}") this.element.append(make("h3", "", t("tool.input")), block(input));
  }

  finish(ended) {
    if (this.state.textContent !== "…") return;
    const known = typeof ended.ok === "boolean"; // the transcript's rows may not tell how it ended
    this.element.classList.toggle("failed", ended.ok === false);
    this.state.textContent = !known ? "" : ended.ok ? "✓" : t("tool.failed");
    if (ended.summary) this.element.append(make("h3", "", t("tool.output")), block(String(ended.summary)));
  }
}

function block(text) {
  const pre = make("pre", "", text);
  pre.tabIndex = 0;
  return pre;
}
