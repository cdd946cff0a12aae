"""M64: a hyphen in the query was read as an operator of FTS5 ("no such column")."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.testing.memory_house import House


@pytest.mark.parametrize(
    "query", ["POL-358", "pol-358", '"POL-358"', "-358", "POL -358", "POL:358", "(POL-358", "POL-358*"]
)
async def test_the_message_with_the_name_is_found(tmp_path: Path, query: str) -> None:
    house = House(tmp_path, None)
    house.index.open()
    house.say(("the claim is number POL-358", "ok"), ("the claim is number POL-359", "ok"), ("good morning", "hello"))
    await house.ready()
    assert "POL-358" in (await house.find(query))[0].snippet
    house.index.close()
