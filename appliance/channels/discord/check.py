"""What `appliance doctor` looks at before Discord is blamed: the library, the token, what the application may do."""

from __future__ import annotations

import importlib.util
from typing import Any, Literal

from appliance.settings import Settings
from appliance.settings.agents import discord_bots
from appliance.settings.channels import DiscordSettings

Outcome = tuple[Literal["pass", "warn", "fail"], str] | tuple[Literal["pass", "warn", "fail"], str, str]
_SECONDS = 8.0
_CONTENT = (1 << 18) | (1 << 19)  # the application may read message contents


def look(settings: Settings, online: bool) -> Outcome | None:
    """The Discord library, and token and intent of each bot; None without one."""
    bots = discord_bots(settings.discord, settings.agents)
    if not bots:
        return None
    if importlib.util.find_spec("discord") is None:
        fix = "Install the extra: pip install 'home-agent-appliance[discord]'"
        return "fail", "The Discord library is not installed.", fix
    if not online:
        return "pass", "A token is set and the library is there. (`appliance doctor --online` tries the token.)"
    found = {name: _ask(bot) for name, bot in bots.items()}
    name = next((name for name, outcome in found.items() if outcome[0] != "pass"), next(iter(bots)))
    return found[name][0], found[name][1] if name == "discord" else f"{name}: {found[name][1]}", *found[name][2:]


def _ask(bot: DiscordSettings) -> Outcome:
    """What Discord itself says of a bot."""
    base, token = bot.api_base.rstrip("/"), bot.bot_token.get_secret_value()
    status, body = _get(f"{base}/oauth2/applications/@me", {"Authorization": f"Bot {token}"})
    if status == 401:
        fix = "Reset the token on the application's Bot page and set DISCORD_BOT_TOKEN."
        return "fail", "Discord does not accept the token.", fix
    if status != 200:
        return "warn", f"Discord cannot be reached ({status or 'no connection'}).", "Check the network and api_base."
    if not int(body.get("flags", 0)) & _CONTENT:
        fix = "Switch on Message Content Intent on the application's Bot page and restart."
        return "warn", "Answers to its messages in servers are not heard without a mention.", fix
    return "pass", f"The application is {body.get('name', '')!r}; it may read message contents."


def _get(url: str, headers: dict[str, str] | None = None) -> tuple[int, Any]:
    """(status, JSON); status 0 when there was no answer."""
    import httpx2

    try:
        answer = httpx2.get(url, headers=headers, timeout=_SECONDS)
        return answer.status_code, answer.json()
    except (httpx2.HTTPError, ValueError):
        return 0, {}
