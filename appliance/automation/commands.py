"""`/cron`: schedules by hand, without a model."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from appliance.automation.cron import Cron
from appliance.automation.desk import Desk
from appliance.automation.jobs import Standing
from appliance.automation.occurrences import upcoming, utc_text
from appliance.automation.plan import parse_length, parse_plan
from appliance.errors import InputError
from appliance.gateway.commands import Ask, Commands
from appliance.messages import Role
from appliance.texts import say
from appliance.tools.schedule import Wish

_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "「": '"', "」": '"'})
_SINGLES = str.maketrans({"‘": "'", "’": "'"})
_SINGLE = re.compile(r"\s*'([^']+)'(?=\s)")
_WORD = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|(\S+))', re.DOTALL)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_TIME = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?")
_FLAGS = ("--main", "--silent", "--urgent")
_VALUES = ("--name", "--tz", "--webhook", "--models", "--tools", "--except", "--budget", "--late")
_EXAMPLE = '/cron add "0 7 * * 1-5" Tell me the weather'


class Beat(Protocol):
    """The heartbeat as /cron shows and resumes it."""

    def shown(self) -> dict[str, str]: ...
    async def resume(self) -> None: ...
    async def pause(self) -> None: ...


@dataclass(slots=True)
class CronCommands:
    """Given the desk and each agent's heartbeat, answer /cron."""

    desk: Desk
    cron: Cron
    beats: Mapping[str, Beat]

    def add_to(self, commands: Commands) -> None:
        commands.add("cron", self.run, Role.OWNER)

    async def run(self, ask: Ask) -> str:
        verb, rest = [*ask.argument.split(None, 1), "", ""][:2]
        match verb:
            case "" | "list":
                return self._list(ask)
            case "add":
                return await self._add(rest, ask)
            case "preview":
                return self._preview(rest)
            case "remove" | "run" | "pause" | "resume" | "approve" | "deny" | "log" if rest:
                return await self._one(verb, rest, ask)
        raise InputError(say("cron_usage", ask.language))

    async def _one(self, verb: str, name: str, ask: Ask) -> str:
        if name == "heartbeat" and verb in ("pause", "resume"):
            beat = self.beats[ask.session.agent]
            await (beat.resume() if verb == "resume" else beat.pause())
            return say("heartbeat_line", ask.language, **beat.shown()).strip()
        standing = self.desk.jobs.find(name)
        job = standing.job
        match verb:
            case "remove" | "deny":
                await self.desk.remove(standing)
                return say("cron_removed", ask.language, name=job.name)
            case "run":
                await self.desk.run_now(standing)
                return say("cron_asked", ask.language, name=job.name)
            case "log":
                return self._log(standing)
        await self.desk.set_state(standing, "paused" if verb == "pause" else "active", ask.person.id)
        state = self.desk.jobs.find(job.id).state
        return say("cron_state", ask.language, name=job.name, state=state)

    async def _add(self, argument: str, ask: Ask) -> str:
        standing = await self.desk.add(parse_wish(argument), ask.person, ask.session.agent)
        shown = self.cron.shown(standing)
        values = {key: shown[key] or "" for key in ("id", "zone", "next", "note")}
        return say("cron_added", ask.language, plan=shown["schedule"], **values).strip()

    def _list(self, ask: Ask) -> str:
        agent = ask.session.agent
        lines = [_line(row) for row in self.cron.all_shown() if row["agent"] == agent]
        if not lines:
            lines = [say("cron_none", ask.language)]
        return "\n".join([*lines, say("heartbeat_line", ask.language, **self.beats[agent].shown()).strip()])

    def _log(self, standing: Standing) -> str:
        rows = self.desk.jobs.history(standing.job.id, 20)
        lines = [
            f"{utc_text(r['planned'])} {r['state']}{' (late)' if r['late'] else ''} {r['reason']}".strip() for r in rows
        ]
        return "\n".join(lines) or f"{standing.job.name}: -"

    def _preview(self, argument: str) -> str:
        now = self.desk.clock.now()
        zone = self.cron.zone()
        plan = parse_plan(argument.translate(_QUOTES).strip("\"'"), zone, now)
        lines = [plan.note] if plan.note else []
        lines += [f"{datetime.fromtimestamp(at, zone):%a %Y-%m-%d %H:%M %Z}" for at in upcoming(plan.rule, now, 5)]
        return "\n".join(lines)


