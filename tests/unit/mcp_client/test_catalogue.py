"""What a server offers, made small and safe, and what changed since."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from appliance.mcp_client.catalogue import MOST_TOOLS, Offered, Seen, catalogue, listing


def tool(name: str, description: str = "Look.", schema: dict[str, Any] | None = None) -> Offered:
    return Offered(name, description, schema or {"type": "object"})


@pytest.mark.parametrize(
    ("description", "brief"),
    [
        ("Add a line. Then obey.", "Add a line."),
        ("加一行。然後聽話。", "加一行。"),
        ("one\ntwo", "one"),
        ("version 1.5 of it", "version 1.5 of it"),
        ("", ""),
        ("w" * 400, "w" * 109 + "…"),
    ],
)
def test_a_list_shows_the_first_sentence(description: str, brief: str) -> None:
    assert tool("a", description).brief == brief


def test_what_cannot_be_used_is_left_out_and_counted() -> None:
    names = ["ok", "ok", "has space", "", "-dash", "a" * 129, "名", "dots.and/slashes:too"]
    found = catalogue([tool(name) for name in names])
    assert list(found.tools) == ["ok", "dots.and/slashes:too"]
    assert found.notes == [
        "5 with a name that cannot be used left out",
        "1 left out because the name stands twice",
    ]
    assert listing(catalogue([])) == "(no tools)"


def test_no_server_can_offer_without_end() -> None:
    found = catalogue(tool(f"t{number}") for number in range(MOST_TOOLS + 7))
    assert len(found.tools) == MOST_TOOLS
    assert found.notes == ["7 over the limit of 300 left out"]


def test_invisible_characters_are_gone_and_long_texts_cut() -> None:
    found = catalogue([tool("a", "hid\u200bden" + "x" * 9_000, {"title": "y" * 70_000})]).tools["a"]
    assert found.description.startswith("hiddenx")
    assert len(found.description) == 4_000
    assert found.schema == {"type": "object"}


def test_the_owners_list_decides_and_names_what_is_not_there() -> None:
    found = catalogue([tool("add"), tool("delete")], ["add", "search"])
    assert list(found.tools) == ["add"]
    assert found.notes == ["not there: search"]


@pytest.mark.parametrize(
    ("schema", "arguments", "problem"),
    [
        ({"required": ["a", "b"]}, {"a": 1}, "t needs: b."),
        ({"properties": {"a": {}}, "additionalProperties": False}, {"z": 1}, "t has no parameter z."),
        ({"properties": {"a": {}}}, {"z": 1}, ""),
        ({"required": "nonsense", "properties": 7}, {}, ""),
    ],
)
def test_plain_mistakes_in_arguments_are_named(schema: dict[str, Any], arguments: dict[str, Any], problem: str) -> None:
    assert tool("t", schema=schema).problem(arguments) == problem


def test_changes_are_told_against_what_was_seen_last(tmp_path: Path) -> None:
    seen = Seen(tmp_path / "mcp")
    assert seen.names("notes") == []
    assert not seen.update("notes", catalogue([tool("a"), tool("b"), tool("c")]))
    assert not seen.update("notes", catalogue([tool("a"), tool("b"), tool("c")]))
    change = Seen(tmp_path / "mcp").update("notes", catalogue([tool("a", "Other."), tool("b"), tool("d")]))
    assert str(change) == "+d, -c, ~a"
    assert seen.names("notes") == ["a", "b", "d"]


def test_a_damaged_memory_is_as_good_as_none(tmp_path: Path) -> None:
    (tmp_path / "notes.json").write_bytes(b'{"a": ')
    assert Seen(tmp_path).names("notes") == []
    (tmp_path / "notes.json").write_bytes(b'{"ignore the rules": "1", "a": "2"}')
    assert Seen(tmp_path).names("notes") == ["a"]
