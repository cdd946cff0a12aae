// The chat page: one stream of events feeds it, whoever started the turn and wherever; messages go in by POST with an
// id of their own, so that trying again never says a thing twice.

import { call } from "/static/api.js";
import { Files } from "/static/files.js";
import { startOverview } from "/static/overview.js";
import { agentOf, label, MAIN, messageWith, nameOf, sessionEntry, startSearch } from "/static/sessions.js";
import { startSettings } from "/static/settings.js";
import { currentLanguage, startLanguage, t } from "/static/texts.js";
import { make, rows as drawRows, Turn, userMessage } from "/static/view.js";
import { startWaiting } from "/static/waiting.js";

const $ = (id) => document.getElementById(id);
const AGENTS = document.body.dataset.agents.split(" ");
const RELOAD_MS = 8000;

const state = {
  key: MAIN, // full key of the session on show
  name: "main", // what POST calls it
  sessions: [],
  found: [], // conversations in which the words of the search stand
  turns: new Map(), // session key -> Map(turn id -> the Turn that runs there); id "" is one that was just asked for
  own: new Map(), // session key -> how many of this page's messages have no answer yet
  fresh: new Set(), // names that the gateway does not know yet
};

startLanguage();
document.title = t("app");
const files = new Files({ list: $("files"), input: $("file"), agent: () => agentOf(state.key), problem });
const overview = startOverview();
startSettings({ onLanguage: redraw });
const waiting = startWaiting({ problem, onDraw: () => follow() });

// Sessions

async function loadSessions() {
  try {
    state.sessions = (await call("GET", "/api/sessions")).sessions;
  } catch (error) {
    if (error.status === 401) location.replace("/login");
    return;
  }
  for (const session of state.sessions) state.fresh.delete(session.key);
  drawSessions();
}

function drawSessions() {
  const wanted = $("filter").value.trim().toLocaleLowerCase();
  const fresh = [...state.fresh].map((key) => ({ key, title: t("sessions.new") }));
  const known = new Set(state.sessions.map((session) => session.key));
  const mains = AGENTS.map((agent) => ({ key: `agent:${agent}:main` })); // each can be talked to before its first word
  const all = [...fresh, ...mains.filter(({ key }) => !known.has(key)), ...state.sessions];
  const found = new Map(state.found.map((one) => [one.key, one.snippet]));
  const matches = (session) => label(session).toLocaleLowerCase().includes(wanted) || found.has(session.key);
  const entries = all.filter(matches).map((session) => sessionEntry(session, {
    current: session.key === state.key,
    snippet: found.get(session.key),
    onOpen: () => open(session, found.has(session.key) ? wanted : ""),
  }));
  if (!entries.length) entries.push(make("li", "none", t("sessions.none")));
  $("sessions").replaceChildren(...entries);
  const current = all.find((session) => session.key === state.key);
  $("title").textContent = current ? label(current) : state.name;
}

/** Show a conversation; with `words`, the place where they stand. */
async function open(session, words = "") {
  if (agentOf(session.key) !== agentOf(state.key)) files.take(); // they stand in the other agent's work folder
  state.key = session.key;
  state.name = nameOf(session.key);
  $("text").disabled = $("send").disabled = !state.name; // another person's conversation is for reading
  showSidebar(false);
  problem("");
  drawSessions();
  await loadMessages();
  const place = words && messageWith(words, $("messages").children);
  if (place) {
    following = false;
    place.tabIndex = -1;
    place.focus();
    place.scrollIntoView({ block: "center" });
  } else if (state.name && !matchMedia("(pointer: coarse)").matches) $("text").focus();
}

// Messages

async function loadMessages() {
  const key = state.key;
  let rows = [];
  if (!state.fresh.has(state.key)) {
    try {
      rows = (await call("GET", `/api/sessions/${encodeURIComponent(key)}/messages?limit=300`)).messages;
    } catch (error) {
      if (error.status === 401) location.replace("/login");
      if (error.status !== 404) problem(error.message);
    }
  }
  if (key !== state.key) return; // another session was opened meanwhile
  const running = turnsOf(key);
  if ([...running.values()].some((turn) => turn.begun)) rows = withoutRunning(rows);
  const elements = drawRows(rows);
  $("messages").replaceChildren(...elements, ...[...running.values()].map((turn) => turn.element));
  if (!elements.length && !running.size) $("messages").append(emptyHint());
  drawButtons();
  toEnd();
  return rows;
}

/** The steps at the end that have no answer yet are what the running turn shows itself. */
function withoutRunning(rows) {
  let end = rows.length;
  while (end && rows[end - 1].role === "assistant" && !rows[end - 1].in_reply_to) end -= 1;
  return rows.slice(0, end);
}

function emptyHint() {
  const box = make("div", "empty");
  box.append(make("h2", "", t("empty")), make("p", "", t("empty.hint")));
  return box;
}