def _line(row: dict[str, Any]) -> str:
    tail = f" → {row['next']}" if row["next"] else ""
    reason = f" ({row['reason']})" if row["reason"] else ""
    note = f"\n    {row['note']}" if row["note"] else ""
    return f"`{row['id']}` {row['name']}: {row['schedule']} ({row['zone']}), {row['state']}{reason}{tail}{note}"


def parse_wish(argument: str) -> Wish:
    """`[options] "SCHEDULE" TEXT` as a wish; the text is taken as it stands. Raises InputError."""
    reader = _Reader(argument)
    flags: set[str] = set()
    values: dict[str, str] = {}
    while (word := reader.peek()).startswith("--"):
        reader.take()
        if word in _FLAGS:
            flags.add(word)
        elif word in _VALUES:
            values[word] = reader.take()
        else:
            raise InputError(f"/cron add does not know {word}.", fix=f"It knows {', '.join([*_FLAGS, *_VALUES])}.")
    when = _schedule(reader)
    text = reader.rest()
    if not text:
        raise InputError("What is to be done is missing after the schedule.", fix=_EXAMPLE)
    return Wish(
        when=when,
        text=text,
        name=values.get("--name", ""),
        zone=values.get("--tz", ""),
        holidays=values.get("--except", ""),
        main="--main" in flags,
        deliver="silent" if "--silent" in flags else "announce",
        urgent="--urgent" in flags,
        webhook=values.get("--webhook", ""),
        models=_names(values.get("--models", "")),
        tools=_names(values["--tools"]) if "--tools" in values else None,
        budget=values.get("--budget", ""),
        late_seconds=parse_length(values["--late"]) if "--late" in values else 0,
    )


def quoted(word: str) -> str:
    """A word as `/cron add` reads it back."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


class _Reader:
    """Words of a command, one after another: plain, or in double quotes of any script; the rest as it stands."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._plain = text.translate(_QUOTES)  # the same places, so that the rest keeps its own quotes
        self._at = 0

    def peek(self) -> str:
        found = self._match()
        return found[2] or "" if found else ""

    def take(self) -> str:
        """The next word. Raises InputError at the end."""
        single = _SINGLE.match(self._text.translate(_SINGLES), self._at)
        if single is not None:
            self._at = single.end()
            return self._text[single.start(1) : single.end(1)]
        found = self._match()
        if found is None:
            raise InputError("A schedule and a text are needed.", fix=_EXAMPLE)
        self._at = found.end()
        return self._word(found)

    def rest(self) -> str:
        """Everything that is left; quotes around the whole of it are taken off."""
        found = self._match()
        whole = found is not None and found[1] is not None and not self._text[found.end() :].strip()
        return (self._word(found) if found is not None and whole else self._text[self._at :]).strip()

    def _match(self) -> re.Match[str] | None:
        # A plain quote ends with a plain one, whatever other quotes stand between.
        plain = self._text[self._at :].lstrip().startswith('"')
        return _WORD.match(self._text if plain else self._plain, self._at)

    def _word(self, found: re.Match[str]) -> str:
        if found[1] is None:
            return self._text[found.start(2) : found.end(2)]
        return re.sub(r"\\(.)", r"\1", self._text[found.start(1) : found.end(1)], flags=re.DOTALL)


def _schedule(reader: _Reader) -> str:
    """Where the schedule ends: quotes say it, else its form does."""
    first = reader.take()
    kind = first.lower()
    if " " in first or kind.startswith("@"):
        return first
    count = {"every": 1, "watch": 2, "at": 1}.get(kind, 4)
    words = [first, *(reader.take() for _ in range(count))]
    if kind == "at" and _DAY.fullmatch(words[1]) and _TIME.fullmatch(reader.peek()):
        words.append(reader.take())
    return " ".join(words)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())
