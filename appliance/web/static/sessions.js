// The list of conversations: how each is called and drawn, and the search for words that were said in them.

import { call } from "/static/api.js";
import { t } from "/static/texts.js";
import { make, time } from "/static/view.js";

export const MAIN = "agent:main:main";
const WAIT_MS = 250;

/** Whose a session is, by its full key. */
export function agentOf(key) {
  const parts = key.split(":");
  return parts[0] === "agent" ? parts[1] : "main";
}

/** What POST calls a session; empty for another person's conversation, which is for reading. */
export function nameOf(key) {
  const parts = key.split(":");
  if (parts[0] !== "agent") return "";
  return parts[2] === "web" ? parts[3] : parts.length === 3 ? parts[2] : "";
}

/** What a session is called in the list: another agent's begins with its name. */
export function label(session) {
  const whose = agentOf(session.key) === "main" ? "" : agentOf(session.key);
  return [whose, ownLabel(session, whose)].filter(Boolean).join(" · ");
}

function ownLabel(session, whose) {
  const parts = session.key.split(":");
  if (parts.length === 3 && nameOf(session.key)) return whose ? "" : t("sessions.main");
  if (session.title) return session.title;
  if (parts[0] === "agent" && parts[2] !== "web") {
    return `${parts[2][0].toUpperCase()}${parts[2].slice(1)} · ${parts.slice(4).join(" ") || parts[3]}`;
  }
  return nameOf(session.key) || session.name;
}

/** An entry of the list: the name, and where the searched words stand or else when it was used. */
export function sessionEntry(session, { current, snippet, onOpen }) {
  const entry = make("li");
  const button = make("button");
  button.type = "button";
  if (current) button.setAttribute("aria-current", "true");
  button.append(make("span", "name", label(session)));
  if (snippet) button.append(make("span", "where", snippet));
  else if (session.used_at) button.append(make("span", "when", time(session.used_at)));
  button.addEventListener("click", onOpen);
  entry.append(button);
  return entry;
}

/** Watch the search field. The names filter at once; `onFound` gets the conversations (key, snippet) in which the words stand, [] for no words. */
export function startSearch({ input, onFound }) {
  let timer = 0;
  let asked = 0;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    const mine = ++asked;
    onFound([]);
    const words = input.value.trim();
    if (!words) return;
    timer = setTimeout(async () => {
      const found = await call("GET", `/api/sessions/search?q=${encodeURIComponent(words)}`).catch(() => ({ sessions: [] }));
      if (mine === asked) onFound(found.sessions); // the names still filter when the search does not answer
    }, WAIT_MS);
  });
}

/** The message in which most of the searched words stand, the newest of equals; null when none does. */
export function messageWith(words, messages) {
  const wanted = words.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  let best = null;
  let most = 1;
  for (const message of messages) {
    const text = message.textContent.toLocaleLowerCase();
    const count = wanted.filter((word) => text.includes(word)).length;
    if (count >= most) [best, most] = [message, count];
  }
  return best;
}
