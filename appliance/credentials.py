"""Whether a key or a token is accepted, asked of the service itself. Nothing here costs money, and nothing is raised.

Both calls block for a few seconds at most: run them in a thread.
"""

from __future__ import annotations

from typing import Any, Literal

Answer = Literal["accepted", "refused", "unreachable", "troubled"]
_KEY_SECONDS, _BOT_SECONDS = 8.0, 4.0


def try_key(key: str, base_url: str) -> Answer:
    """Ask the Anthropic API whether it knows a key."""
    import httpx2  # only when somebody asks

    headers = {"x-api-key": key, "anthropic-version": "2023-06-01"}
    try:
        answer = httpx2.get(f"{base_url.rstrip('/')}/v1/models?limit=1", headers=headers, timeout=_KEY_SECONDS)
    except httpx2.HTTPError:
        return "unreachable"
    if answer.status_code in (401, 403):
        return "refused"
    return "troubled" if answer.status_code >= 400 else "accepted"


def ask_bot(token: str, api_base: str, method: str) -> tuple[Answer, dict[str, Any]]:
    """Ask the Bot API for `method` of a bot; the result is empty unless the token is accepted."""
    import httpx2  # only when somebody asks

    try:  # the address holds the token, so no error of the client is ever shown
        answer = httpx2.get(f"{api_base.rstrip('/')}/bot{token}/{method}", timeout=_BOT_SECONDS)
        body = answer.json()
    except (httpx2.HTTPError, ValueError):
        return "unreachable", {}
    if answer.status_code in (401, 404):
        return "refused", {}
    result = body.get("result") if isinstance(body, dict) else None
    return ("accepted", result) if isinstance(result, dict) else ("troubled", {})
