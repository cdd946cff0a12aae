"""Events of the next hours from ICS files and CalDAV calendars, repetitions included."""

from __future__ import annotations

import asyncio
import re
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit
from xml.etree import ElementTree
from zoneinfo import ZoneInfo

from appliance.checks.plain import short
from appliance.errors import AddressError, ToolError
from appliance.network.client import Client

Event = Any  # icalendar's, whose properties have a type for every kind of value
_MOST_EVENTS, _MOST_SHOWN = 20_000, 50
_FREQUENT = frozenset({"SECONDLY", "MINUTELY", "HOURLY"})  # what no calendar of a person holds, and takes for ever
_REPORT = """<?xml version="1.0" encoding="utf-8"?>
<c:calendar-query xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:prop><c:calendar-data/></d:prop>
<c:filter><c:comp-filter name="VCALENDAR"><c:comp-filter name="VEVENT">
<c:time-range start="{start:%Y%m%dT%H%M%SZ}" end="{end:%Y%m%dT%H%M%SZ}"/>
</c:comp-filter></c:comp-filter></c:filter></c:calendar-query>"""
_DATA = "{urn:ietf:params:xml:ns:caldav}calendar-data"


@dataclass(frozen=True, slots=True, order=True)
class Appointment:
    """One event at one time, in the owner's zone."""

    start: datetime
    end: datetime
    whole_days: bool
    title: str
    place: str = ""

    def __str__(self) -> str:
        if self.whole_days:
            last = (self.end - timedelta(days=1)).date()
            when = f"{self.start:%a %Y-%m-%d} all day" + (f" to {last}" if last > self.start.date() else "")
        else:
            same = self.end.date() == self.start.date()
            when = f"{self.start:%a %Y-%m-%d %H:%M}-" + (f"{self.end:%H:%M}" if same else f"{self.end:%Y-%m-%d %H:%M}")
        return f"{when} {self.title}" + (f" ({self.place})" if self.place else "")


async def coming(client: Client, url: str, start: datetime, end: datetime, zone: ZoneInfo) -> list[Appointment]:
    """The events between two instants. Raises ToolError, which never names the address: it is often a secret."""
    address, login = _without_login(url)
    headers = {"authorization": f"Basic {b64encode(login.encode()).decode()}"} if login else {}
    try:
        if address.endswith("/"):
            headers |= {"depth": "1", "content-type": "application/xml; charset=utf-8"}
            body = _REPORT.format(start=start.astimezone(UTC), end=end.astimezone(UTC)).encode()
            found = await client.ask("REPORT", address, headers=headers, body=body)
        else:
            found = await client.ask("GET", address, headers=headers)
    except AddressError as error:
        raise ToolError("The calendar's address is not opened.", fix=error.fix) from error
    except (OSError, TimeoutError) as error:
        raise ToolError("The calendar's server does not answer.") from error
    if found.status not in (200, 207):
        raise ToolError(f"The calendar's server answered {found.status}.")
    return await asyncio.to_thread(_read, found.body, address.endswith("/"), start, end, zone)


def _without_login(url: str) -> tuple[str, str]:
    parts = urlsplit(re.sub(r"^webcals?://", "https://", url.strip()))
    login = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}" if parts.username else ""
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])), login


def _read(body: bytes, dav: bool, start: datetime, end: datetime, zone: ZoneInfo) -> list[Appointment]:
    try:
        files = _dav_files(body) if dav else [body.decode("utf-8", errors="replace")]
        found = sorted({one for text in files for one in events(text, start, end, zone)})
    except (ElementTree.ParseError, ValueError) as error:
        raise ToolError(f"What the calendar's server sent is no calendar: {short(str(error), 120)}") from error
    return found[:_MOST_SHOWN]


def _dav_files(body: bytes) -> list[str]:
    if b"<!DOCTYPE" in body or b"<!ENTITY" in body:  # entities can grow without end
        raise ValueError("a document type stands in it")
    return [found.text or "" for found in ElementTree.fromstring(body).iter(_DATA)]  # noqa: S314 - refused above


