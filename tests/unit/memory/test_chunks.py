"""Files in pieces: by headings, by turns, never losing a word."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from appliance.memory.chunks import (
    CHUNK_TOKENS,
    UNIT_CHARS,
    markdown_chunks,
    pieces,
    read_transcript,
    tokens_of,
    turn_chunks,
)
from appliance.messages import Source


def test_a_chunk_knows_the_headings_above_it_and_its_lines() -> None:
    text = "# House\n\nintro\n\n## Wifi\n\nthe guest network is called Finch\n\n### Old\n\ngone\n"
    text += "\n## Heating\n\n20 degrees\n"
    chunks = markdown_chunks(text, "MEMORY.md")
    assert [chunk.near for chunk in chunks] == [
        "MEMORY.md > House",
        "MEMORY.md > House > Wifi",
        "MEMORY.md > House > Heating",
    ]
    assert chunks[1].units[0] == (7, "the guest network is called Finch")


def test_a_hash_inside_a_code_fence_is_no_heading() -> None:
    chunks = markdown_chunks("# A\n\n```sh\n# not a heading\nls\n```\n", "x.md")
    assert len(chunks) == 1
    assert "# not a heading" in chunks[0].text


def test_a_heading_with_nothing_under_it_is_found_too() -> None:
    chunks = markdown_chunks(
        "# House\n\n## Spare key under the blue pot\n## Boiler\n\nserviced in May\n# Call the bank\n", "x.md"
    )
    assert [(chunk.near, chunk.text) for chunk in chunks] == [
        ("x.md > House > Spare key under the blue pot", "## Spare key under the blue pot"),
        ("x.md > House > Boiler", "serviced in May"),
        ("x.md > Call the bank", "# Call the bank"),
    ]


def test_long_sections_are_cut_near_four_hundred_tokens_and_overlap() -> None:
    text = "# A\n" + "\n".join(f"line {n} about something in the house" for n in range(200))
    chunks = markdown_chunks(text, "x.md")
    assert len(chunks) > 3
    assert all(tokens_of(chunk.text) <= CHUNK_TOKENS * 1.1 for chunk in chunks)
    for before, after in itertools.pairwise(chunks):
        assert after.units[0] in before.units, "the end of one is the beginning of the next"


def test_an_edit_elsewhere_leaves_a_chunks_key_alone() -> None:
    text = "# A\n\nfirst\n\n# B\n\nsecond\n"
    old = {c.text: c.key for c in markdown_chunks(text, "x.md")}
    new = {c.text: c.key for c in markdown_chunks(text.replace("first", "first, longer\n\nand more"), "x.md")}
    assert new["second"] == old["second"]


def test_equal_sections_get_different_keys() -> None:
    chunks = markdown_chunks("# A\n\nsame\n\n# A\n\nsame\n", "x.md")
    assert len({chunk.key for chunk in chunks}) == 2


@given(st.text(st.characters(codec="utf-8"), max_size=3_000))
@example("# 0")
def test_every_word_of_a_file_is_in_a_chunk(text: str) -> None:
    text = f"\n{text}"  # what stands alone in the first line is a title
    found = " ".join(f"{chunk.near} {chunk.text}" for chunk in markdown_chunks(text, "x.md"))
    for word in text.split():
        if len(word) <= UNIT_CHARS and "#" not in word:
            assert word in found


@given(st.text(st.characters(codec="utf-8"), max_size=4_000), st.integers(10, 700))
def test_pieces_are_short_and_lose_nothing(text: str, limit: int) -> None:
    found = pieces(text, limit)
    assert all(0 < len(piece) <= limit for piece in found)
    assert "".join("".join(found).split()) == "".join(text.split())


def record(number: int, role: str, text: str, **more: Any) -> dict[str, Any]:
    return {
        "id": f"t{number}",
        "turn": "t",
        "seq": number,
        "at": "2026-03-31T12:00:00.000Z",
        "role": role,
        "text": text,
        **more,
    }


def write(path: Path, records: list[dict[str, Any]]) -> None:
    head = {"type": "session", "key": "agent:main:main"}
    path.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in [head, *records]), encoding="utf-8")


def test_an_entry_is_the_users_words_with_the_reply(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    write(
        path,
        [
            record(1, "user", "our cat is called 芝麻", person="Sam", source="owner"),
            record(2, "assistant", "calling a tool", content=[]),
            record(3, "user", "tool says no", kind="tool"),
            record(4, "assistant", "A fine name.", final=True),
        ],
    )
    reading = read_transcript(path)
    [chunk] = turn_chunks(reading.turns)
    assert reading.session == "agent:main:main"
    assert chunk.text == "Sam: our cat is called 芝麻"
    assert chunk.near == "A fine name."
    assert chunk.units == ((2, "Sam: our cat is called 芝麻"), (5, "agent: A fine name."))
    assert chunk.at == 1_774_958_400.0


def test_a_message_without_a_reply_takes_the_turn_before_along(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    write(path, [record(1, "user", "where do we go?", person="Ann"), record(2, "user", "to Lisbon", person="Ben")])
    chunks = turn_chunks(read_transcript(path).turns)
    assert chunks[1].near == "Ann: where do we go?"


def test_reading_goes_on_from_the_last_user_message(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    write(path, [record(1, "user", "one"), record(2, "assistant", "1", final=True), record(3, "user", "two")])
    first = read_transcript(path)
    with path.open("a") as file:
        file.write(json.dumps(record(4, "assistant", "2", final=True)) + "\n")
    again = read_transcript(path, offset=first.offset, lines=first.lines)
    assert [(t.id, t.line, t.reply) for t in again.turns] == [("t3", 4, "2")]


def test_damaged_and_half_written_lines_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    write(path, [record(1, "user", "one")])
    with path.open("ab") as file:
        file.write(b'{"broken\xc3\n[1,2]\n')
        file.write(json.dumps(record(2, "user", "two")).encode() + b"\n")
        file.write(b'{"id":"t3","role":"user","text":"not yet')
    reading = read_transcript(path)
    assert [turn.text for turn in reading.turns] == ["one", "two"]


def test_a_long_message_makes_several_entries_with_every_part_found(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    text = " ".join(f"sentence number {n} says something else." for n in range(200))
    write(path, [record(1, "user", text), record(2, "assistant", "ok", final=True)])
    chunks = turn_chunks(read_transcript(path).turns)
    assert len(chunks) > 2
    assert len({chunk.key for chunk in chunks}) == len(chunks)
    assert all(f"number {n} " in " ".join(c.text for c in chunks) for n in range(200))


def test_summaries_of_compactions_are_entries_and_other_markers_are_not(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    write(
        path,
        [
            {"type": "marker", "kind": "new", "at": 5},
            {"type": "marker", "kind": "compaction", "summary": "They planned the trip to Lisbon.", "at": 7},
        ],
    )
    [summary] = read_transcript(path).summaries
    assert (summary.kind, summary.at, summary.units[0][0]) == ("summary", 7.0, 3)


def test_an_unknown_source_is_the_least_trusted(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    write(path, [record(1, "user", "a", source="elsewhere"), record(2, "user", "b", source="owner")])
    assert [turn.source for turn in read_transcript(path).turns] == [Source.OUTSIDE, Source.OWNER]


def test_comments_for_the_owner_are_not_indexed_and_lines_stay_counted() -> None:
    text = "# Owner\n<!-- hints:\nName:\nWork:\n-->\nCalled Sam <!-- short -->\n<!-- one line -->\nlives in Leeds\n"
    [chunk] = markdown_chunks(text, "USER.md")
    assert chunk.units == ((6, "Called Sam "), (8, "lives in Leeds"))
    assert markdown_chunks("<!-- never closed\nName:\n", "USER.md") == []
