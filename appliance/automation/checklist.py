"""HEARTBEAT.md: what to look after, one task a line, each with its time. No model reads it to know what is due.

- [daily 08:00] Tell me about appointments of the next 24 hours.
- [weekdays 07:30] ...   [weekends 10:00] ...   [mon,thu 09:00] ...
- [every 2h] ...         [2026-12-24 18:00] ... [0 8 1 * *] ...
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from appliance.automation.plan import Plan, parse_plan
from appliance.errors import InputError

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_LINE = re.compile(r"^\s*[-*]\s*(?:\[(?P<box>[ xX])\]\s*)?\[(?P<when>[^\]]{2,60})\]\s*(?P<text>\S.*)$")
_TASK = re.compile(r"^\s*[-*]\s+\S")
_DAYS = {name: str(n) for n, name in enumerate("sun mon tue wed thu fri sat".split())} | {
    "daily": "*", "weekdays": "1-5", "weekends": "0,6",
    "每天": "*", "每日": "*", "工作日": "1-5", "平日": "1-5", "周末": "0,6", "週末": "0,6",
}  # fmt: skip
_DAY_TIME = re.compile(r"(?P<days>[^\s\d]+)\s+(?P<hour>\d{1,2}):(?P<minute>\d{2})")


@dataclass(frozen=True, slots=True)
class Task:
    """One line. `key` names it for as long as the line stays the same."""

    text: str
    plan: Plan
    key: str


@dataclass(frozen=True, slots=True)
class Unread:
    """A line that looks like a task and cannot be used, and why."""

    line: str
    why: str


def parse_checklist(text: str, zone: ZoneInfo, anchor: float) -> Iterator[Task | Unread]:
    """Every task of the file, in order; done ones (`[x]`) are left out. `anchor`: what `every` counts from."""
    for line in _COMMENT.sub("", text).splitlines():
        if not _TASK.match(line):
            continue
        found = _LINE.match(line)
        if found is None:
            if not re.match(r"^\s*[-*]\s*\[[xX]\]", line):
                yield Unread(line.strip(), "it has no time such as [daily 08:00]")
            continue
        if (found["box"] or " ") in "xX":
            continue
        try:
            plan = parse_plan(_schedule(found["when"].strip()), zone, anchor, anchor=anchor)
        except InputError as error:
            yield Unread(line.strip(), error.what)
            continue
        key = hashlib.sha256(f"{found['when']}|{found['text']}".encode()).hexdigest()[:16]
        yield Task(found["text"].strip(), plan, key)


def _schedule(when: str) -> str:
    """The bracket as a schedule. Raises InputError."""
    found = _DAY_TIME.fullmatch(when)
    if found:
        days = [_day(name) for name in found["days"].lower().split(",")]
        hour, minute = int(found["hour"]), int(found["minute"])
        return f"{minute} {hour} * * {','.join(days)}"
    if re.match(r"\d{4}-\d{2}-\d{2}", when):
        return f"at {when}"
    return when


def _day(name: str) -> str:
    known = _DAYS.get(name) if name in _DAYS else _DAYS.get(name[:3])
    if known is None:
        raise InputError(f"{name!r} is no day.", fix="Use daily, weekdays, weekends or mon,tue,...")
    return known