def events(text: str, start: datetime, end: datetime, zone: ZoneInfo) -> Iterator[Appointment]:
    """Given an iCalendar file, yield what happens between two instants. Raises ValueError for what is none."""
    from icalendar import Calendar  # slow to import, and only needed once a calendar is read

    calendars: Any = Calendar.from_ical(text, multiple=True)
    if not calendars:
        raise ValueError("it holds no calendar")
    found: list[Any] = [event for calendar in calendars for event in calendar.walk("VEVENT")]
    if len(found) > _MOST_EVENTS:
        raise ValueError(f"it holds more than {_MOST_EVENTS:,} events")
    moved = {(str(e.get("UID")), _instant(e["RECURRENCE-ID"].dt, zone)) for e in found if "RECURRENCE-ID" in e}
    for event in found:
        if "DTSTART" not in event or str(event.get("STATUS", "")).upper() == "CANCELLED":
            continue
        first, length, whole = _span(event, zone)
        repeats = () if "RECURRENCE-ID" in event else moved
        for at in _times(event, first, length, start, end, zone):
            if (str(event.get("UID")), at) not in repeats and at + max(length, timedelta(seconds=1)) > start:
                title = short(str(event.get("SUMMARY", "")), 200) or "(no title)"
                local = at.astimezone(zone)
                until = (local.replace(tzinfo=None) + length).replace(tzinfo=zone) if whole else local + length
                yield Appointment(local, until, whole, title, short(str(event.get("LOCATION", "")), 100))


def _span(event: Event, zone: ZoneInfo) -> tuple[datetime, timedelta, bool]:
    """First start (in its own zone), length, and whether it takes whole days."""
    begin = event["DTSTART"].dt
    whole = not isinstance(begin, datetime)
    first = _aware(begin, zone)
    if "DTEND" in event:
        length = _aware(event["DTEND"].dt, zone) - first
    elif "DURATION" in event:
        length = event["DURATION"].dt
    else:
        length = timedelta(days=1 if whole else 0)
    if whole:
        length = timedelta(days=max(round(length / timedelta(days=1)), 1))
    return first, max(length, timedelta(0)), whole


def _times(
    event: Event, first: datetime, length: timedelta, start: datetime, end: datetime, zone: ZoneInfo
) -> Iterator[datetime]:
    """When an event begins, as far as it touches the time between two instants."""
    from dateutil.rrule import rruleset, rrulestr  # only needed for events that repeat

    if "RRULE" not in event and "RDATE" not in event:
        if first < end:
            yield first
        return
    # Repeated by the wall clock of the event's own zone: 9:00 stays 9:00 when the clocks change.
    own = first.tzinfo
    times = rruleset()
    times.rdate(first.replace(tzinfo=None))
    for rule in _several(event, "RRULE"):
        if str(rule.get("FREQ", [""])[0]).upper() in _FREQUENT:
            continue
        until = rule.pop("UNTIL", None)
        made = rrulestr(rule.to_ical().decode(), dtstart=first.replace(tzinfo=None))
        if until:
            made = made.replace(until=_aware(until[0], zone, last=True).astimezone(own).replace(tzinfo=None))
        times.rrule(made)
    for name, put in (("RDATE", times.rdate), ("EXDATE", times.exdate)):
        for given in _several(event, name):
            for one in given.dts:
                put(_aware(one.dt, zone).astimezone(own).replace(tzinfo=None))
    low = (start - length).astimezone(own).replace(tzinfo=None) - timedelta(hours=2)
    for at in times.xafter(low, inc=True):
        aware = at.replace(tzinfo=own)
        if aware >= end:
            return
        yield aware


def _several(event: Event, name: str) -> list[Any]:
    found = event.get(name)
    return [] if found is None else list(found) if isinstance(found, list) else [found]


def _aware(value: date | datetime | tuple[Any, ...], zone: ZoneInfo, *, last: bool = False) -> datetime:
    """A date or time with its zone; without one it is the owner's. A date is its beginning, or its `last` second."""
    if isinstance(value, tuple):  # a period
        return _aware(value[0], zone)
    if not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day, 23 if last else 0, 59 if last else 0, tzinfo=zone)
    return value if value.tzinfo is not None else value.replace(tzinfo=zone)


def _instant(value: date | datetime, zone: ZoneInfo) -> datetime:
    return _aware(value, zone)
