"""Days off from an iCalendar file: whole-day events, and those that return every year.

Only what a calendar of holidays holds is read. An event that repeats in any other way is refused by name: a schedule
that silently runs on a holiday is worse than one that cannot be made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

from appliance.automation.reading import read_plain
from appliance.errors import InputError

_FOLD = re.compile(r"\r?\n[ \t]")
_DATE = re.compile(r"(\d{4})(\d{2})(\d{2})(?:T\d{6}Z?)?")
_DAYS = re.compile(r"P(?:(\d+)W)?(?:(\d+)D)?(?:T.*)?")
_LONGEST_BYTES = 4_000_000
_LONGEST_EVENT = timedelta(days=120)


@dataclass(frozen=True, slots=True)
class Event:
    """One entry: its first day, how many days, how often it returns (years; 0 is once), and until which year."""

    first: date
    days: int
    every_years: int = 0
    last_year: int = 9999
    name: str = ""

    def covers(self, day: date) -> bool:
        """Whether the day lies in the event or one of its yearly returns."""
        if self.first <= day < self.first + timedelta(days=self.days):
            return True
        return any(start <= day < start + timedelta(days=self.days) for start in self._returns(day))

    def _returns(self, day: date) -> Iterator[date]:
        if not self.every_years:
            return
        for year in (day.year - 1, day.year):  # an event may reach over New Year
            passed = year - self.first.year
            if passed > 0 and passed % self.every_years == 0 and year <= self.last_year:
                try:
                    yield self.first.replace(year=year)
                except ValueError:
                    continue  # 29 February in a year without one


@dataclass(slots=True)
class Holidays:
    """Given an iCalendar file, answer which days are off; read again when the file changes.

    `free` raises InputError when the file cannot be read or understood.
    """

    path: Path
    _events: tuple[Event, ...] = ()
    _stamp: tuple[int, int] = field(default=(0, 0))

    def free(self, day: date) -> bool:
        self.load()
        return any(event.covers(day) for event in self._events)

    def load(self) -> None:
        """Read the file if it is new. Raises InputError."""
        try:
            stat = self.path.stat()
            stamp = (stat.st_mtime_ns, stat.st_size)
            if stamp == self._stamp:
                return
            if stat.st_size > _LONGEST_BYTES:
                raise InputError(f"{self.path.name} is over 4 MB, too large for a calendar of holidays.")
            self._events = tuple(parse_events(read_plain(self.path, _LONGEST_BYTES).decode("utf-8-sig")))
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"The holiday calendar {self.path.name} cannot be read: {error}.") from error
        self._stamp = stamp


def parse_events(text: str) -> Iterator[Event]:
    """Every event of a calendar. Raises InputError for text that is not a calendar, or an event of another kind."""
    lines = _FOLD.sub("", text).splitlines()
    if not any(line.strip().upper() == "BEGIN:VCALENDAR" for line in lines):
        raise InputError(
            "This is not an iCalendar file.", fix="Export your holidays as .ics and save it in the work folder."
        )
    current: dict[str, str] | None = None
    for line in lines:
        match line.strip().upper():
            case "BEGIN:VEVENT":
                current = {}
            case "END:VEVENT" if current is not None:
                yield _event(current)
                current = None
            case _ if current is not None and ":" in line:
                name, _, value = line.partition(":")
                current.setdefault(name.split(";")[0].strip().upper(), value.strip())


def _event(fields: dict[str, str]) -> Event:
    name = fields.get("SUMMARY", "an event")
    first = _day(fields.get("DTSTART", ""), name)
    length = timedelta(days=1)
    if "DTEND" in fields:
        length = max(length, _day(fields["DTEND"], name) - first)
    elif found := _DAYS.fullmatch(fields.get("DURATION", "")):
        length = max(length, timedelta(weeks=int(found[1] or 0), days=int(found[2] or 0)))
    if length > _LONGEST_EVENT:
        raise InputError(f"{name!r} lasts {length.days} days, too long for a holiday.")
    every, last = _yearly(fields.get("RRULE", ""), first, name)
    return Event(first, length.days, every, last, name)


def _yearly(rule: str, first: date, name: str) -> tuple[int, int]:
    """(every how many years, last year) of an RRULE."""
    if not rule:
        return 0, 9999
    parts = dict(part.upper().partition("=")[::2] for part in rule.split(";") if part)
    same_day = {"BYMONTH": str(first.month), "BYMONTHDAY": str(first.day)}
    known = {"FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST", *same_day}
    moves = any(parts.get(key, value) != value for key, value in same_day.items())
    if parts.get("FREQ") != "YEARLY" or not set(parts) <= known or moves:
        raise InputError(
            f"{name!r} repeats in a way that holidays are not read in ({rule}).",
            fix="Use a calendar that lists each year's days, or repeats on the same date every year.",
        )
    every = max(1, int(parts.get("INTERVAL", "1")))
    last = 9999
    if "COUNT" in parts:
        last = first.year + every * (int(parts["COUNT"]) - 1)
    if "UNTIL" in parts:
        last = min(last, _day(parts["UNTIL"], name).year)
    return every, last


def _day(text: str, name: str) -> date:
    found = _DATE.fullmatch(text)
    problem = InputError(f"{name!r} has no date that can be read ({text!r}).")
    if found is None:
        raise problem
    try:
        return date(int(found[1]), int(found[2]), int(found[3]))
    except ValueError:
        raise problem from None
