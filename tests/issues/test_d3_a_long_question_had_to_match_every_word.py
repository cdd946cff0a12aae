"""D3: all words were joined by AND, so a question whose words lie in different places found nothing."""

from __future__ import annotations

from pathlib import Path

from appliance.testing.memory_house import House


async def test_three_words_in_three_places_find_all_three(tmp_path: Path) -> None:
    house = House(tmp_path, None)
    house.index.open()
    for name in ("the boiler", "the lighthouse", "the violin", "nothing of it"):
        (house.workspace.notes / f"{name.split()[-1]}.md").write_text(name)
    await house.ready()
    found = " ".join(hit.snippet for hit in await house.find("how do boiler, lighthouse and violin go together?"))
    assert all(word in found for word in ("boiler", "lighthouse", "violin"))
    assert "nothing of it" not in found
    house.index.close()
