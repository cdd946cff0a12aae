"""A schedule as people write it: `at`, `every`, or a cron expression, in a zone, perhaps without holidays.

    at 2026-12-24 18:00        at 2026-12-24T18:00:00Z        at +20m
    every 90m                  every 2h                       every 1d
    0 7 * * 1-5                @daily                         cron 0 7 * * 1-5
    watch file inbox.md        watch feed https://...         watch alert DiskAlmostFull

Day rule of cron expressions: when the day of the month and the weekday are both given (neither begins with `*`), a day
that fits either of them counts, as in Debian's cron; when one of them begins with `*`, both must fit.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from appliance.automation.occurrences import Cron, Every, Except, Never, Once, Rule, instant_of, utc_text
from appliance.errors import InputError

_LENGTH = re.compile(r"(\d{1,6})\s*(s|sec|m|min|h|hours?|d|days?|w|weeks?)", re.IGNORECASE)
_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 7 * 86_400}
SHORTEST_SECONDS = 10
_LONGEST_SECONDS = 366 * 86_400
BOTH_DAYS = (
    "Day of month and weekday are both given: a day that fits either of them counts "
    "(as in cron; put * in one of them to use the other alone)."
)


@dataclass(frozen=True, slots=True)
class Plan:
    """A schedule, understood. `text` is its canonical form, which parses to the same; `note` is what may surprise."""

    text: str
    rule: Rule
    zone: ZoneInfo
    note: str = ""

    @property
    def watches(self) -> bool:
        """True when something else than the clock wakes it (watchers.py)."""
        return self.text.startswith("watch ")

    @property
    def once(self) -> bool:
        """True for a schedule with a single occurrence."""
        return self.text.startswith("at ")

    def without(self, free: Callable[[date], bool]) -> Plan:
        """The same plan with some local days left out."""
        return Plan(self.text, Except(self.rule, self.zone, free), self.zone, self.note)


def zone_named(name: str) -> ZoneInfo:
    """The zone of an IANA name. Raises InputError."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise InputError(f"{name!r} is not a time zone.", fix="Use a name such as Europe/Berlin or UTC.") from None


def parse_plan(text: str, zone: ZoneInfo, now: float, anchor: float | None = None) -> Plan:
    """Understand a schedule. `anchor` is what `every` counts from (Unix seconds; default now). Raises InputError."""
    words = text.strip()
    kind, _, rest = words.partition(" ")
    match kind.lower():
        case "at":
            at = _instant(rest.strip(), zone, now)
            return Plan(f"at {utc_text(at)}", Once(at), zone)
        case "every":
            seconds = parse_length(rest)
            return Plan(f"every {_length_text(seconds)}", Every(seconds, now if anchor is None else anchor), zone)
        case "watch":
            spoken = rest.strip()  # a command keeps its own blanks and lines: what is shown is what runs
            if not spoken.lower().startswith("command "):
                spoken = " ".join(spoken.split())
            return Plan(f"watch {spoken}", Never(), zone)
        case "cron":
            words = rest.strip()
    cron = Cron(words, zone)
    return Plan(cron.expression, cron, zone, BOTH_DAYS if cron.both_days else "")


def parse_length(text: str) -> int:
    """`90m`, `2 hours` as seconds. Raises InputError."""
    found = _LENGTH.fullmatch(text.strip())
    seconds = int(found[1]) * _UNITS[found[2][0].lower()] if found else 0
    if not SHORTEST_SECONDS <= seconds <= _LONGEST_SECONDS:
        raise InputError(
            f"{text.strip()!r} is not a length of time between {SHORTEST_SECONDS} seconds and a year.",
            fix="Write a number with s, m, h, d or w, for example 90m.",
        )
    return seconds


def parse_instant(text: str, zone: ZoneInfo) -> float:
    """An ISO time as Unix seconds; without an offset it is local time in `zone`. Raises InputError."""
    try:
        given = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(
            f"{text!r} is not a time.", fix="Write it like 2026-12-24 18:00 or 2026-12-24T17:00:00Z."
        ) from None
    return given.timestamp() if given.tzinfo is not None else instant_of(given, zone)


def _instant(text: str, zone: ZoneInfo, now: float) -> float:
    if text.startswith("+"):
        return float(int(now) + parse_length(text[1:]))
    if re.fullmatch(r"\d{1,2}:\d{2}", text):
        return _next_time(text, zone, now)
    return parse_instant(text, zone)


def _next_time(text: str, zone: ZoneInfo, now: float) -> float:
    """A bare time of day: today, or tomorrow when it has passed."""
    hour, _, minute = text.partition(":")
    if int(hour) > 23 or int(minute) > 59:
        raise InputError(f"{text} is not a time of day.", fix="Write it like 18:00.")
    today = datetime.fromtimestamp(now, zone).replace(
        hour=int(hour), minute=int(minute), second=0, microsecond=0, tzinfo=None, fold=0
    )
    at = instant_of(today, zone)
    return at if at > now else instant_of(today + timedelta(days=1), zone)


def _length_text(seconds: int) -> str:
    for unit in ("w", "d", "h", "m"):
        if seconds % _UNITS[unit] == 0:
            return f"{seconds // _UNITS[unit]}{unit}"
    return f"{seconds}s"
