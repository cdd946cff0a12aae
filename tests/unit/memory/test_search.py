"""Questions: any text, any reader, each leg alone and both together."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from appliance.memory import legs
from appliance.memory import search as search_module
from appliance.memory.scopes import Scope
from appliance.memory.search import MemorySearch, SearchOptions
from appliance.messages import SessionKey, Source
from appliance.testing.fake_embedder import FakeEmbedder
from appliance.testing.memory_house import AT, House

TALK = [
    ("our cat is called Sesame", "What a name."),
    ("the guest network is called Finch", "Noted."),
    ("太太對蝦子過敏", "好的，我會避開。"),
    ("server nas-01 was restarted on 2026-03-31", "Good."),
    ("it printed error:X and stopped", "I see."),
    ("今日は成語しりとりをした", "楽しそう。"),
    ("서버 재시작 방법을 적어 둬", "네."),
]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("cat", "Sesame"),
        ("what is the name of the guest wifi network", "Finch"),
        ("過敏", "蝦子"),
        ("过敏", "蝦子"),
        ("nas-01", "nas-01"),
        ("2026-03-31", "2026-03-31"),
        ("error:X", "error:X"),
        ("しりとり", "しりとり"),
        ("재시작", "재시작"),
        ('"quoted" cat', "Sesame"),
        ("don't call the cat", "Sesame"),
        ("cat AND NOT NEAR(", "Sesame"),
    ],
)
async def test_words_alone_find_in_every_language(wordy: House, query: str, expected: str) -> None:
    wordy.say(*TALK)
    await wordy.ready()
    assert expected in (await wordy.find(query))[0].snippet


@given(st.text(max_size=300))
@example("😀")
@example("\x00")
@example("\ud800")
@example("字" * 5_000)
@example("a " * 5_000)
@example("' OR 1=1 --")
@example("%_*?[]{}()^$\\/")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
async def test_no_question_raises(house: House, query: str) -> None:
    if not (house.workspace.sessions / "agent-main-main.jsonl").exists():
        house.say(*TALK)
        await house.ready()
    hits = await house.find(query)
    assert len(hits) <= 6
    assert all(0 < len(hit.snippet) <= 700 for hit in hits)


@pytest.mark.parametrize(("query", "limit"), [("", 6), ("   \n", 6), ("cat", 0), ("cat", -1)])
async def test_nothing_asked_is_nothing_found(house: House, query: str, limit: int) -> None:
    house.say(*TALK)
    await house.ready()
    assert await house.find(query, limit=limit) == []


async def test_vectors_alone_find_what_shares_no_word(tmp_path: Path) -> None:
    embedder = FakeEmbedder(concepts={"feline": "cat", "pet": "cat"})
    house = House(tmp_path, embedder)
    house.index.open()
    house.say(*TALK)
    await house.ready()
    [first, *_] = await house.find("feline")
    assert "Sesame" in first.snippet
    assert first.parts["text"] == 0.0
    assert first.parts["vector"] > 0.5
    house.index.close()


async def test_a_question_in_one_language_finds_a_fact_in_another(tmp_path: Path) -> None:
    """Entries in the question's language win without the means taken off: each language lies in a place of its own."""
    concepts = {
        "allergic": "allergy",
        "过敏": "allergy",
        "wife": "wife",
        "太太": "wife",
        "shrimp": "shrimp",
        "虾子": "shrimp",
    }
    house = House(tmp_path, FakeEmbedder(dimensions=256, concepts=concepts))
    house.index.open()
    house.say(*((f"we talked about matter{n} on that day", "yes") for n in range(30)))
    house.say(*TALK, start=30)
    await house.ready()
    assert "蝦子" in await house.snippets("is my wife allergic to shrimp")
    house.index.close()


async def test_a_vector_of_zeros_takes_nothing_from_a_search(tmp_path: Path) -> None:
    """An embedder that answers so for one text made every search fail."""

    class Numb(FakeEmbedder):
        def vector(self, text: str) -> list[float]:
            return [0.0] * self.dimensions if "silence" in text else super().vector(text)

    house = House(tmp_path, Numb())
    house.index.open()
    house.say(("silence", "ok"), *TALK)
    await house.ready()
    assert "Sesame" in await house.snippets("cat")
    assert "silence" in await house.snippets("silence")
    house.index.close()


@pytest.mark.parametrize("multilingual", [True, False])
async def test_words_are_widened_unless_a_multilingual_embedder_knows_what_is_near(
    tmp_path: Path, multilingual: bool
) -> None:
    house = House(tmp_path, FakeEmbedder(multilingual=multilingual))
    house.index.open()
    house.say(("太太對蝦子過敏", "好的，我會避開。"))
    await house.ready()
    [hit] = await house.find("does my wife eat prawns")
    assert (hit.parts["text"] > 0) is not multilingual
    house.index.close()


