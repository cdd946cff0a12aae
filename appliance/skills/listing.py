"""The list of skills in the prompt: a line each, within a budget however many there are."""

from __future__ import annotations

from collections.abc import Sequence

from appliance.skills.collection import Skill

MOST_CHARS = 3_400  # with the tool's own schema, and as JSON, still under 1,000 tokens
_SHORTEST = 24  # a description cut shorter says nothing
_HEAD = "Skills: how things are done here. Before work that one fits, read it with `skill`."
_PLACES = {"builtin": "built in", "config": "the owner's", "workspace": "/workspace/skills"}
Line = tuple[str, str, bool]  # name of the row in the account, text, whether it was cut


def listing(skills: Sequence[Skill], most: int = MOST_CHARS) -> list[Line]:
    """A head, then a line for each skill by place; the longest descriptions are cut first, then whole skills left out.

    The texts, joined by newlines, have at most `most` characters.
    """
    if not skills:
        return []
    places = [place for place in _PLACES if any(skill.kind == place for skill in skills)]
    fixed = len(_HEAD) + sum(len(_PLACES[place]) + 4 for place in places) + 40  # 40: the line about those left out
    shown = list(skills)
    while shown and fixed + sum(len(skill.name) + 5 for skill in shown) + _SHORTEST * len(shown) > most:
        shown.pop()
    room = most - fixed - sum(len(skill.name) + 5 for skill in shown)
    cap = _cap([len(skill.manifest.description) for skill in shown], room)
    lines: list[Line] = [("skills", _HEAD, len(shown) < len(skills))]
    for place in places:
        here = [skill for skill in shown if skill.kind == place]
        for number, skill in enumerate(here):
            head = f"({_PLACES[place]})\n" if number == 0 else ""
            text = skill.manifest.description
            cut = len(text) > cap
            said = text[: cap - 1].rstrip() + "…" if cut else text
            lines.append((f"skill {skill.name}", f"{head}- {skill.name}: {said}", cut))
    if len(shown) < len(skills):
        lines.append(("skills left out", f"({len(skills) - len(shown)} more are not shown)", True))
    return lines


def _cap(lengths: Sequence[int], room: int) -> int:
    """The longest that a description may be so that all of them take at most `room`."""
    low, high = 0, max(lengths, default=0)
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(length, middle) for length in lengths) <= room:
            low = middle
        else:
            high = middle - 1
    return max(low, 1)
