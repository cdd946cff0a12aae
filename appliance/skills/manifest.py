"""The front matter of a SKILL.md: name, description and what it needs. Read strictly; nothing in it is ever run.

The format is the common one: `name` (that of the folder) and `description`, and requirements either under
`metadata.openclaw.requires` or, shorter, under `requires` itself. Other keys are left to those who know them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from appliance.trust import clean

NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
LONGEST_NAME = 64
LONGEST_DESCRIPTION = 1_024
_LONGEST_FRONT = 16_384
_DEEPEST = 8
_BIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,63}")
_ENV = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_CONFIG = re.compile(r"[a-z0-9_]+(?:\.[A-Za-z0-9_-]+)*")
_OS = re.compile(r"[a-z0-9]{1,16}")


class SkillFormatError(Exception):
    """Why a skill cannot be read; `line` counts from 1, 0 is the whole folder."""

    def __init__(self, what: str, line: int = 0, file: str = "SKILL.md") -> None:
        super().__init__(what)
        self.what = what
        self.line = line
        self.file = file


@dataclass(frozen=True, slots=True)
class Needs:
    """`any_bins`: one of them is enough. `config` are paths of settings that must be set. `os` empty: any."""

    bins: tuple[str, ...] = ()
    any_bins: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    config: tuple[str, ...] = ()
    os: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Manifest:
    name: str
    description: str
    needs: Needs


def read_manifest(raw: bytes, folder: str) -> Manifest:
    """Given the bytes of a SKILL.md and its folder's name, return what its front matter says.

    Raises SkillFormatError with the line.
    """
    try:
        text = raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise SkillFormatError("It is not UTF-8 text.", raw[: error.start].count(b"\n") + 1) from None
    lines = text.split("\n")
    hidden = next((number for number, line in enumerate(lines, 1) if clean(line) != line), 0)
    if hidden:
        # The owner says yes to what can be seen; a model would read more.
        raise SkillFormatError("The line holds invisible or control characters.", hidden)
    if lines[0].rstrip() != "---":
        raise SkillFormatError("The first line must be --- (the start of the front matter).", 1)
    end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), 0)
    if not end:
        raise SkillFormatError("The front matter has no end: a second line of --- is missing.", 1)
    if not "".join(lines[end + 1 :]).strip():
        raise SkillFormatError("There is no text after the front matter.", end + 1)
    fields, at = _mapping("\n".join(lines[1:end]))
    name = _text(fields, at, "name", LONGEST_NAME)
    if NAME.fullmatch(name) is None:
        raise SkillFormatError(f"name: {name!a} is not small letters, digits and single hyphens.", at["name"])
    if name != folder:
        raise SkillFormatError(f"name: {name} differs from the folder's name, {folder!a}.", at["name"])
    description = " ".join(_text(fields, at, "description", LONGEST_DESCRIPTION).split())
    return Manifest(name, description, _needs(fields, at))


def _mapping(front: str) -> tuple[dict[str, Any], dict[str, int]]:
    """The front matter as plain values, and the line of each key at the top. Raises SkillFormatError."""
    import yaml  # only where a skill is really read

    if len(front) > _LONGEST_FRONT:
        raise SkillFormatError(f"The front matter is longer than {_LONGEST_FRONT:,} characters.", 2)
    try:
        for token in yaml.scan(front, Loader=yaml.SafeLoader):
            if isinstance(token, yaml.AliasToken | yaml.AnchorToken | yaml.TagToken | yaml.DirectiveToken):
                raise SkillFormatError("Anchors, aliases, tags and directives are not read.", _line(token.start_mark))
        root = yaml.compose(front, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        what = f"Not valid YAML: {error.problem}. A text with `: ` in it wants quotes."
        raise SkillFormatError(what, _line(error.problem_mark)) from None
    except (yaml.YAMLError, RecursionError) as error:
        raise SkillFormatError(f"Not valid YAML: {type(error).__name__}.", 2) from None
    if not isinstance(root, yaml.MappingNode):
        raise SkillFormatError("The front matter is no list of `key: value`.", 2)
    return _plain(root, 0), {key.value: _line(key.start_mark) for key, _ in root.value}


def _line(mark: Any) -> int:
    """The line in the file: the front matter starts on its second."""
    return 2 if mark is None else int(mark.line) + 2


def _plain(node: Any, depth: int) -> Any:
    """A YAML node as dict, list or str: no types are guessed. Raises SkillFormatError."""
    import yaml  # loaded already

    line = _line(node.start_mark)
    if depth > _DEEPEST:
        raise SkillFormatError("The front matter is nested too deep.", line)
    if isinstance(node, yaml.ScalarNode):
        return str(node.value)
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item, depth + 1) for item in node.value]
    found: dict[str, Any] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode) or key.value in found:
            raise SkillFormatError("A key stands twice, or is no word.", _line(key.start_mark))
        found[key.value] = _plain(value, depth + 1)
    return found


def _text(fields: dict[str, Any], at: dict[str, int], key: str, longest: int) -> str:
    value = fields.get(key)
    if not isinstance(value, str) or not value.strip():
        raise SkillFormatError(f"{key}: is missing or empty.", at.get(key, 1))
    if len(value) > longest:
        raise SkillFormatError(f"{key}: {len(value):,} characters; at most {longest:,}.", at[key])
    if clean(value) != value:  # an escape of YAML can make what the line itself does not show
        raise SkillFormatError(f"{key}: holds invisible or control characters.", at[key])
    return value.strip()


def _needs(fields: dict[str, Any], at: dict[str, int]) -> Needs:
    key = "requires" if "requires" in fields else "metadata"
    line = at.get(key, 0)
    metadata = fields.get("metadata") or {}
    own = metadata.get("openclaw") if isinstance(metadata, dict) else None
    own = own if isinstance(own, dict) else {}
    requires = fields.get("requires", own.get("requires") or {})
    if not isinstance(requires, dict):
        raise SkillFormatError("requires: must hold bins, env, config or os.", line)
    systems = requires.get("os", fields.get("os", own.get("os", [])))
    return Needs(
        bins=_list(requires.get("bins"), "bins", _BIN, line),
        any_bins=_list(requires.get("anyBins"), "anyBins", _BIN, line),
        env=_list(requires.get("env"), "env", _ENV, line),
        config=_list(requires.get("config"), "config", _CONFIG, line),
        os=_list(systems, "os", _OS, line),
    )


def _list(value: Any, what: str, allowed: re.Pattern[str], line: int) -> tuple[str, ...]:
    items = [value] if isinstance(value, str) and value else value or []
    if not isinstance(items, list) or len(items) > 50:
        raise SkillFormatError(f"{what}: must be a list of at most 50 names.", line)
    for item in items:
        if not isinstance(item, str) or allowed.fullmatch(item) is None:
            raise SkillFormatError(f"{what}: {ascii(item)[:80]} is not a name that can be looked for.", line)
    return tuple(items)