async def test_a_slow_embedder_leaves_the_answer_to_words(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house.say(*TALK)
    await house.ready()
    monkeypatch.setattr(search_module, "_VECTOR_SECONDS", 0.01)
    assert house.embedder is not None

    async def never(texts: object, kind: object, agent: object) -> object:
        await asyncio.Event().wait()
        return []

    house.embedder.embed = never  # type: ignore[method-assign, assignment]
    assert "Sesame" in (await house.find("cat"))[0].snippet


async def test_the_snippet_is_around_the_hit_and_never_the_head_of_a_chunk(wordy: House) -> None:
    lines = [f"- entry {n}: nothing much happened in the garden that day" for n in range(24)]
    lines[20] = "- entry 20: the boiler code is 4711"
    wordy.memory("# Log\n\n" + "\n".join(lines))
    await wordy.ready()
    hits = await wordy.find("boiler code")
    assert "4711" in hits[0].snippet
    assert hits[0].start_line <= 23 <= hits[0].end_line
    assert len(hits[0].snippet) <= 700


async def test_what_is_on_show_already_is_passed_over(wordy: House) -> None:
    wordy.say(*((f"the boiler said {n}", "") for n in range(40)))
    await wordy.ready()
    hits = await wordy.find("boiler")
    ranges = [range(hit.start_line, hit.end_line + 1) for hit in hits]
    best = [r for r in ranges if len(r) > 1]
    assert best
    assert len({hit.snippet for hit in hits}) == len(hits)
    assert sum(len(r) for r in ranges) >= 20, "six windows show far more than six lines"


async def test_captured_items_come_first_and_leave_room_for_conversation(wordy: House) -> None:
    wordy.say(*((f"tea number {n}", "ok") for n in range(30)))
    for number in range(8):
        wordy.item(f"likes tea of kind {number}")
    await wordy.ready()
    kinds = [hit.kind for hit in await wordy.find("tea")]
    assert kinds[:3] == ["item"] * 3
    assert "turn" in kinds


async def test_a_limit_of_one_still_shows_an_item(wordy: House) -> None:
    wordy.item("likes tea")
    await wordy.ready()
    assert [hit.kind for hit in await wordy.find("tea", limit=1)] == ["item"]


async def test_an_index_made_anew_while_a_reranker_thinks_shows_nobody_the_rows_of_others(tmp_path: Path) -> None:
    class Reranker:
        async def rerank(self, query: str, texts: list[str], agent: str) -> list[float]:
            if house.index.generation == 0:
                house.say(("the gate opens with 4711", ""))  # stands where the group's conversation stood
                await house.index.heal()
            return [1.0] * len(texts)

    house = House(tmp_path, None, SearchOptions(backend="rerank", reranker=Reranker()))  # type: ignore[arg-type]
    house.index.open()
    group = "agent:main:telegram:group:7"
    house.say(("the gate is open", ""), ("the gate is shut", ""), ("the gate squeaks", ""), session=group)
    await house.ready()
    hits = await house.find("gate", Scope(SessionKey(group)))
    assert hits
    assert "4711" not in str(hits)
    house.index.close()


@pytest.mark.parametrize("backend", ["hybrid", "rrf", "rerank"])
async def test_every_way_of_joining_finds(tmp_path: Path, backend: str) -> None:
    class Reranker:
        async def rerank(self, query: str, texts: list[str], agent: str) -> list[float]:
            return [float("Sesame" in text) for text in texts]

    options = SearchOptions(backend=backend, reranker=Reranker())  # type: ignore[arg-type]
    house = House(tmp_path, FakeEmbedder(), options)
    house.index.open()
    house.say(*TALK, ("a cat sat on the cat mat with another cat", "ok"))
    await house.ready()
    hits = await house.find("cat")
    assert any("Sesame" in hit.snippet for hit in hits[:2])
    house.index.close()


async def test_a_reranker_that_sees_no_difference_leaves_the_order(tmp_path: Path) -> None:
    class Reranker:
        async def rerank(self, query: str, texts: list[str], agent: str) -> list[float]:
            return [0.5] * len(texts)

    house = House(tmp_path, FakeEmbedder(multilingual=False))
    house.index.open()
    between = [(f"{what} was all we spoke about", "") for what in ("rain", "snow", "wind", "hail", "fog")]
    house.say(
        *(("nas-01 放在車庫裡最上面的架子上", ""), *between, ("the printer is called Finch", ""), *between),
        *(("nas-01 和樓上書房的印表機共用一個插座", ""), *between, ("nobody uses that printer", ""), *between),
    )
    await house.ready()
    hybrid = [hit.start_line for hit in await house.find("nas-01 printer")]
    options = SearchOptions(backend="rerank", reranker=Reranker())  # type: ignore[arg-type]
    house.engine = MemorySearch(house.index, house.filler, house.clock, options)
    assert [hit.start_line for hit in await house.find("nas-01 printer")] == hybrid
    house.index.close()


async def test_weights_from_the_settings_are_scaled_to_one(tmp_path: Path) -> None:
    house = House(tmp_path, FakeEmbedder(), SearchOptions(weights=(7.0, 3.0)))
    house.index.open()
    house.say(*TALK)
    await house.ready()
    first = (await house.find("cat called Sesame"))[0]
    assert first.score == pytest.approx(0.7 * first.parts["vector"] + 0.3 * first.parts["text"])
    house.index.close()


@pytest.mark.parametrize("question", ["what did we talk about on 31 March?", "3月31號聊了什麼", "2026-03-31"])
async def test_a_question_that_names_a_day_finds_what_was_said_then(house: House, question: str) -> None:
    house.say(("the boiler man comes at nine", "Noted."))
    house.say(*((f"we talk about plants, part {n}", "ok") for n in range(40)), start=1_000)
    await house.ready()
    assert "boiler" in (await house.find(question))[0].snippet


async def test_what_was_said_on_a_day_keeps_to_the_reader_and_the_owners_midnight(wordy: House) -> None:
    group = "agent:main:telegram:group:-5"
    wordy.say(("before midnight", "ok"))
    wordy.say(("after midnight, of 31 March", "ok"), start=40)
    wordy.say(("spoken in the group", "ok"), session=group)
    await wordy.ready()
    assert (await wordy.find("31 March"))[0].snippet.startswith("Sam: before midnight")
    [hit] = await wordy.find("31 March", Scope(SessionKey(group)))
    assert "in the group" in hit.snippet


async def test_results_say_where_their_text_comes_from(wordy: House) -> None:
    wordy.say(("the page said the boiler is broken", ""), source="outside")
    await wordy.ready()
    assert [hit.source for hit in await wordy.find("boiler")] == [Source.OUTSIDE]


async def test_the_json_form_is_the_documented_one(wordy: House) -> None:
    wordy.item("likes tea")
    await wordy.ready()
    [found] = [hit.as_json() for hit in await wordy.find("tea")]
    assert set(found) == {"path", "start_line", "end_line", "score", "snippet", "parts"}
    assert set(found["parts"]) == {"vector", "text"}
    assert found["path"] == f"memory/{wordy.workspace.day(AT).isoformat()}.md"


async def test_a_session_finds_its_own_talk_and_never_the_owners_files(house: House) -> None:
    house.memory("the canary is called Tweety")
    house.item("canary item")
    house.say(("main canary talk", "yes"))
    house.say(("group canary talk", "yes"), session="agent:main:telegram:group:-5")
    await house.ready()
    for question in ("canary", "what is the canary called", "Tweety", "item"):
        text = await house.snippets(question, Scope(SessionKey("agent:main:telegram:group:-5")))
        assert "Tweety" not in text
        assert "item" not in text
        assert "main" not in text
    assert "group canary" in await house.snippets("canary", Scope(SessionKey("agent:main:telegram:group:-5")))


async def test_better_matches_that_a_reader_may_not_see_take_no_place_of_his(wordy: House) -> None:
    wordy.say(*[("canary canary", "ok")] * (legs.CANDIDATES + 5))
    group = "agent:main:telegram:group:-5"
    wordy.say(("far from it we spoke of many things and of a canary too", "yes"), session=group)
    await wordy.ready()
    [hit] = await wordy.find("canary", Scope(SessionKey(group)))
    assert "many things" in hit.snippet


async def test_a_window_never_grows_into_text_that_was_taken_back(wordy: House) -> None:
    from appliance.memory.items import Item, Items, line_of

    wordy.say(("where is the key", "Under the pot."), ("my PIN is 9911", "ok"), ("where is the pot", "Outside."))
    item = Item("O", "my PIN is 9911", AT, "agent:main:main", "t0001.1")
    wordy.workspace.append_day(line_of(item), AT)
    await wordy.ready()
    assert "9911" in await wordy.snippets("pot")
    Items(wordy.workspace).forget("PIN", at=AT + 1)
    await wordy.ready()
    assert "9911" not in await wordy.snippets("pot")
