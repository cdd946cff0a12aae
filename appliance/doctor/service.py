"""What the doctor asks of a gateway that runs: its channels and parts, the way out, who reads its figures."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from appliance.credentials import ask_bot
from appliance.doctor.examination import Outcome, Patient, Status
from appliance.settings import Settings
from appliance.settings.agents import discord_bots, telegram_bots
from appliance.settings.channels import TelegramSettings

_OLD_SCRAPE = 300.0  # seconds
_ALREADY = ("gateway", "commands", "browser", "local model", "embedder")  # have checks of their own


def channels(patient: Patient) -> Outcome | None:
    """Whether each channel with a token works, in the channel's own words (a second poller, a missing intent)."""
    settings = patient.settings
    wanted = settings.chats
    if not wanted:
        return None
    status = patient.status()
    if status is not None:
        parts = {part["name"]: part for part in status["parts"]}
        wrong = [parts[name] for name in wanted if name in parts and parts[name]["state"] in ("failed", "degraded")]
        if wrong:
            return *_told(wrong), f"See docs/how-to/{wrong[0]['name'].partition('-')[0]}.md."
    for name, bot in telegram_bots(settings.telegram, settings.agents).items() if patient.online else ():
        found = _telegram(bot)
        if found is not None:
            return found[0], found[1] if name == "telegram" else f"{name}: {found[1]}", *found[2:]
    return "pass", f"Set up: {', '.join(wanted)}." + ("" if status else " The gateway does not run.")


def _telegram(bot: TelegramSettings) -> Outcome | None:
    """What Telegram itself says of a bot: token, webhook, privacy mode; None when there is nothing wrong."""
    where = (bot.bot_token.get_secret_value(), bot.api_base)
    answer, me = ask_bot(*where, "getMe")
    if answer == "refused":
        return "fail", "Telegram refuses the bot's token.", "Ask BotFather for /token and set it."
    hooked, hook = ask_bot(*where, "getWebhookInfo")
    if "unreachable" in (answer, hooked):
        return "warn", "Telegram cannot be reached.", "Check the network."
    there = str(hook.get("url", ""))
    if there != bot.webhook_url and there:
        return (
            "fail",
            "The bot has a webhook that is not ours, so its messages go there.",
            "Remove it with deleteWebhook.",
        )
    if bot.groups and not me.get("can_read_all_group_messages"):
        fix = "Tell BotFather /setprivacy Disable, then take the bot out of the group and add it again."
        return "warn", "Privacy mode is on: in groups the bot sees commands and mentions alone.", fix
    return None


def parts(patient: Patient) -> Outcome | None:
    """Every other part of the running house that does not work."""
    status = patient.status()
    if status is None:
        return None
    others = [part for part in status["parts"] if part["name"] not in (*patient.settings.chats, *_ALREADY)]
    wrong = [part for part in others if part["state"] in ("failed", "degraded")]
    if not wrong:
        return "pass", f"{len(status['parts'])} parts of the running gateway report no failure."
    return *_told(wrong), "See the gateway's log."


def _told(wrong: list[dict[str, Any]]) -> tuple[Status, str]:
    worst: Status = "fail" if any(part["state"] == "failed" for part in wrong) else "warn"
    return worst, " ".join(f"{part['name']}: {part['detail']}" for part in wrong)


def contact(patient: Patient) -> Outcome | None:
    """Whether the owner can be told anything at all: alerts, marks and approvals go where they last spoke."""
    status = patient.status()
    if status is None or "owner_on" not in status:
        return None
    places = [name for name in status["owner_on"] if name in patient.settings.chats]
    if places:
        return "pass", f"The owner is told on {', '.join(places)}."
    if not patient.settings.chats:
        return "pass", "No chat channel is set up: notices are shown on the page alone."
    fix = "appliance pair --role owner, then send the code to the bot."
    return "warn", "No owner has spoken on a chat channel, so alerts and marks reach nobody there.", fix


def scrape(patient: Patient) -> Outcome | None:
    """Whether Prometheus reads /metrics."""
    status = patient.status()
    if status is None or "scraped_at" not in status:
        return None
    at = status["scraped_at"]
    ours = (patient.state / "secrets" / "prometheus").is_dir()  # the compose file's own Prometheus
    fix = "Is Prometheus up? docker compose ps prometheus; its token is STATE/metrics_token."
    if at is None:
        if ours:
            return "warn", "Prometheus has not read /metrics since the start.", fix
        return "pass", "No Prometheus reads /metrics (it is optional; see docs/metrics.md)."
    age = time.time() - at
    if age > _OLD_SCRAPE:
        return "warn", f"Prometheus last read /metrics {age / 60:.0f} minutes ago.", fix
    return "pass", f"Prometheus read /metrics {max(0.0, age):.0f} s ago."


def egress(patient: Patient, environ: Mapping[str, str] | None = None) -> Outcome | None:
    """Where there is a proxy on the way out: whether it lets pass what the settings need. None without a proxy."""
    proxy = urlsplit((os.environ if environ is None else environ).get("HTTPS_PROXY", ""))
    if not proxy.hostname:
        return None
    place = (proxy.hostname, proxy.port or 3128)
    try:
        refused = [host for host in _needed(patient.settings) if _asks_proxy(place, host) == 403]
    except OSError as error:
        fix = "Is it up? docker compose ps egress"
        return "fail", f"The proxy {place[0]}:{place[1]} does not answer: {error}.", fix
    if refused:
        return "fail", f"The proxy refuses {', '.join(refused)}.", "List it in EGRESS_DOMAINS in .env, then up again."
    return "pass", f"The proxy {place[0]} lets pass what is needed."


def _needed(settings: Settings) -> list[str]:
    addresses = [
        (settings.has_key, settings.anthropic.base_url),
        *((True, bot.api_base) for bot in telegram_bots(settings.telegram, settings.agents).values()),
        *((True, bot.api_base) for bot in discord_bots(settings.discord, settings.agents).values()),
        ("whatsapp" in settings.chats, settings.whatsapp.api_base),
        ("slack" in settings.chats, settings.slack.api_base),
    ]
    found = [urlsplit(address) for address in dict.fromkeys(address for wanted, address in addresses if wanted)]
    return [parts.hostname for parts in found if parts.scheme == "https" and parts.hostname]


def _asks_proxy(place: tuple[str, int], host: str) -> int:
    with socket.create_connection(place, 2.0) as wire:
        wire.settimeout(2.5)
        wire.sendall(f"CONNECT {host}:443 HTTP/1.1\r\nHost: {host}:443\r\n\r\n".encode())
        try:
            words = wire.recv(100).split()
        except TimeoutError:
            return 0  # let through and waiting for an answer from far away
    return int(words[1]) if len(words) > 1 and words[1].isdigit() else 0