function append(element) {
  $("messages").querySelector(".empty")?.remove();
  $("messages").append(element);
  follow();
}

let following = true;

function nearEnd() {
  const log = $("log");
  return log.scrollHeight - log.scrollTop - log.clientHeight < 120;
}

function toEnd() {
  following = true;
  follow();
}

/** Stay at the end while the text grows, unless the reader has scrolled up. */
function follow() {
  if (following) $("log").scrollTop = $("log").scrollHeight;
  $("to-end").hidden = nearEnd();
}

function drawButtons() {
  $("stop").hidden = !turnsOf(state.key).size;
}

function problem(text) {
  $("problem").textContent = text;
  $("problem").hidden = !text;
}

// A running turn

function turnsOf(key) {
  if (!state.turns.has(key)) state.turns.set(key, new Map());
  return state.turns.get(key);
}

function expect(key, change) {
  const count = Math.max(0, (state.own.get(key) || 0) + change);
  if (count) state.own.set(key, count);
  else state.own.delete(key);
}

function addTurn(key, id) {
  const turn = new Turn().busy();
  turn.onDraw = () => key === state.key && follow();
  turnsOf(key).set(id, turn);
  return turn;
}

/** The Turn of an id, made when its first event comes. */
async function turnOf(key, id) {
  const turns = turnsOf(key);
  let turn = turns.get(id);
  if (turn) return turn;
  turn = turns.get("");
  if (turn) {
    turns.delete("");
    turns.set(id, turn);
    return turn;
  }
  turn = addTurn(key, id);
  if (key === state.key) {
    turn.foreign = !state.own.has(key);
    if (turn.foreign) await loadMessages(); // somebody wrote elsewhere: show what, then the answer
    else append(turn.element);
  }
  drawButtons();
  return turn;
}

async function onEvent(type, data) {
  if (type === "notice" || type === "done") waiting.refresh(); // asked for, or no longer wanted
  const key = data.session;
  const id = data.turn || "";
  if (type === "done" || type === "error") {
    await finish(key, id, type, data);
    return;
  }
  if (type === "notice" && !turnsOf(key).has(id)) {
    if (key === state.key) append(make("div", "notice", data.text));
    return;
  }
  const turn = await turnOf(key, id);
  if (type === "text") turn.text(data.delta, data.restart, data.answers);
  else if (type === "tool_start") turn.step(data);
  else if (type === "tool_end") turn.stepEnded(data);
  else if (type === "notice") turn.notice(data.text, data.passing);
  if (key === state.key) follow();
}

async function finish(key, id, type, data) {
  const turns = turnsOf(key);
  const found = turns.has(id) ? id : "";
  let turn = turns.get(found);
  turns.delete(found);
  const done = type === "done" ? { ...data, at: Date.now() } : { reply: "", error: data };
  if ((!turn || turn.foreign) && key === state.key) {
    // A command's answer, or a turn that was begun elsewhere: the transcript knows its question and all its steps.
    const stored = state.own.has(key) ? [] : await loadMessages();
    if (!stored?.some((one) => one.id === data.message_id)) {
      turn = turn || new Turn();
      append(turn.element);
    }
  }
  turn?.finish(done);
  expect(key, -1);
  if (!turns.size && turn) state.own.delete(key); // messages that joined the turn are answered with it
  if (key === state.key) {
    follow();
    drawButtons();
    $("announce").textContent = t("answered", { text: (data.reply || data.message || "").slice(0, 600) });
  }
  loadSessions();
  overview.refresh();
}

// Events come in order, and drawing one may have to wait for a request: so they queue.
let queue = Promise.resolve();
let source = null;

function listen() {
  source?.close();
  source = new EventSource("/api/events");
  let before = false;
  source.onopen = () => {
    $("connection").textContent = "";
    if (before) catchUp();
    before = true;
  };
  source.onerror = (event) => {
    if (event.data !== undefined) return; // an event of that name from the gateway, not trouble
    $("connection").textContent = t("offline");
    if (source.readyState === EventSource.CLOSED) setTimeout(reconnect, 1000);
  };
  for (const type of ["accepted", "text", "tool_start", "tool_end", "notice", "done", "error"]) {
    source.addEventListener(type, (event) => {
      if (event.data === undefined) return; // the connection's own "error"
      const data = JSON.parse(event.data);
      queue = queue.then(() => onEvent(type, data)).catch((error) => problem(error.message));
    });
  }
}

async function reconnect() {
  try {
    await call("GET", "/api/sessions");
    listen();
    catchUp();
  } catch (error) {
    if (error.status === 401) location.replace("/login");
    else setTimeout(reconnect, 3000);
  }
}

/** After a gap: what was missed is in the transcript. */
function catchUp() {
  state.turns.clear();
  state.own.clear();
  loadSessions();
  loadMessages();
  overview.refresh();
  waiting.refresh();
}

// Sending

