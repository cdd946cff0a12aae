"""What `appliance doctor` looks at before Discord is blamed: the library, the token, what the application may do."""

from __future__ import annotations

import importlib.util
from typing import Any, Literal

from appliance.settings import Settings

Outcome = tuple[Literal["pass", "warn", "fail"], str] | tuple[Literal["pass", "warn", "fail"], str, str]
_SECONDS = 8.0
_CONTENT = (1 << 18) | (1 << 19)  # the application may read message contents


def look(settings: Settings, online: bool) -> Outcome | None:
    """The Discord library, token and intent; None without a token."""
    token = settings.discord.bot_token.get_secret_value()
    if not token:
        return None
    if importlib.util.find_spec("discord") is None:
        fix = "Install the extra: pip install 'home-agent-appliance[discord]'"
        return "fail", "The Discord library is not installed.", fix
    if not online:
        return "pass", "A token is set and the library is there. (`appliance doctor --online` tries the token.)"
    base = settings.discord.api_base.rstrip("/")
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
