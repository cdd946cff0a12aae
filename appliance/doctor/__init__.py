"""`appliance doctor`: what is wrong on this machine, and the command that mends it.

A check is a small function from a Patient to a Finding. Parts that come later add theirs with `@check("name")`; the
name is what `--json` shows. A check that fails to run is itself a finding, and none may take longer than ten seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import importlib.util
import os
import shutil
import socket
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from appliance.channels.discord import check as discord_check
from appliance.channels.slack import check as slack_check
from appliance.client import GatewayClient, NotRunningError
from appliance.credentials import try_key
from appliance.doctor import service as doctor_service
from appliance.doctor import upkeep as doctor_upkeep
from appliance.doctor import voice as doctor_voice
from appliance.doctor.examination import Check, Finding, Outcome
from appliance.doctor.examination import Patient as Patient
from appliance.errors import ApplianceError, SettingsError
from appliance.settings import Settings
from appliance.settings.load import load_settings

_CHECK_SECONDS = 10.0
_LOW_DISK, _NO_DISK = 2 * 1024**3, 200 * 1024**2  # bytes
_OLD_PRICES = 60 * 86_400.0  # seconds
_BUILT = 1_795_000_000.0  # a clock before this release (late 2026) is wrong
_SKEW = 300.0  # seconds


CHECKS: dict[str, Check] = {}


def check(name: str) -> Callable[[Check], Check]:
    """Register a check: it returns (status, detail[, fix]), or None when it does not apply. It runs in a thread."""

    def register(function: Check) -> Check:
        CHECKS[name] = function
        return function

    return register


async def examine(patient: Patient) -> list[Finding]:
    """Run every check at once; findings come in the order in which the checks were registered."""
    found = await asyncio.gather(*(_run(name, function, patient) for name, function in CHECKS.items()))
    return [finding for finding in found if finding is not None]


async def _run(name: str, function: Check, patient: Patient) -> Finding | None:
    try:
        outcome = await asyncio.wait_for(asyncio.to_thread(function, patient), _CHECK_SECONDS)
    except TimeoutError:
        return Finding(name, "fail", f"The check did not end within {_CHECK_SECONDS:.0f} s.", "Try again.")
    except ApplianceError as error:
        return Finding(name, "fail", error.what, error.fix)
    except Exception as error:  # noqa: BLE001 - a check that breaks is a finding, not the end of the examination
        return Finding(name, "fail", f"The check itself failed: {type(error).__name__}: {error}")
    return None if outcome is None else Finding(name, *outcome)


def run(config: Path | None = None, *, online: bool = False, mend: bool = False) -> tuple[list[Finding], int]:
    """Load the settings, examine, and return the findings with the exit code: 1 when any check failed.

    `mend` first does what is safe to do for findings that are not well: closes STATE and the token to other users, and
    makes a backup where there is none of late.
    """
    try:
        settings = load_settings(config)
    except SettingsError as error:
        return [Finding("config", "fail", error.what, error.fix)], 1
    patient = Patient(settings, online)
    found = asyncio.run(examine(patient))
    if mend and sum(_mend(finding, patient) for finding in found if finding.status != "pass"):
        found = asyncio.run(examine(patient))
    findings = [Finding("config", "pass", "The settings are valid."), *found]
    return findings, 1 if any(finding.status == "fail" for finding in findings) else 0


def told(rows: Iterable[Mapping[str, Any]]) -> tuple[list[Finding], int]:
    """The findings of a running gateway (its JSON rows), with the exit code as of `run`."""
    findings = [Finding(row["check"], row["status"], row["detail"], row["fix"]) for row in rows]
    findings.insert(0, Finding("config", "pass", "The settings are valid."))
    return findings, 1 if any(finding.status == "fail" for finding in findings) else 0


def _mend(finding: Finding, patient: Patient) -> bool:
    """Mend what a finding names when that can do no harm; return whether anything was done."""
    state = patient.state
    mine = state.is_dir() and state.stat().st_uid == os.getuid()
    if finding.check == "state" and mine:
        state.chmod(0o700)
    elif finding.check == "token" and mine:
        (state / "token").chmod(0o600)
    elif finding.check == "backup":
        from appliance.backup import backup  # only for --fix

        backup(state, passphrase=patient.settings.backup.passphrase.get_secret_value())
    else:
        return False
    return True


@check("state")
def _state(patient: Patient) -> Outcome:
    state = patient.state
    owner = f"{os.getuid()}:{os.getgid()}"
    if not state.exists():
        parent = next(folder for folder in state.parents if folder.exists())
        if os.access(parent, os.W_OK):
            return "pass", f"{state} will be made at the first start."
        return "fail", f"{state} cannot be made: {parent} is not writable.", f"sudo install -d -o {owner} {state}"
    if not state.is_dir():
        return "fail", f"{state} is not a folder.", "Choose another APPLIANCE_STATE_DIR."
    if not os.access(state, os.W_OK | os.X_OK):
        return "fail", f"{state} is not writable for user {os.getuid()}.", f"sudo chown -R {owner} {state}"
    if state.stat().st_mode & 0o077:
        return "warn", f"Other users can look into {state}.", f"chmod 700 {state}"
    return "pass", f"{state} is writable and private."


@check("token")
def _token(patient: Patient) -> Outcome | None:
    token = patient.state / "token"
    if not token.exists():
        return None
    if token.stat().st_mode & 0o077:
        return "fail", "Other users can read the token.", f"chmod 600 {token}"
    return "pass", "The token is private."


@check("disk")
def _disk(patient: Patient) -> Outcome:
    folder = next(folder for folder in (patient.state, *patient.state.parents) if folder.exists())
    free = shutil.disk_usage(folder).free
    text = f"{free / 1024**3:.1f} GiB free under {folder}."
    fix = "Free some space; messages are refused when it runs out."
    if free < _NO_DISK:
        return "fail", text, fix
    return ("warn", text, fix) if free < _LOW_DISK else ("pass", text)


@check("lock")
def _lock(patient: Patient) -> Outcome | None:
    path = patient.state / "lock"
    if not path.exists():
        return None
    with path.open("rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EAGAIN):
                raise
            return "pass", f"A gateway (process {lock.read(16).decode(errors='replace').strip()}) owns STATE."
    return "pass", "No gateway runs on this STATE; the lock is free."


@check("gateway")
def _gateway(patient: Patient) -> Outcome:
    if patient.inside:
        return "pass", "It answers: this very report."
    try:
        client = GatewayClient.find(patient.state)
        client.call("GET", "/healthz")
    except NotRunningError as error:
        return "warn", error.what, error.fix
    return "pass", f"The gateway answers at {client.url}."


@check("port")
def _port(patient: Patient) -> Outcome | None:
    server = patient.settings.server
    if patient.inside or server.port == 0:
        return None
    with contextlib.suppress(ApplianceError):
        client = GatewayClient.find(patient.state)
        client.call("GET", "/healthz")
        return None  # the gateway itself has it
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((server.host, server.port))
        except OSError as error:
            fix = f"Stop what has it (ss -ltnp 'sport = :{server.port}'), or set APPLIANCE_SERVER__PORT."
            return "fail", f"Port {server.port} on {server.host} cannot be used: {error.strerror}.", fix
    return "pass", f"Port {server.port} is free."


@check("key")
def _key(patient: Patient) -> Outcome:
    settings = patient.settings
    wanted = [name for name in settings.models_named if name.startswith("claude")]
    if not settings.has_key:
        if wanted:
            fix = "Set ANTHROPIC_API_KEY or ANTHROPIC_API_KEY_FILE."
            return "fail", f"The chain names {wanted[0]}, but there is no Anthropic key.", fix
        return "pass", "No Anthropic key; the local model answers."
    if not patient.online:
        return "pass", "There is an Anthropic key (not tried; `appliance doctor --online` tries it)."
    return _try_key(settings)


def _try_key(settings: Settings) -> Outcome:
    address = settings.anthropic.base_url
    outcomes: dict[str, Outcome] = {
        "accepted": ("pass", "Anthropic accepts the key."),
        "refused": ("fail", "Anthropic refuses the key.", "Make a new key in the Anthropic console and set it."),
        "unreachable": ("fail", f"{address} cannot be reached.", "Check the network."),
        "troubled": ("warn", f"{address} answered with an error.", "Try again in a minute."),
    }
    return outcomes[try_key(settings.anthropic.api_key.get_secret_value(), address)]


@check("prices")
def _prices(patient: Patient) -> Outcome:
    from appliance.spending.prices import Prices  # a table that only this check reads

    prices = Prices(patient.settings.budget.price_file)
    age = prices.age_seconds(time.time())
    text = f"The price table is of {prices.dated}."
    if age > _OLD_PRICES:
        old = f"That is {age / 86_400:.0f} days ago."
        return "warn", f"{text} {old}", "Update the appliance, or set budget.price_file."
    return "pass", text


@check("vectors")
def _vectors(_: Patient) -> Outcome:
    import apsw  # C libraries that only this check needs

    from appliance.memory.vectors import extension_path

    connection = apsw.Connection(":memory:")
    try:
        connection.enable_load_extension(True)
        connection.load_extension(extension_path())
        version = connection.execute("SELECT vec_version()").fetchall()[0][0]
        connection.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
    except (ImportError, apsw.Error) as error:
        fix = "Reinstall the appliance's Python packages."
        return "fail", f"SQLite cannot load its extensions: {error}.", fix
    finally:
        connection.close()
    return "pass", f"SQLite {apsw.sqlite_lib_version()} with FTS5 and sqlite-vec {version}."


@check("database")
def _database(patient: Patient) -> Outcome | None:
    import apsw  # a C library that only two checks need

    from appliance.database import open_connection

    path = patient.state / "core.db"
    if not path.exists():
        return None
    try:
        connection = open_connection(path, readonly=True)
        try:
            answer = connection.execute("PRAGMA quick_check(5)").fetchall()
        finally:
            connection.close()
    except apsw.Error as error:
        return "fail", f"{path} cannot be read: {error}.", "Restore the last backup: appliance restore"
    if answer != [("ok",)]:
        return "fail", f"{path} is damaged: {answer[0][0]}.", "Restore the last backup: appliance restore"
    return "pass", "core.db is whole."


@check("docker")
def _docker(patient: Patient) -> Outcome | None:
    from appliance.sandbox.check import sandbox_check

    return sandbox_check(patient.settings)


@check("browser")
def _browser(patient: Patient) -> Outcome | None:
    from appliance.browser import chromium  # only this check looks for it
    from appliance.browser.client import Elsewhere, Pages
    from appliance.browser.wire import Condition

    web = patient.settings.web
    if not web.enabled or not web.browser:
        return None
    if web.browser_url:
        found = asyncio.run(Pages(Elsewhere(web.browser_url, web.browser_token.get_secret_value())).look())
        program = f"the browser's service at {web.browser_url}"
        none = f"No browser at {web.browser_url}: {found.missing}"
        fix = "Start it (in compose: COMPOSE_PROFILES=browser). Pages can still be read with fetch."
    else:
        missing = chromium.missing(web.browser_executable)
        found = Condition(missing, "" if missing else chromium.own_sandbox())
        program = chromium.executable(web.browser_executable)
        none = f"No browser: {found.missing}"
        fix = "Install what is named, or set APPLIANCE_WEB__BROWSER=false. Pages can still be read with fetch."
    if found.missing:
        return "warn", none, fix
    if found.weak:
        fix = "Run it as a user of its own, on a system and with a seccomp profile that allow user namespaces."
        return "warn", f"Chromium ({program}) runs without its own sandbox: {found.weak}.", fix
    return "pass", f"Chromium ({program}) keeps its own sandbox."


@check("local-model")
def _local_model(patient: Patient) -> Outcome | None:
    settings = patient.settings
    if not settings.local.enabled or "local" not in settings.models_named:
        return None
    if settings.local.url:
        import httpx2  # only when the service is elsewhere

        try:
            httpx2.get(f"{settings.local.url.rstrip('/')}/healthz", timeout=5.0).raise_for_status()
        except httpx2.HTTPError as error:
            return "fail", f"The models service {settings.local.url} does not answer: {error}.", "Start it."
        return "pass", f"The models service {settings.local.url} answers."
    with contextlib.suppress(ApplianceError):
        status = GatewayClient.find(patient.state).call("GET", "/api/models")
        phase, detail = status.get("phase", "unknown"), str(status.get("detail") or "")
        if phase == "failed":
            return "fail", f"The local model could not be started: {detail}", "See the gateway's log."
        return "pass", f"The local model is {phase}." + (f" {detail}" if detail else "")
    if importlib.util.find_spec("llama_cpp") is not None:
        return "pass", "The local model's engine is installed."
    missing = [name for name in ("cmake", "gcc", "g++") if shutil.which(name) is None]
    if missing and not any((patient.state / "models").glob("*")):
        fix = "apt-get install cmake gcc g++"
        return "warn", f"The local model's engine is built at the first start and needs {', '.join(missing)}.", fix
    return "pass", "The local model's engine is built and the model fetched at the first start."


@check("discord")
def _discord(patient: Patient) -> Outcome | None:
    return discord_check.look(patient.settings, patient.online)


@check("slack")
def _slack(patient: Patient) -> Outcome | None:
    return slack_check.look(patient.settings, patient.online)


@check("skills")
def _skills(patient: Patient) -> Outcome | None:
    from appliance.skills import doctor  # only this check reads every skill

    wrong = doctor.unreadable(patient.state)
    if not wrong:
        return None
    return "warn", f"Skills that cannot be read: {'; '.join(wrong)}", "Mend or remove them; the others are used."


@check("memory")
def _memory(patient: Patient) -> Outcome | None:
    from appliance.memory.report import examine_memory  # only this check reads every note

    return examine_memory(patient.state, patient.settings.owner.zone)


@check("hooks")
def _hooks(patient: Patient) -> Outcome | None:
    from appliance.automation.hooks import find  # only this check reads the owner's programs

    found = find(patient.state / "config" / "hooks") if patient.settings.hooks.enabled else []
    unfit = [f"{hook.path.name}: {hook.unfit}" for hook in found if hook.unfit]
    if unfit:
        return "warn", f"Hooks that are not run: {'; '.join(unfit)}.", "See docs/how-to/hooks.md."
    return ("pass", f"Hooks: {', '.join(hook.path.name for hook in found)}.") if found else None


@check("mcp")
def _mcp(patient: Patient) -> Outcome | None:
    from appliance.mcp_client import doctor  # only where servers are configured

    servers = patient.settings.mcp
    if not servers:
        return None
    if not doctor.installed():
        return "fail", doctor.NOT_INSTALLED, doctor.INSTALL
    wrong = doctor.problems(patient.settings)
    if wrong:
        return "warn", f"MCP servers: {'; '.join(wrong)}.", "Mend the sections [mcp.<name>] of the settings."
    return "pass", f"{len(servers)} MCP servers are configured; `appliance mcp check` connects to them."


@check("clock")
def _clock(patient: Patient) -> Outcome:
    now = time.time()
    zone = patient.settings.owner.zone
    if now < _BUILT:
        return "fail", "This machine's clock is years behind.", "Set it: timedatectl set-ntp true"
    if patient.online:
        skew = _skew(patient.settings.anthropic.base_url)
        if skew is not None and abs(skew) > _SKEW:
            off = f"The clock is {skew:.0f} s ahead." if skew > 0 else f"The clock is {-skew:.0f} s behind."
            return "warn", off, "timedatectl set-ntp true"
    return "pass", f"The clock is plausible; your day is that of {zone.key}."


def _skew(address: str) -> float | None:
    """Seconds by which this clock is ahead of a server's Date header, or None when it cannot be told."""
    from email.utils import parsedate_to_datetime  # only for --online

    import httpx2  # only for --online

    try:
        told = httpx2.head(address, timeout=5.0).headers.get("date")
        return time.time() - parsedate_to_datetime(told).timestamp() if told else None
    except (httpx2.HTTPError, ValueError):
        return None


for _name, _function in (
    ("agents", doctor_upkeep.agents),
    ("models", doctor_upkeep.model_files),
    ("channels", doctor_service.channels),
    ("parts", doctor_service.parts),
    ("voice", doctor_voice.voice),
    ("contact", doctor_service.contact),
    ("egress", doctor_service.egress),
    ("prometheus", doctor_service.scrape),
    ("limits", doctor_upkeep.limits),
    ("backup", doctor_upkeep.backup_age),
    ("exposed", doctor_upkeep.exposed),
    ("policies", doctor_upkeep.policies),
):
    check(_name)(_function)
