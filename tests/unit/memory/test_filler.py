"""Vectors are made behind, for the model that is there and no other."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from appliance.memory import filler as filler_module
from appliance.memory.embeddings import TextKind, Vector
from appliance.memory.filler import VectorFiller
from appliance.messages import MAIN
from appliance.testing.memory_house import House


def entries(count: int) -> list[tuple[str, str]]:
    return [(f"message {n} about subject{n}", f"reply {n}") for n in range(count)]


async def test_words_find_at_once_and_vectors_come_behind(house: House) -> None:
    house.say(*entries(40))
    await house.index.sync()
    assert "subject7\n" in await house.snippets("subject7")
    assert house.filler is not None
    assert await house.filler.fill() == 40
    assert (house.filler.progress.made, house.filler.progress.problem) == (40, "")


async def test_words_find_also_while_a_known_model_has_made_no_vector_yet(house: House) -> None:
    assert house.filler is not None
    await house.filler.fill()
    house.say(*entries(40))
    await house.index.sync()
    assert house.filler.identity is not None
    assert house.count("SELECT count(*) FROM vectors") == 0
    assert "subject7\n" in await house.snippets("subject7")


async def test_it_goes_on_after_the_index_was_away(house: House) -> None:
    assert house.filler is not None
    house.say(*entries(3))
    house.index.close()
    assert await house.filler.step() == 0
    assert "not open" in house.filler.progress.problem
    house.index.open()
    await house.index.sync()
    assert await house.filler.fill() == 3
    assert house.filler.progress.problem == ""


async def test_another_size_of_vectors_is_noticed_and_all_are_made_again(house: House) -> None:
    house.say(*entries(30))
    await house.ready()
    assert house.embedder is not None
    assert house.filler is not None
    house.embedder.name, house.embedder.dimensions = "larger", 128
    assert "subject7" in await house.snippets("subject7"), "words go on finding"
    await house.filler.fill()
    assert house.count("SELECT count(*) FROM vectors") == 30
    assert house.count("SELECT count(DISTINCT length(bits)) FROM vectors") == 1
    assert house.count("SELECT min(length(bits)) FROM vectors") == 128 // 8
    assert "subject7" in await house.snippets("subject7")


async def test_going_back_to_the_model_before_costs_nothing(house: House) -> None:
    house.say(*entries(20))
    await house.ready()
    assert house.embedder is not None
    assert house.filler is not None
    house.embedder.name = "other"
    await house.filler.fill()
    book = len(house.embedder.seen)
    house.embedder.name = "fake"
    await house.filler.fill()
    again = [text for text in house.embedder.seen[book:] if "subject" in text]
    assert again == []
    assert house.count("SELECT count(*) FROM vectors") == 20


async def test_the_same_text_is_embedded_once(house: House) -> None:
    house.say(*[("good morning", "good morning!")] * 20)
    await house.ready()
    assert house.embedder is not None
    assert sum("good morning" in text for text in house.embedder.seen) <= 2


async def test_an_embedder_that_is_away_stops_nothing_and_is_said(house: House) -> None:
    assert house.embedder is not None
    assert house.filler is not None
    house.embedder.away = True
    house.say(*entries(3))
    await house.ready()
    assert house.filler.progress.problem == "no embedding model is there"
    assert "subject1" in await house.snippets("subject1")
    house.embedder.away = False
    assert await house.filler.fill() == 3


async def test_one_that_fails_half_way_goes_on_where_it_stopped(house: House) -> None:
    assert house.embedder is not None
    assert house.filler is not None
    house.say(*entries(50))
    await house.index.sync()
    await house.filler.step()
    house.embedder.fail_after = len(house.embedder.seen) + 16
    await house.filler.fill()
    assert "away" in house.filler.progress.problem
    assert 16 <= house.count("SELECT count(*) FROM vectors") < 50
    house.embedder.fail_after = None
    await house.filler.fill()
    assert house.count("SELECT count(*) FROM vectors") == 50
    assert len(house.embedder.seen) == len(set(house.embedder.seen)), "nothing is embedded twice"


async def test_a_text_that_changes_while_it_is_embedded_gets_the_vector_of_the_new_text(house: House) -> None:
    assert house.embedder is not None
    assert house.filler is not None
    house.memory("the old text")
    await house.index.sync()
    real = house.embedder.embed

    async def slow(texts: object, kind: object, agent: str = "main") -> object:
        if any("old text" in text for text in texts):  # type: ignore[attr-defined]
            house.memory("the new text")
            await house.index.sync()
        return await real(texts, kind, agent)  # type: ignore[arg-type]

    house.embedder.embed = slow  # type: ignore[method-assign, assignment]
    await house.filler.fill()
    assert house.count("SELECT count(*) FROM vectors") == house.count("SELECT count(*) FROM chunks")
    assert any("new text" in text for text in house.embedder.seen)
    assert await house.index.check() == []


async def test_a_vector_belongs_to_the_reader_that_its_row_has_by_then(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody becomes the owner while what they said is embedded."""
    assert house.embedder is not None
    await house.ready()
    embed = house.embedder.embed

    async def slowly(texts: Sequence[str], kind: TextKind, agent: str = MAIN) -> list[Vector]:
        if "walnuts" in str(texts):
            house.workspace.owners = frozenset({"12"})
            await house.index.sync()
        return await embed(texts, kind, agent)

    monkeypatch.setattr(house.embedder, "embed", slowly)
    house.item("allergic to walnuts", person="12")
    await house.ready()
    rows = "SELECT count(*) FROM vectors v JOIN chunks c ON c.id = v.chunk JOIN scopes s ON s.id = v.scope"
    assert house.count(f"{rows} WHERE v.scope = c.scope AND s.person = 'owner'") == 1


