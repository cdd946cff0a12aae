"""The index follows the files, keeps what did not change, and heals."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from pathlib import Path

import apsw
import pytest

from appliance.errors import StateError
from appliance.memory import chunks, index, store
from appliance.testing.fake_embedder import FakeEmbedder
from appliance.testing.memory_house import AT, House


async def test_an_unchanged_file_is_not_read_again_and_a_changed_one_is(wordy: House) -> None:
    wordy.memory("# Memory\n\nSam likes tea\n")
    assert await wordy.index.sync() == 2  # MEMORY.md and USER.md
    assert await wordy.index.sync() == 0
    wordy.memory("# Memory\n\nSam likes coffee\n")
    assert await wordy.index.sync() == 1
    assert "coffee" in await wordy.snippets("coffee")
    assert "tea" not in await wordy.snippets("tea")


async def test_a_deleted_file_leaves_the_index(wordy: House) -> None:
    wordy.memory("Sam likes tea")
    await wordy.index.sync()
    (wordy.workspace.folder / "MEMORY.md").unlink()
    await wordy.index.sync()
    assert await wordy.find("tea") == []
    assert await wordy.index.check() == []


async def test_of_the_named_files_what_is_gone_leaves_the_index(wordy: House) -> None:
    wordy.memory("Sam likes tea")
    wordy.item("likes plums")
    await wordy.index.sync()
    memory = wordy.workspace.folder / "MEMORY.md"
    memory.unlink()
    note = wordy.workspace.notes / f"{wordy.workspace.day(AT)}.md"
    assert await wordy.index.sync([memory, note]) == 1
    assert await wordy.find("tea") == []
    assert "plums" in await wordy.snippets("plums")


async def test_a_file_named_in_another_way_leads_to_a_look_at_everything(wordy: House, tmp_path: Path) -> None:
    wordy.memory("Sam likes tea")
    assert await wordy.index.sync([tmp_path / ".." / tmp_path.name / "agents" / "main" / "MEMORY.md"]) == 2
    assert "tea" in await wordy.snippets("tea")


async def test_a_small_index_is_read_at_once_and_a_large_one_beside_the_loop(
    wordy: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reader(connection: apsw.Connection) -> int:
        return threading.get_ident()

    assert await wordy.index.read_behind(reader) == threading.get_ident()
    monkeypatch.setattr(index, "SMALL_PAGES", 0)
    assert await wordy.index.read_behind(reader) != threading.get_ident()


async def test_a_search_does_not_hold_up_the_loop_while_somebody_else_holds_the_index(wordy: House) -> None:
    held, release = threading.Event(), threading.Event()

    def hold(connection: apsw.Connection) -> None:
        held.set()
        assert release.wait(20)

    holder = threading.Thread(target=wordy.index.read, args=(hold,))
    holder.start()
    assert held.wait(20)
    search = asyncio.create_task(wordy.find("tea"))
    await asyncio.sleep(0)  # the search waits, and this line is reached
    release.set()
    assert await search == []
    holder.join()


async def test_turns_written_one_by_one_leave_the_words_in_few_parts(wordy: House) -> None:
    for number in range(45):
        wordy.say((f"word{number}", ""), start=number)
        await wordy.index.sync()
    assert wordy.count("SELECT count(DISTINCT segid) FROM talk_words_idx") < 6
    assert "word7" in await wordy.snippets("word7")


@pytest.mark.parametrize("grows", [False, True])
async def test_turns_on_two_sides_of_new_are_not_joined(wordy: House, grows: bool) -> None:
    """The order of two sittings is no context: neither the turn before nor a shown window runs across `/new`."""

    async def synced() -> None:
        if grows:
            await wordy.index.sync([path])

    path = wordy.say(("hang the blue curtains", "Done."), ("they are lovely", ""))
    await synced()
    with path.open("a", encoding="utf-8") as file:
        file.write('{"type": "marker", "kind": "new", "at": "2026-04-01T00:00:00Z"}\n')
    await synced()
    wordy.say(("the boiler hums again", ""), start=2)
    await synced()
    wordy.say(("it stopped humming", ""), start=3)
    await synced()
    await wordy.index.sync()
    near = dict(wordy.index.read(lambda c: store.rows(c, "SELECT own, near FROM chunks")))
    assert near["Sam: they are lovely"] == "Sam: hang the blue curtains"
    assert near["Sam: the boiler hums again"] == ""
    assert near["Sam: it stopped humming"] == "Sam: the boiler hums again"
    [hit] = await wordy.find("boiler")
    assert hit.snippet == "Sam: the boiler hums again\nSam: it stopped humming"
    [hit] = await wordy.find("curtains")
    assert hit.snippet == "Sam: hang the blue curtains\nagent: Done.\nSam: they are lovely"


async def test_a_growing_transcript_is_read_from_where_it_grew(wordy: House) -> None:
    path = wordy.say(*((f"message {n} about thing{n}", f"reply {n}") for n in range(50)))
    await wordy.index.sync()
    before = wordy.count("SELECT max(id) FROM chunks")
    wordy.say(("the boiler code is 4711", ""), start=50)
    await wordy.index.sync([path])
    # The last turn's entry stays as it was; only the new one is added.
    assert wordy.count("SELECT count(*) FROM chunks WHERE id > ?", (before,)) == 1
    assert "4711" in await wordy.snippets("boiler code")


async def test_a_long_transcript_is_read_in_parts_as_if_it_were_one(
    wordy: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    wordy.say(*((f"message {n} about thing{n}", f"reply {n}" if n % 3 else "") for n in range(40)))
    await wordy.index.sync()
    rows = "SELECT key, ordinal, units, own, near FROM chunks ORDER BY key"
    whole = wordy.index.read(lambda c: store.rows(c, rows))
    assert len(whole) == 40
    monkeypatch.setattr(chunks, "PART_BYTES", 700)
    assert len(list(chunks.readings(wordy.workspace.sessions / "agent-main-main.jsonl"))) > 5
    await wordy.index.rebuild()
    assert wordy.index.read(lambda c: store.rows(c, rows)) == whole
    wordy.say(*((f"later {n}", "") for n in range(40, 60)), start=40)
    await wordy.index.sync()
    assert wordy.count("SELECT count(*) FROM chunks") == 60
    assert await wordy.index.check() == []


async def test_a_reply_that_comes_later_joins_its_turn(house: House) -> None:
    house.say(("where is the spare key?", ""))
    await house.ready()
    path = house.workspace.sessions / "agent-main-main.jsonl"
    line = {"id": "t0000.2", "role": "assistant", "text": "Under the blue pot.", "final": True, "content": []}
    with path.open("a") as file:
        file.write(json.dumps(line) + "\n")
    await house.ready()
    assert house.count("SELECT count(*) FROM chunks WHERE kind='turn'") == 1
    assert "Under the blue pot" in await house.snippets("blue pot")
    assert house.count("SELECT count(*) FROM vectors") == house.count("SELECT count(*) FROM chunks")


async def test_a_transcript_replaced_by_a_shorter_one_is_read_from_its_beginning(wordy: House) -> None:
    path = wordy.say(*((f"old message {n}", "") for n in range(5)))
    await wordy.index.sync()
    path.unlink()
    wordy.say(("restored message", ""))
    await wordy.index.sync()
    assert wordy.count("SELECT count(*) FROM chunks WHERE kind='turn'") == 1


async def test_an_edit_keeps_ids_and_vectors_of_everything_else(house: House) -> None:
    house.memory("# A\n\nfirst thing\n\n# B\n\nsecond thing\n")
    await house.ready()
    assert house.embedder is not None
    book = len(house.embedder.seen)
    number = house.count("SELECT id FROM chunks WHERE units LIKE '%second%'")
    house.memory("# A\n\nfirst thing, edited\n\n# B\n\nsecond thing\n")
    await house.ready()
    assert house.count("SELECT id FROM chunks WHERE units LIKE '%second%'") == number
    assert len(house.embedder.seen) == book + 1, "only the edited piece is embedded again"


async def test_forgotten_items_leave_search_with_the_turn_they_came_from(wordy: House) -> None:
    from appliance.memory.items import Items

    wordy.say(("hello", "hi"), ("I like blue curtains", "Noted."))
    wordy.item("I like blue curtains")
    await wordy.index.sync()
    assert {hit.kind for hit in await wordy.find("blue curtains")} == {"item", "turn"}
    Items(wordy.workspace).forget("blue curtains", at=AT + 60)
    await wordy.index.sync()
    assert await wordy.find("blue curtains") == []
    Items(wordy.workspace).undo(at=AT + 120)
    await wordy.index.sync()
    assert {hit.kind for hit in await wordy.find("blue curtains")} == {"item", "turn"}


async def test_a_corrupt_file_is_set_aside_and_made_again(tmp_path: Path) -> None:
    first = House(tmp_path, None)
    first.index.open()
    first.memory("Sam likes tea")
    await first.index.sync()
    first.index.close()
    path = tmp_path / "index.db"
    path.write_bytes(b"not a database, not at all" * 400)
    second = House(tmp_path, None)
    second.index.open()
    assert second.index.set_aside is not None
    assert second.index.set_aside.exists()
    await second.index.sync()
    assert "tea" in await second.snippets("tea")
    second.index.close()


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\0" + b"\0" * 100])
async def test_an_empty_or_cut_file_is_no_obstacle(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "index.db").write_bytes(content)
    house = House(tmp_path, None)
    house.index.open()
    house.memory("Sam likes tea")
    await house.index.sync()
    assert "tea" in await house.snippets("tea")
    house.index.close()


async def test_an_index_of_a_newer_release_is_made_again_rather_than_refused(tmp_path: Path) -> None:
    house = House(tmp_path, None)
    house.index.open()
    await house.index.write(lambda c: c.execute("UPDATE schema_versions SET version=99") and None)
    house.index.close()
    again = House(tmp_path, None)
    again.index.open()
    assert again.index.set_aside is not None
    again.index.close()


async def test_damage_met_while_searching_is_healed_and_the_search_answers(house: House) -> None:
    house.memory("Sam likes tea")
    await house.ready()
    house.index.close()
    house.index.open()
    path = house.state / "index.db"
    with path.open("r+b") as file:  # every page but the first, under an index that is open
        file.seek(4096)
        file.write(b"\xff" * (path.stat().st_size - 4096))
    assert "tea" in await house.snippets("tea")
    assert house.index.set_aside is not None


async def test_counts_that_do_not_agree_are_found_and_repaired(house: House) -> None:
    house.memory("# A\n\nSam likes tea\n\n# B\n\nthe boiler\n")
    await house.ready()

    def damage(connection: apsw.Connection) -> None:
        connection.execute("DELETE FROM talk_words WHERE rowid=(SELECT min(id) FROM chunks WHERE shelf=0)")
        connection.execute("DELETE FROM vectors WHERE chunk=(SELECT max(id) FROM chunks)")

    await house.index.write(damage)
    assert len(await house.index.check()) == 2
    await house.ready()
    assert await house.index.check() == []
    assert "tea" in await house.snippets("tea")
    assert house.count("SELECT count(*) FROM vectors") == house.count("SELECT count(*) FROM chunks")


async def test_reindexing_reads_all_again_and_keeps_the_vectors(house: House) -> None:
    house.say(("the boiler code is 4711", "ok"))
    await house.ready()
    assert house.embedder is not None
    book = len(house.embedder.seen)
    assert await house.index.rebuild() == 3
    await house.ready()
    assert len(house.embedder.seen) == book


async def test_syncs_at_the_same_time_do_not_disturb_each_other(wordy: House) -> None:
    wordy.say(*((f"message {n}", f"reply {n}") for n in range(900)))
    await asyncio.gather(*(wordy.index.sync() for _ in range(4)))
    assert wordy.count("SELECT count(*) FROM chunks WHERE kind='turn'") == 900
    assert await wordy.index.check() == []


async def test_links_and_huge_files_are_not_read(wordy: House, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("canary")
    (wordy.workspace.notes / "link.md").symlink_to(secret)
    await wordy.index.sync()
    assert await wordy.find("canary") == []


async def test_a_file_without_a_session_line_is_not_a_transcript(wordy: House) -> None:
    (wordy.workspace.sessions / "x.jsonl").write_text('{"role":"user","text":"canary","id":"1"}\n')
    await wordy.index.sync()
    assert await wordy.find("canary") == []


async def test_a_closed_index_says_so(wordy: House) -> None:
    wordy.index.close()
    with pytest.raises(StateError):
        wordy.index.read(lambda c: None)
    with pytest.raises(StateError):
        await wordy.index.write(lambda c: None)


async def test_questions_wait_while_a_damaged_index_is_made_again(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.say(("the boiler hums", ""))
    await house.ready()
    opened, away = house.index._open, threading.Event()  # the moment between two files

    def slowly() -> None:
        away.set()
        time.sleep(0.2)
        opened()

    monkeypatch.setattr(house.index, "_open", slowly)
    healed = asyncio.create_task(house.index.heal())
    await asyncio.to_thread(away.wait, 10)
    assert await house.find("boiler") == []  # nothing yet, and no error
    await healed
    assert "hums" in await house.snippets("boiler")


@pytest.mark.parametrize("spoilt", [b"", b"no index"])
async def test_reading_all_anew_mends_a_damaged_index(house: House, spoilt: bytes) -> None:
    house.say(("the boiler hums", ""))
    await house.ready()
    house.index.path.write_bytes(spoilt)
    await house.index.rebuild()
    assert "hums" in await house.snippets("boiler")


async def test_after_scrubbing_an_erased_text_is_in_no_file_of_the_index(house: House) -> None:
    house.say(("my password is Tr0ub4dor-x9", "I will not keep it."))
    await house.ready()
    path = house.workspace.sessions / "agent-main-main.jsonl"
    path.write_bytes(path.read_bytes().replace(b"Tr0ub4dor-x9", b"*" * 12))
    await house.index.scrub([path])
    for part in house.state.glob("index.db*"):
        raw = part.read_bytes().lower()
        assert b"tr0ub4dor" not in raw, part.name


async def test_the_status_counts_what_there_is(house: House) -> None:
    house.say(("a", "b"))
    house.item("likes tea")
    await house.index.sync()
    status = await house.index.status()
    assert (status["chunks"], status["items"], status["wanted"]) == (2, 1, 2)
    await house.ready()
    assert (await house.index.status())["wanted"] == 0


async def test_rows_of_two_files_with_the_same_key_are_kept_apart(tmp_path: Path) -> None:
    house = House(tmp_path, FakeEmbedder())
    house.index.open()
    house.say(("first house", ""), session="agent:main:main")
    house.say(("second house", ""), session="agent:main:web:kitchen")
    await house.ready()
    assert house.count("SELECT count(*) FROM chunks WHERE kind='turn'") == 2
    await house.index.write(lambda c: store.forget_file(c, "main/sessions/agent-main-main.jsonl"))
    assert house.count("SELECT count(*) FROM chunks WHERE kind='turn'") == 1
    house.index.close()


async def test_items_that_could_not_be_written_are_looked_at_again(
    wordy: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    wordy.item("likes plums")

    def full(*_: object) -> None:
        raise apsw.FullError("database or disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(store, "hide_messages", full)
        with pytest.raises(apsw.FullError):
            await wordy.index.sync()
    await wordy.index.sync()
    assert wordy.count("SELECT count(*) FROM chunks WHERE kind='item'") == 1
    assert "likes plums" in await wordy.snippets("plums")
