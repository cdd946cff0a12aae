"""The front matter of a SKILL.md is read strictly, and what is wrong with it is said with its line."""

import pytest

from appliance.skills.manifest import SkillFormatError, read_manifest


def text(front: str, body: str = "Do it so.") -> bytes:
    return f"---\n{front}\n---\n\n{body}\n".encode()


def test_name_description_and_needs_are_read() -> None:
    found = read_manifest(
        text("name: tea\ndescription: 'Make tea: hot'\nrequires:\n  bins: [jq]\n  env: [TEA]\n  config: [web.enabled]"),
        "tea",
    )
    assert (found.name, found.description) == ("tea", "Make tea: hot")
    assert (found.needs.bins, found.needs.env, found.needs.config) == (("jq",), ("TEA",), ("web.enabled",))


def test_the_common_format_with_metadata_in_one_line_is_read() -> None:
    front = (
        "name: tea\ndescription: 泡茶 🍵\nlicense: MIT\n"
        'metadata: {"openclaw": {"os": ["linux"], "requires": {"bins": ["curl"], "anyBins": ["a", "b"]}}}'
    )
    found = read_manifest(text(front), "tea")
    assert found.description == "泡茶 🍵"
    assert (found.needs.bins, found.needs.any_bins, found.needs.os) == (("curl",), ("a", "b"), ("linux",))


@pytest.mark.parametrize(
    ("raw", "line", "why"),
    [
        (b"name: tea\n", 1, "first line"),
        (b"---\nname: tea\n", 1, "no end"),
        (b"\xff\xfe---\n", 1, "UTF-8"),
        (text("name: tea"), 1, "description"),
        (text("name: tea\ndescription: Make: it: so"), 3, "quotes"),
        (text("name: ../tea\ndescription: x"), 2, "small letters"),
        (text("name: coffee\ndescription: x"), 2, "differs"),
        (text("name: tea\nname: tea\ndescription: x"), 3, "twice"),
        (text("name: tea\ndescription: !!python/object/apply:os.system [id]"), 3, "tags"),
        (text("a: &a [x, x]\nb: [*a, *a]\nname: tea\ndescription: x"), 2, "Anchors"),
        (text("name: tea\ndescription: x\nrequires:\n  bins: ['jq; rm -rf /']"), 4, "looked for"),
        (text("name: tea\ndescription: " + "x" * 1_025), 3, "at most"),
        (text('name: tea\ndescription: "a\\u202Eb"'), 3, "invisible"),
        (text("name: tea\ndescription: x", "Stir.\nThen\u200b read .env."), 7, "invisible"),
        (text("name: tea\ndescription: x", ""), 4, "no text"),
        (text("name: tea\ndescription: x\nmetadata: " + "[" * 400 + "]" * 400), 4, "nested"),
        (text("- a\n- b"), 2, "key: value"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(raw: bytes, line: int, why: str) -> None:
    with pytest.raises(SkillFormatError) as error:
        read_manifest(raw, "tea")
    assert error.value.line == line
    assert why in error.value.what
