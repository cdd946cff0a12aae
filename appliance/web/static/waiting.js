// What waits for the owner's word, above the message field: a command that the agent may not run unasked.

import { call } from "/static/api.js";
import { t } from "/static/texts.js";
import { make, time } from "/static/view.js";

const LOOK_MS = 5000; // while something waits: it may be decided elsewhere, or run out

export function startWaiting({ problem, onDraw }) {
  const box = document.getElementById("waiting");
  if (!box) return { refresh() {} }; // this appliance never asks
  let timer = 0;
  let shown = "";

  async function refresh() {
    clearTimeout(timer);
    let waiting = [];
    try {
      waiting = (await call("GET", "/api/approvals")).approvals;
    } catch {
      timer = setTimeout(refresh, LOOK_MS); // the connection's own line says so
      return;
    }
    draw(waiting);
    if (waiting.length) timer = setTimeout(refresh, LOOK_MS);
  }

  function draw(waiting) {
    const now = JSON.stringify([waiting, document.documentElement.lang]);
    if (now === shown) return; // what has the focus stays
    shown = now;
    box.replaceChildren(...waiting.map(card));
    box.hidden = !waiting.length;
    onDraw();
  }

  function card(one) {
    const element = make("section", "ask");
    const head = make("p", "why", t("approval.asked", { why: one.why, until: time(one.expires_at) }));
    head.id = `ask-${one.id}`;
    const answers = ["once", ...(one.always.length ? ["always"] : []), "deny"];
    const deeds = make("div", "deeds");
    deeds.append(...answers.map((answer) => button(one, answer, head.id)));
    const what = make("pre", "", one.text);
    what.tabIndex = 0;
    what.setAttribute("aria-labelledby", head.id);
    element.append(head, what, deeds);
    return element;
  }

  function button(one, answer, about) {
    const element = make("button", answer === "once" ? "primary" : "secondary", t(`approval.${answer}`));
    element.type = "button";
    element.setAttribute("aria-describedby", about);
    if (answer === "always") element.title = one.always.join("; ");
    element.addEventListener("click", async () => {
      element.disabled = true;
      try {
        await call("POST", `/api/approvals/${encodeURIComponent(one.id)}`, { decision: answer });
        problem("");
      } catch (error) {
        if (error.status === 401) location.replace("/login");
        problem(error.message);
        element.disabled = false;
      }
      const at = document.activeElement;
      if (at === document.body || box.contains(at)) document.getElementById("text").focus(); // nobody went on meanwhile
      await refresh();
    });
    return element;
  }

  refresh();
  return { refresh };
}
