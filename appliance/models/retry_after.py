"""How long a provider asks us to wait."""

from __future__ import annotations

import email.utils
import time
from collections.abc import Mapping


def retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Seconds to wait, from `retry-after-ms` or `retry-after` (seconds or an HTTP date); None when not said."""
    milliseconds, value = headers.get("retry-after-ms"), headers.get("retry-after")
    for text, unit in ((milliseconds, 1000.0), (value, 1.0)):
        try:
            seconds = float(text or "") / unit
        except ValueError:
            continue
        return max(0.0, seconds) if seconds == seconds and seconds != float("inf") else None
    parsed = email.utils.parsedate_tz(value) if value else None
    if parsed is None:
        return None
    return max(0.0, email.utils.mktime_tz(parsed) - (time.time() if now is None else now))
