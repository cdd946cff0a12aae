"""Posting something to an address that the owner gave: what its answer means for delivery."""

from __future__ import annotations

from collections.abc import Mapping

from appliance.errors import DeliveryError

_TIMEOUT_SECONDS = 20.0
_TRY_AGAIN = {408, 425, 429}


async def post(url: str, content: bytes, headers: Mapping[str, str]) -> None:
    """Post to `url`. Raises DeliveryError: for good when the address refuses it, else to be tried again."""
    import httpx2

    try:
        # No redirects: the owner gave one address, and a redirect could lead anywhere.
        async with httpx2.AsyncClient(timeout=_TIMEOUT_SECONDS, follow_redirects=False, trust_env=False) as client:
            response = await client.post(url, content=content, headers=dict(headers))
    except httpx2.HTTPError as error:
        never_left = isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout)
        raise DeliveryError(f"{url} cannot be reached: {error}.", ambiguous=not never_left) from error
    if response.status_code < 300:
        return
    wait = response.headers.get("retry-after", "")
    raise DeliveryError(
        f"{url} answered {response.status_code}.",
        permanent=response.status_code < 500 and response.status_code not in _TRY_AGAIN,
        retry_after=float(wait) if wait.isdigit() else None,
    )
