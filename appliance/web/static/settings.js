// The settings dialog: language, colours, password, logins.

import { call } from "/static/api.js";
import { currentLanguage, setLanguage, t } from "/static/texts.js";
import { make, time } from "/static/view.js";

const $ = (id) => document.getElementById(id);

export function startSettings({ onLanguage }) {
  for (const button of document.querySelectorAll("dialog [data-close]")) {
    button.addEventListener("click", () => button.closest("dialog").close());
  }
  $("open-settings").addEventListener("click", () => {
    $("language").value = currentLanguage();
    $("theme").value = document.documentElement.dataset.theme || "auto";
    $("password-result").textContent = "";
    drawLogins();
    $("settings").showModal();
  });
  $("language").addEventListener("change", () => {
    remember("language", $("language").value);
    // The pages that the server draws read it from here.
    document.cookie = `appliance_language=${$("language").value}; path=/; samesite=strict; max-age=31536000`;
    setLanguage($("language").value);
    drawLogins();
    onLanguage();
  });
  $("theme").addEventListener("change", () => {
    const theme = $("theme").value;
    remember("theme", theme);
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  });
  $("password-form").addEventListener("submit", changePassword);
  $("logout").addEventListener("click", async () => {
    await call("POST", "/api/logout").catch(() => {});
    location.replace("/login");
  });
}

function remember(key, value) {
  try { localStorage.setItem(key, value); } catch { /* storage may be forbidden: then it holds for this visit */ }
}

async function changePassword(event) {
  event.preventDefault();
  try {
    await call("POST", "/api/password", { password: $("new-password").value, current: $("current").value });
    $("password-form").reset();
    $("password-result").textContent = t("saved");
    drawLogins();
  } catch (error) {
    $("password-result").textContent = error.message;
  }
}

async function drawLogins() {
  const { logins } = await call("GET", "/api/logins").catch(() => ({ logins: [] }));
  $("logins").replaceChildren(...logins.map((login) => {
    const entry = make("li");
    const text = make("span");
    text.append(make("span", "agent", browser(login.agent)));
    text.append(make("small", "", `${login.address} · ${time(login.seen)}`));
    entry.append(text);
    if (login.this) entry.append(make("small", "", t("logins.this")));
    else {
      const end = make("button", "link", t("logins.end"));
      end.type = "button";
      end.addEventListener("click", async () => {
        await call("DELETE", `/api/logins/${login.id}`).catch(() => {});
        drawLogins();
      });
      entry.append(end);
    }
    return entry;
  }));
}

/** A short name for a user agent; the whole when it is none we know. */
function browser(agent) {
  const program = ["Firefox", "Edg", "OPR", "Chrome", "Safari"].find((name) => agent.includes(name));
  const system = ["Android", "iPhone", "iPad", "Windows", "Mac OS", "Linux"].find((name) => agent.includes(name));
  if (!program) return agent || "?";
  return [program.replace("Edg", "Edge").replace("OPR", "Opera"), system].filter(Boolean).join(" · ");
}
