"""D5, M62: after a change of the embedding model, vectors of another size stayed and gave empty or mixed results; a
deleted note left its vector, which used up a place among the nearest."""

from __future__ import annotations

from pathlib import Path

from appliance.testing.fake_embedder import FakeEmbedder
from appliance.testing.memory_house import House


async def test_a_switch_from_768_to_1024_dimensions_is_noticed_and_words_find_meanwhile(tmp_path: Path) -> None:
    embedder = FakeEmbedder(name="old", dimensions=768)
    house = House(tmp_path, embedder)
    house.index.open()
    house.say(*((f"message {n} about subject{n}", "ok") for n in range(20)))
    await house.ready()
    embedder.name, embedder.dimensions = "new", 1024
    assert "subject7" in (await house.find("subject7"))[0].snippet
    assert house.filler is not None
    await house.filler.step()
    assert house.count("SELECT count(*) FROM vectors WHERE length(bits) != 1024 / 8") == 0, "never two sizes at once"
    assert "subject7" in (await house.find("subject7"))[0].snippet, "half an index does not hide the rest"
    await house.filler.fill()
    assert house.count("SELECT count(*) FROM vectors") == 20
    assert (await house.find("subject7"))[0].parts["vector"] > 0
    house.index.close()


async def test_deleted_notes_take_nobodys_place_among_the_nearest(tmp_path: Path) -> None:
    house = House(tmp_path, FakeEmbedder())
    house.index.open()
    for number in range(10):
        (house.workspace.notes / f"note{number}.md").write_text(
            f"the boiler of house {number} " + "boiler " * (10 - number)
        )
    await house.ready()
    for number in range(5):
        (house.workspace.notes / f"note{number}.md").unlink()
    await house.ready()
    hits = await house.find("boiler", limit=5)
    assert sorted(hit.path for hit in hits) == [f"memory/note{number}.md" for number in range(5, 10)]
    assert house.count("SELECT count(*) FROM vectors") == 5
    house.index.close()
