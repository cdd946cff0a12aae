"""The real gateway with one more tool, for suites that kill it: `python -m appliance.testing.gateway`.

The tool `tally{n}` appends a line to STATE/tally.txt. Its effect can be counted from outside, and running it twice
leaves two lines, so a repeat cannot hide.
"""

from __future__ import annotations

import os
from typing import Any

from appliance.app import Appliance
from appliance.messages import Person, SessionKey
from appliance.models.base import ToolSpec
from appliance.serving import serve
from appliance.settings.load import load_settings
from appliance.tools.base import ToolContext, ToolResult


class Tally:
    """`tally{n}`: an effect outside the appliance."""

    spec = ToolSpec(
        "tally",
        "Count n.",
        {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
    )

    def __init__(self, path: str) -> None:
        self._path = path

    def available(self, session: SessionKey, person: Person) -> bool:
        return True

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        fd = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(fd, f"{arguments['n']}\n".encode())
            os.fsync(fd)
        finally:
            os.close(fd)
        return ToolResult(f"counted {arguments['n']}")


def _extend(house: Appliance) -> None:
    house.tools.add(Tally(str(house.state / "tally.txt")))


if __name__ == "__main__":
    serve(load_settings(), _extend)
