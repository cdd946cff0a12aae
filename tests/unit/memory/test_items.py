"""Captured items: lines of the day notes, taken back by marks and never erased by them."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.errors import NotFoundError
from appliance.memory.items import Item, Items, Mark, line_of, note_line, parse_line
from appliance.memory.workspace import Workspace

AT = 1_775_000_000.0


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = Workspace(tmp_path / "main", ZoneInfo("UTC"))
    made.create()
    return made


def add(workspace: Workspace, text: str, **fields: object) -> Item:
    item = Item(tag="W", text=text, at=AT, session="agent:main:main", message="7", **fields)  # type: ignore[arg-type]
    workspace.append_day(line_of(item), AT)
    return item


@given(st.text(st.characters(codec="utf-8")), st.text(max_size=20), st.sampled_from(["private", "household", "team"]))
def test_whatever_is_captured_comes_back_as_one_line_with_its_fields(text: str, message: str, see: str) -> None:
    item = Item("B", text, AT, "agent:main:telegram:dm:1", message, "tg:1", see)  # type: ignore[arg-type]
    line = line_of(item)
    assert len(line.splitlines()) == 1
    back = parse_line(line)
    assert isinstance(back, Item)
    assert (back.id, back.tag, back.see, back.person, back.session) == (item.id, "B", see, "tg:1", item.session)


@given(st.text(st.characters(codec="utf-8")))
def test_other_text_can_never_pass_for_an_item(text: str) -> None:
    for hostile in (text, f"[B] {text} <!-- item=1 at=1 see=team -->", f"{text}\n- [B] x <!-- item=1 see=team -->"):
        line = note_line(hostile)
        assert len(line.splitlines()) == 1
        assert parse_line(line) is None


@pytest.mark.parametrize("person", ["kim@xn--mller-kva.example", "a---b@example.org", "50%25@example.org", "x >y"])
def test_whose_an_item_is_comes_back_as_it_was(person: str) -> None:
    item = Item("B", "no voice", AT, f"agent:main:email:dm:{person}", "m1", person)
    assert parse_line(line_of(item)) == item


def test_an_unknown_audience_is_read_as_private() -> None:
    back = parse_line("- [B] no voice <!-- item=1 at=1 person=tg:2 see=everyone -->")
    assert isinstance(back, Item)
    assert back.see == "private"


def test_forgetting_marks_and_undo_brings_back(workspace: Workspace) -> None:
    items = Items(workspace)
    blue = add(workspace, "我喜歡藍色")
    add(workspace, "tea without sugar")
    before = workspace.read_day(workspace.day(AT))
    assert items.forget("我喜欢蓝色", at=AT + 60) == [blue]
    assert [i.text for i in items.active()] == ["tea without sugar"]
    assert workspace.read_day(workspace.day(AT)).startswith(before), "the old lines stay as they were"
    assert items.undo(at=AT + 120) == [blue]
    assert {i.text for i in items.active()} == {"我喜歡藍色", "tea without sugar"}
    assert [p.entry.text for p in items.history("藍色")] == ["我喜歡藍色"] * 3


def test_a_mark_of_a_later_day_reaches_an_item_of_an_earlier_one(workspace: Workspace) -> None:
    items = Items(workspace)
    add(workspace, "I like blue")
    items.forget("blue", at=AT + 40 * 86_400)
    assert items.active() == []
    assert len(workspace.days()) == 2


def test_forgetting_by_id_takes_only_that_one(workspace: Workspace) -> None:
    first, second = add(workspace, "likes tea"), add(workspace, "likes green tea")
    assert Items(workspace).forget(first.id, at=AT + 1) == [first]
    assert Items(workspace).active() == [second]


@pytest.mark.parametrize("what", ["nothing like it", "", "  ", "!!!"])
def test_forgetting_what_is_not_there_says_so_and_writes_nothing(workspace: Workspace, what: str) -> None:
    add(workspace, "likes tea")
    before = workspace.read_day(workspace.day(AT))
    with pytest.raises(NotFoundError):
        Items(workspace).forget(what, at=AT)
    assert workspace.read_day(workspace.day(AT)) == before


def test_nothing_to_undo_is_said(workspace: Workspace) -> None:
    with pytest.raises(NotFoundError, match="nothing to undo"):
        Items(workspace).undo(at=AT)


def test_two_undos_take_back_two_forgettings(workspace: Workspace) -> None:
    items = Items(workspace)
    add(workspace, "likes tea")
    add(workspace, "likes rain")
    items.forget("tea", at=AT + 1)
    items.forget("rain", at=AT + 2)
    assert [i.text for i in items.undo(at=AT + 3)] == ["likes rain"]
    assert [i.text for i in items.undo(at=AT + 4)] == ["likes tea"]


def test_a_prompt_shows_only_what_its_reader_may_see(workspace: Workspace) -> None:
    add(workspace, "owner's own")
    add(workspace, "wife's secret", person="tg:2")
    add(workspace, "wife's allergy", person="tg:2", see="household")
    workspace.append_day("- a plain line", AT)
    shown = Items(workspace).visible(workspace.read_day(workspace.day(AT)))
    assert "owner's own" in shown
    assert "wife's allergy" in shown
    assert "a plain line" in shown
    assert "secret" not in shown
    assert "<!--" not in shown


def test_a_mark_survives_its_own_writing() -> None:
    mark = Mark("forget", "abc", "a <!-- b --> c", AT, "tg:5")
    back = parse_line(line_of(mark))
    assert isinstance(back, Mark)
    assert (back.of, back.by, back.id) == ("abc", "tg:5", mark.id)
