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

/** One stored row as an element; null for what is not shown. */
export function row(stored) {
  if (stored.role === "user") return userMessage(stored);
  if (stored.role === "assistant") {
    const turn = new Turn();
    for (const call of stored.tools || []) turn.step({ id: call.id || "", name: call.name, input: call.input }).finish({ ok: call.ok !== false, summary: call.summary || "" });
    turn.finish({ reply: stored.text || "", model: stored.model, cost_usd: stored.cost_usd, at: stored.at, error: stored.error });
    return turn.element;
  }
  if (stored.role === "marker") {
    const key = `marker.${stored.text === "compaction" ? "compaction" : "new"}`;
    return make("div", "marker", t(key));
  }
  return null;
}

export function userMessage(stored, files = []) {
  const element = make("article", "message user");
  element.dataset.id = stored.id;
  element.append(make("h3", "sr-only", t("you")));
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
    const name = file.name || String(file.path || "").split("/").pop();
    if (file.preview || (file.id && file.kind === "image")) {
      const link = make("a");
      link.href = file.id ? `/api/attachments/${file.id}` : file.preview;
      link.target = "_blank";
      const image = make("img");
      image.src = file.preview || `/api/attachments/${file.id}`;
      image.alt = name;
      link.append(image);
      box.append(link);
    } else box.append(make("span", "file", name));
  }
  return box;
}

function short(value) {
  const text = typeof value === "string" ? value : Object.values(value || {}).map((part) => (typeof part === "string" ? part : JSON.stringify(part))).join(" ");
  return text.replace(/\s+/g, " ").slice(0, 160);
}

/** An answer: its steps, its text as it grows, what it was and cost in the end. */
export class Turn {
  constructor() {
    this.element = make("article", "message assistant");
    this.element.append(make("h3", "sr-only", t("it")));
    this.stepsBox = make("div", "steps");
    this.body = make("div", "markdown");
    this.working = make("div", "working", t("thinking"));
    this.working.hidden = true;
    this.footBox = make("div", "foot");
    this.element.append(this.stepsBox, this.body, this.working, this.footBox);
    this.said = "";
    this.steps = new Map();
    this.timer = 0;
  }

  busy() {
    this.working.hidden = false;
    return this;
  }

  text(delta) {
    this.said += delta;
    if (!this.timer) this.timer = setTimeout(() => this.draw(), REDRAW_MS);
  }

  draw() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.body.replaceChildren(render(this.said));
    this.onDraw?.();
  }

  step(started) {
    const step = new Step(started);
    this.steps.set(started.id, step);
    this.stepsBox.append(step.element);
    return step;
  }

  stepEnded(ended) {
    (this.steps.get(ended.id) || this.step({ id: ended.id, name: ended.name, input: {} })).finish(ended);
  }

  notice(text) {
    this.stepsBox.append(make("div", "notice", text));
  }

  finish(done) {
    this.working.remove();
    this.said = done.reply || "";
    this.draw();
    if (done.error) this.element.append(make("p", "error", typeof done.error === "string" ? done.error : done.error.message));
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
    if (input && input !== "{}") this.element.append(make("h4", "", t("tool.input")), block(input));
  }

  finish(ended) {
    const ok = ended.ok !== false;
    this.element.classList.toggle("failed", !ok);
    this.state.textContent = ok ? "✓" : t("tool.failed");
    if (ended.summary) this.element.append(make("h4", "", t("tool.output")), block(String(ended.summary)));
  }
}

function block(text) {
  const pre = make("pre", "", text);
  pre.tabIndex = 0;
  return pre;
}