async function send(event) {
  event?.preventDefault();
  const text = $("text").value;
  if ((!text.trim() && !files.ready.length) || !state.name) return;
  if (files.busy) return;
  const message = {
    session: state.name,
    agent: agentOf(state.key),
    text,
    id: crypto.randomUUID ? crypto.randomUUID() : String(Date.now()) + Math.random(),
    attachments: files.ready.map((file) => file.id),
    language: currentLanguage(),
  };
  const element = userMessage({ id: message.id, text, at: Date.now() }, files.take());
  $("text").value = "";
  grow();
  append(element);
  toEnd();
  await deliver(message, element, state.key);
}

async function deliver(message, element, key) {
  element.classList.remove("failed");
  expect(key, 1);
  problem("");
  try {
    await call("POST", "/api/messages?wait=false", message);
  } catch (error) {
    expect(key, -1);
    if (error.status === 401) location.replace("/login");
    failed(message, element, key, error);
    return;
  }
  if (state.fresh.has(key)) loadSessions();
  queue = queue.then(() => {
    if (!state.own.has(key) || turnsOf(key).size) return; // answered already, or it joins the running turn
    const turn = addTurn(key, "");
    if (key === state.key) append(turn.element);
    drawButtons();
  });
  setTimeout(() => stillNothing(key, message.id), RELOAD_MS);
}

/** An answer without events (it came while the stream was down) is found in the transcript. */
async function stillNothing(key, id) {
  const waiting = turnsOf(key).get("");
  if (!waiting) return;
  try {
    const path = `/api/sessions/${encodeURIComponent(key)}/messages?limit=50`;
    const answered = (await call("GET", path)).messages.some((one) => one.in_reply_to?.includes(id));
    if (answered && turnsOf(key).get("") === waiting) {
      turnsOf(key).delete("");
      state.own.delete(key);
      if (key === state.key) await loadMessages();
      return;
    }
  } catch { /* the connection's own line says so */ }
  setTimeout(() => stillNothing(key, id), RELOAD_MS);
}

function failed(message, element, key, error) {
  element.classList.add("failed");
  const foot = element.querySelector(".foot");
  const again = make("button", "link", t("retry"));
  again.type = "button";
  again.addEventListener("click", () => {
    foot.replaceChildren();
    deliver(message, element, key);
  });
  foot.replaceChildren(make("span", "", t("not.sent", { why: error.message })), again);
}

async function stop() {
  try {
    await call("POST", `/api/sessions/${encodeURIComponent(state.key)}/stop`);
  } catch (error) {
    problem(error.message);
  }
}

// The page itself

function grow() {
  const field = $("text");
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}

function showSidebar(wanted) {
  $("sidebar").classList.toggle("open", wanted);
  $("shade").hidden = !wanted;
  $("open-sidebar").setAttribute("aria-expanded", String(wanted));
  if (wanted) $("close-sidebar").focus();
}

function newSession() {
  const key = `agent:${nameOf(state.key) ? agentOf(state.key) : "main"}:web:chat-${Date.now().toString(36)}`;
  state.fresh.add(key);
  open({ key });
}

function redraw() {
  document.title = t("app");
  drawSessions();
  loadMessages();
  overview.refresh();
  waiting.refresh();
}

$("composer").addEventListener("submit", send);
$("stop").addEventListener("click", stop);
$("attach").addEventListener("click", () => $("file").click());
$("new-session").addEventListener("click", newSession);
$("open-sidebar").addEventListener("click", () => showSidebar(true));
$("close-sidebar").addEventListener("click", () => { showSidebar(false); $("open-sidebar").focus(); });
$("shade").addEventListener("click", () => showSidebar(false));
startSearch({ input: $("filter"), onFound: (found) => { state.found = found; drawSessions(); } });
$("to-end").addEventListener("click", toEnd);
$("log").addEventListener("scroll", () => {
  following = nearEnd();
  $("to-end").hidden = following;
}, { passive: true });
$("text").addEventListener("input", grow);
$("text").addEventListener("keydown", (event) => {
  // While an input method composes, Enter chooses a character and must not send.
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing && event.keyCode !== 229 && !matchMedia("(pointer: coarse)").matches) send(event);
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || document.querySelector("dialog[open]")) return;
  if ($("sidebar").classList.contains("open")) { showSidebar(false); $("open-sidebar").focus(); }
  else if (turnsOf(state.key).size) stop();
});
for (const type of ["dragover", "drop", "dragleave"]) {
  document.addEventListener(type, (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    $("composer").classList.toggle("dragging", type === "dragover");
    if (type === "drop") files.add(event.dataTransfer.files);
  });
}
$("text").addEventListener("paste", (event) => {
  if (event.clipboardData.files.length) {
    event.preventDefault();
    files.add(event.clipboardData.files);
  }
});
document.addEventListener("visibilitychange", () => { if (!document.hidden) { loadSessions(); overview.refresh(); } });

listen();
loadSessions();
loadMessages();
$("text").focus();
