"""What `appliance doctor` looks at before Slack is blamed: both tokens, and what the app may do."""

from __future__ import annotations

from typing import Any, Literal

from appliance.settings import Settings

Outcome = tuple[Literal["pass", "warn", "fail"], str] | tuple[Literal["pass", "warn", "fail"], str, str]
_SECONDS = 8.0
_APPS = "https://api.slack.com/apps"
_SCOPES = frozenset("chat:write commands files:read files:write im:history im:write reactions:write users:read".split())
_IN_CHANNELS = frozenset({"channels:history"})


def look(settings: Settings, online: bool) -> Outcome | None:
    """The tokens and scopes of the Slack app; None without a token."""
    slack = settings.slack
    if "slack" not in settings.chats:
        return None
    if not online:
        return "pass", "Both tokens are set. (`appliance doctor --online` tries them.)"
    error, scopes = _ask(slack.api_base, "auth.test", slack.bot_token.get_secret_value())
    if not error:
        error, _ = _ask(slack.api_base, "apps.connections.open", slack.app_token.get_secret_value())
    if error == "unreached":
        return "warn", "Slack cannot be reached.", "Check the network and slack.api_base."
    if error:
        fix = f"Copy both tokens again from {_APPS}; the app-level one needs connections:write."
        return "fail", f"Slack does not accept a token: {error}.", fix
    missing = sorted((_SCOPES | (_IN_CHANNELS if slack.channels else frozenset())) - scopes)
    if missing:
        fix = f"Add them under OAuth & Permissions on {_APPS} and install the app again."
        return "warn", f"The app lacks the scopes {', '.join(missing)}.", fix
    return "pass", "Slack accepts both tokens, and the app has the scopes it needs."


def _ask(base: str, method: str, token: str) -> tuple[str, frozenset[str]]:
    """(what Slack says is wrong, the token's scopes)."""
    import httpx2

    try:
        headers = {"Authorization": f"Bearer {token}"}
        answer = httpx2.post(f"{base.rstrip('/')}/{method}", headers=headers, timeout=_SECONDS)
        body: dict[str, Any] = answer.json()
    except (httpx2.HTTPError, ValueError):
        return "unreached", frozenset()
    scopes = frozenset(answer.headers.get("x-oauth-scopes", "").replace(" ", "").split(","))
    return "" if body.get("ok") else str(body.get("error", answer.status_code)), scopes
