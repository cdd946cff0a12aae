// The foot of the side bar: what today cost against its limit, and what the local model is doing.

import { call } from "/static/api.js";
import { t } from "/static/texts.js";
import { money } from "/static/view.js";

const $ = (id) => document.getElementById(id);
const BUSY_MS = 2000;
const QUIET_MS = 60000;

export function startOverview() {
  let timer = 0;

  async function refresh() {
    clearTimeout(timer);
    const results = await Promise.all([budget(), model()]);
    timer = setTimeout(refresh, results[1] ? BUSY_MS : QUIET_MS);
  }

  $("raise").addEventListener("click", () => $("raise-dialog").showModal());
  $("raise-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await call("POST", "/api/budget/raise", { usd: $("raise-usd").value });
      $("raise-dialog").close();
    } catch (error) {
      $("raise-usd").setCustomValidity(error.message);
      $("raise-usd").reportValidity();
    }
    refresh();
  });
  $("raise-usd").addEventListener("input", () => $("raise-usd").setCustomValidity(""));
  refresh();
  return { refresh };
}

async function budget() {
  let day;
  try {
    day = (await call("GET", "/api/budget")).find((scope) => scope.scope === "day");
  } catch { /* an appliance without a budget shows none */ }
  $("budget").hidden = !day;
  if (!day) return;
  const limit = Number(day.limit);
  const spent = Number(day.spent);
  const limited = day.limit !== null && Number.isFinite(limit);
  $("spent").textContent = limited ? t("spend.of", { spent: money(spent), limit: money(limit) }) : money(spent);
  const bar = $("spent-bar");
  bar.hidden = !limited;
  $("raise").hidden = !limited || spent < limit * 0.8;
  if (!limited) return;
  bar.max = limit || 1;
  bar.low = limit * 0.8;
  bar.high = limit * 0.999;
  bar.optimum = 0;
  bar.value = limit ? Math.min(spent, limit) : 1;
  bar.textContent = $("spent").textContent;
}

const SHOWN = ["starting", "building", "fetching", "loading", "failed"];

/** Draw the local model's progress; return whether it is still on its way. */
async function model() {
  let status = {};
  try {
    status = await call("GET", "/api/models");
  } catch { /* no local model */ }
  const shown = SHOWN.includes(status.phase);
  $("model").hidden = !shown;
  if (!shown) return false;
  $("model-text").textContent = t(`model.${status.phase}`) + (status.detail ? ` · ${status.detail}` : "");
  $("model-bar").hidden = status.phase === "failed";
  if (Number.isFinite(status.percent)) $("model-bar").value = status.percent;
  else $("model-bar").removeAttribute("value");
  return status.phase !== "failed";
}
