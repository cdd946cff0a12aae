// The first run: one step at a time, each kept when its button is pressed, and pairing with a phone at the end.

import { call } from "/static/api.js";

const LOOK_MS = 2000;
const $ = (id) => document.getElementById(id);
const words = document.body.dataset;
const steps = ["model", "budget", "telegram"];
const kept = new Set(steps.filter((name) => "kept" in $(name).dataset));
let role; // of whom the next code lets in: the owner first
let code = null;

const current = () => Math.max(0, steps.indexOf(location.hash.slice(1)));

function show(focus = true) {
  const at = current();
  steps.forEach((name, index) => {
    $(name).hidden = index !== at;
    const link = document.querySelector(`nav a[href="#${name}"]`);
    if (index === at) link.setAttribute("aria-current", "step");
    else link.removeAttribute("aria-current");
  });
  $("back").hidden = at === 0;
  nameNext();
  if (focus) $(`${steps[at]}-title`).focus();
  scrollTo(0, 0);
}

function nameNext() {
  const at = current();
  const next = $("next");
  next.textContent = at === steps.length - 1 ? next.dataset.finish : kept.has(steps[at]) ? next.dataset.next : next.dataset.later;
  next.className = kept.has(steps[at]) || at === steps.length - 1 ? "primary" : "secondary";
}

function tell(step, text, wrong = false) {
  const result = $(`${step}-result`);
  result.textContent = text;
  result.classList.toggle("error", wrong);
}

async function keep(form) {
  const step = form.dataset.step;
  const button = form.querySelector("button");
  button.disabled = true;
  tell(step, "…");
  try {
    const answer = await call("POST", `/api/first-run/${step}`, Object.fromEntries(new FormData(form)));
    if (step === "telegram") begun(answer);
    else tell(step, form.dataset.done);
    if (step === "model") $("now").textContent = words.now.replace("{chain}", answer.model.chain.join(" → "));
    kept.add(step);
    nameNext();
    if (step !== "budget") form.reset(); // no secret stays in a field
  } catch (error) {
    if (error.status === 401) location.replace("/login");
    tell(step, error.status ? error.message : words.offline, true);
  }
  button.disabled = false;
}

function begun(bot) {
  tell("telegram", (bot.restart ? words.restart : words.bot).replace("{username}", bot.username));
  $("pairing").hidden = bot.restart;
  code = null;
  look();
}

/** Ask how far the bot is: first whether Telegram was reached, then whether somebody has paired. */
async function look() {
  if ($("pairing").hidden || document.hidden || steps[current()] !== "telegram") return;
  const { telegram } = await call("GET", "/api/first-run");
  if (telegram.trouble) tell("telegram", telegram.trouble, true);
  const names = telegram.owners.join(", ");
  const status = names ? words.paired.replace("{name}", names) : telegram.username ? words.waiting : words.reaching;
  if ($("paired").textContent !== status) $("paired").textContent = status;
  $("invite").hidden = !names;
  if (names && role !== "member") {
    kept.add("telegram");
    draw({ code: "", link: "", picture: null });
  } else if (telegram.username && !code) draw(await call("POST", "/api/first-run/invite", { role: role || "owner" }));
}

function draw(made) {
  code = made.code || null;
  $("code").textContent = made.code;
  $("code").parentElement.hidden = !made.code;
  $("link").hidden = !made.link;
  $("link").href = $("link").textContent = made.link;
  const picture = $("picture");
  picture.toggleAttribute("hidden", !made.picture);
  if (!made.picture) return;
  picture.setAttribute("viewBox", `0 0 ${made.picture.size} ${made.picture.size}`);
  picture.firstElementChild.setAttribute("d", made.picture.path);
}

document.addEventListener("submit", (event) => {
  event.preventDefault();
  keep(event.target);
});
$("invite").addEventListener("click", () => {
  role = "member";
  code = null;
  look();
});
$("back").addEventListener("click", () => { location.hash = steps[current() - 1]; });
$("next").addEventListener("click", async () => {
  if (current() < steps.length - 1) {
    location.hash = steps[current() + 1];
    return;
  }
  await call("POST", "/api/first-run/leave").catch(() => {}); // then it is shown once more, which does no harm
  location.replace("/");
});
addEventListener("hashchange", () => { show(); look().catch(() => {}); });

draw({ code: "", link: "", picture: null });
show(false);
look().catch(() => {}); // the next look tries again
setInterval(() => look().catch(() => {}), LOOK_MS);
