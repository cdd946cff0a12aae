// Logging in: a one-time code (also after # in the address, which no server and no log ever sees) or the password.

import { call } from "/static/api.js";
import { startLanguage, t } from "/static/texts.js";

const $ = (id) => document.getElementById(id);
const forms = { code: $("code-form"), password: $("password-form"), new: $("new-form") };

startLanguage();
document.title = t("login.title");

function show(name) {
  for (const [key, form] of Object.entries(forms)) form.hidden = key !== name;
  problem("");
  document.querySelector("h1").textContent = t(name === "new" ? "login.set" : "login.title");
  forms[name].querySelector("input:not([readonly])").focus();
}

function problem(text) {
  $("problem").textContent = text;
  $("problem").hidden = !text;
}

async function logIn(given) {
  problem("");
  try {
    const answer = await call("POST", "/api/login", given);
    if (given.code && !answer.has_password) show("new");
    else location.replace("/");
  } catch (error) {
    problem(error.message);
  }
}

forms.code.addEventListener("submit", (event) => {
  event.preventDefault();
  logIn({ code: $("code").value });
});
forms.password.addEventListener("submit", (event) => {
  event.preventDefault();
  logIn({ password: $("password").value });
});
forms.new.addEventListener("submit", async (event) => {
  event.preventDefault();
  if ($("new-password").value !== $("again").value) {
    problem(t("login.differ"));
    return;
  }
  try {
    await call("POST", "/api/password", { password: $("new-password").value });
    location.replace("/");
  } catch (error) {
    problem(error.message);
  }
});
$("to-code").addEventListener("click", () => show("code"));
$("to-password").addEventListener("click", () => show("password"));
$("later").addEventListener("click", () => location.replace("/"));

const hasPassword = document.body.dataset.hasPassword === "yes";
$("to-password").hidden = !hasPassword;
show(hasPassword ? "password" : "code");
const code = location.hash.slice(1).replace(/[^A-Za-z0-9-]/g, "");
if (code) {
  history.replaceState(null, "", location.pathname);
  show("code");
  $("code").value = code;
  logIn({ code });
}
