"""Who mentioned the owner, from a Mastodon server or one that speaks as it does."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from appliance.checks.plain import from_html, short
from appliance.errors import AddressError, ToolError
from appliance.network.client import Client

_PATH = "/api/v1/notifications?types%5B%5D=mention&limit=30"


async def recent(client: Client, url: str, token: str, since: datetime) -> list[str]:
    """Mentions since an instant, newest first, one line each. Raises ToolError."""
    try:
        found = await client.ask("GET", url.rstrip("/") + _PATH, headers={"authorization": f"Bearer {token}"})
    except (AddressError, OSError, TimeoutError) as error:
        raise ToolError("The server of the mentions does not answer.") from error
    if found.status in (401, 403):
        raise ToolError("The server of the mentions refuses the token.", fix="Make a new one with read:notifications.")
    try:
        rows = msgspec.json.decode(found.body)
        if found.status != 200 or not isinstance(rows, list):
            raise ValueError
        return [line for row in rows if (line := _line(row, since))]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ToolError(f"What the server of the mentions answered ({found.status}) is not understood.") from error


def _line(row: dict[str, Any], since: datetime) -> str:
    at = datetime.fromisoformat(str(row["created_at"]))
    status = row.get("status") or {}
    if row.get("type") != "mention" or at < since:
        return ""
    text = short(from_html(str(status.get("content", ""))), 300)
    return f"{at:%Y-%m-%d %H:%MZ} @{short(str(row['account']['acct']), 80)}: {text} {status.get('url') or ''}".rstrip()
