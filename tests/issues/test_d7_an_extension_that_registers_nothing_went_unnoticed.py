"""D7: the vector extension loaded, registered nothing, and vector search silently found nothing for ever."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.memory import vectors
from appliance.testing.fake_embedder import FakeEmbedder
from appliance.testing.memory_house import House


async def test_the_start_says_so_and_vectors_are_compared_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "_load_extension", lambda connection: "")
    house = House(tmp_path, FakeEmbedder(concepts={"feline": "cat"}))
    house.index.open()
    assert "registered nothing" in (await house.index.status())["vector_functions"]
    house.say(("our cat is called Sesame", "ok"), ("the boiler code is 4711", "ok"))
    await house.ready()
    assert "Sesame" in (await house.find("feline"))[0].snippet
    house.index.close()
