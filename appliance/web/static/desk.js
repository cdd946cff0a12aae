// The pages for seeing and deciding: a button posts what it carries, then the page is fetched anew and its content
// replaced. What stands there is drawn by the gateway; nothing is drawn here.

import { call } from "/static/api.js";

const ARMED_MS = 6000;
const words = document.body.dataset;
const live = () => document.getElementById("live");
let busy = false;

function tell(text, wrong = false) {
  const result = document.getElementById("result");
  result.textContent = text;
  result.classList.toggle("error", wrong);
}

/** Fetch this very page and take over its content, when it differs. The focus stays where it was, if that is still there. */
async function refresh() {
  const response = await fetch(location.href, { headers: { Accept: "text/html" }, credentials: "same-origin" });
  if (response.redirected) location.replace("/login");
  if (!response.ok || response.redirected) return;
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html").getElementById("live");
  const old = live();
  if (!fresh || fresh.isEqualNode(old)) return;
  const before = old.querySelectorAll(".case").length;
  const inside = old.contains(document.activeElement);
  const key = inside ? document.activeElement.dataset.key : undefined;
  old.replaceWith(document.adoptNode(fresh));
  if (inside) ([...fresh.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key) || fresh).focus();
  if (words.more && fresh.querySelectorAll(".case").length > before) tell(words.more);
}

function arm(button) {
  const label = button.textContent;
  button.dataset.armed = "";
  button.textContent = words.really;
  setTimeout(() => {
    delete button.dataset.armed;
    button.textContent = label;
  }, ARMED_MS);
}

async function act(button) {
  if (busy) return;
  busy = true;
  try {
    const body = button.dataset.body;
    const answer = await call(button.dataset.method || "POST", button.dataset.post, body ? JSON.parse(body) : undefined);
    tell(answer.note || words.done);
  } catch (error) {
    if (error.status === 401) location.replace("/login");
    tell(error.status ? error.message : words.offline, true);
  }
  busy = false;
  await refresh().catch(() => tell(words.offline, true));
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if ("refresh" in button.dataset) await refresh().then(() => tell(words.done), () => tell(words.offline, true));
  else if (!button.dataset.post) return;
  else if ("confirm" in button.dataset && !("armed" in button.dataset)) arm(button);
  else await act(button);
});

document.addEventListener("submit", (event) => {
  const form = event.target.closest("[data-search]");
  if (!form) return;
  event.preventDefault();
  const asked = new FormData(form).get("q").trim();
  const agent = new URLSearchParams(location.search).get("agent"); // whose memory is on show
  const query = Object.entries({ agent, q: asked }).filter(([, value]) => value);
  const given = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  location.assign(location.pathname + (given ? `?${given}` : ""));
});

if (words.poll) {
  setInterval(() => {
    if (document.hidden || busy || document.querySelector("[data-armed]")) return;
    refresh().catch(() => {}); // the next look tries again; a press says so when there is no connection
  }, Number(words.poll));
}