async def test_means_are_taken_again_as_the_store_doubles(house: House) -> None:
    assert house.filler is not None
    house.say(*entries(40))
    await house.ready()
    means = house.filler.means(0)
    assert means is not None
    assert means.count >= 20
    assert house.count("SELECT count FROM means WHERE script=0") == means.count


async def test_it_works_no_more_than_its_share_of_the_time(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    assert house.embedder is not None
    house.clock.auto = True
    real = house.embedder.embed

    async def slow(texts: object, kind: object, agent: str = "main") -> object:
        await house.clock.sleep(4.0)
        return await real(texts, kind, agent)  # type: ignore[arg-type]

    house.embedder.embed = slow  # type: ignore[method-assign, assignment]
    monkeypatch.setattr(filler_module, "_LOOK_AGAIN_SECONDS", 0.01)
    house.say(*entries(20))
    await house.index.sync()
    worker = VectorFiller(house.index, house.embedder, house.clock, duty=0.25)
    task = asyncio.create_task(worker.run())

    def rests() -> list[float]:
        return [seconds for seconds in house.clock.sleeps if seconds > 4.0]

    def worked() -> float:
        """Seconds of embedding before the last rest; a look at the language's samples takes several calls."""
        last = max(place for place, seconds in enumerate(house.clock.sleeps) if seconds > 4.0)
        return sum(seconds for seconds in house.clock.sleeps[:last] if seconds == 4.0)

    async with asyncio.timeout(20):  # it rests after working
        while (await house.index.status())["wanted"] or not rests():
            await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert sum(rests()) == pytest.approx(3 * worked())


async def test_an_english_only_model_is_not_asked_about_chinese(house: House) -> None:
    assert house.embedder is not None
    house.embedder.multilingual = False
    house.say(("太太對蝦子過敏", "好的"), ("my brother plays the cello", "Nice."))
    await house.ready()
    book = len(house.embedder.seen)
    assert "蝦子" in await house.snippets("蝦子")
    assert len(house.embedder.seen) == book
    await house.find("cello")
    assert len(house.embedder.seen) == book + 1
