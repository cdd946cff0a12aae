"""Figures that a benchmark writes into a page of the docs, between two marks."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime


def machine() -> str:
    """The day and the machine, as they stand below a table."""
    today = datetime.now(UTC).date().isoformat()
    return f"{today}, {os.cpu_count()} cores, {platform.system()} {platform.release().split('-')[0]}."


def written(page: str, name: str, text: str) -> str:
    """The page with the text between the marks of that name. Raises ValueError when it has none."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, after = page.index(begin) + len(begin), page.index(end)
    return f"{page[:before]}\n{text}\n{page[after:]}"
