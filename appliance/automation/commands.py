"""`/cron`: schedules by hand, without a model."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NoReturn, Protocol

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

_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "「": '"', "」": '"', "‘": "'", "’": "'"})


class Beat(Protocol):
    """The heartbeat as /cron shows and resumes it."""

    def shown(self) -> dict[str, str]: ...
    async def resume(self) -> None: ...
    async def pause(self) -> None: ...


@dataclass(slots=True)
class CronCommands:
    """Given the desk, answer /cron."""

    desk: Desk
    cron: Cron
    beat: Beat

    def add_to(self, commands: Commands) -> None:
        commands.add("cron", self.run, Role.OWNER)

    async def run(self, ask: Ask) -> str:
        verb, _, rest = ask.argument.strip().partition(" ")
        rest = rest.strip()
        match verb:
            case "" | "list":
                return self._list(ask.language)
            case "add":
                return await self._add(rest, ask)
            case "preview":
                return self._preview(rest)
            case "remove" | "run" | "pause" | "resume" | "approve" | "deny" | "log" if rest:
                return await self._one(verb, rest, ask)
        raise InputError(say("cron_usage", ask.language))

    async def _one(self, verb: str, name: str, ask: Ask) -> str:
        if name == "heartbeat" and verb in ("pause", "resume"):
            await (self.beat.resume() if verb == "resume" else self.beat.pause())
            return say("heartbeat_line", ask.language, **self.beat.shown()).strip()
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
        standing = await self.desk.add(parse_wish(argument), ask.person)
        shown = self.cron.shown(standing)
        values = {key: shown[key] or "" for key in ("id", "zone", "next", "note")}
        return say("cron_added", ask.language, plan=shown["schedule"], **values).strip()

    def _list(self, language: str) -> str:
        lines = [_line(row) for row in self.cron.all_shown()]
        if not lines:
            lines = [say("cron_none", language)]
        return "\n".join([*lines, say("heartbeat_line", language, **self.beat.shown()).strip()])

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


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise InputError(f"/cron add: {message}.", fix='For example: /cron add "0 7 * * 1-5" Tell me the weather')


def _parser() -> _Parser:
    parser = _Parser(prog="/cron add", add_help=False, allow_abbrev=False)
    parser.add_argument("--name", default="")
    parser.add_argument("--tz", default="")
    parser.add_argument("--main", action="store_true")
    parser.add_argument("--silent", action="store_true")
    parser.add_argument("--urgent", action="store_true")
    parser.add_argument("--webhook", default="")
    parser.add_argument("--models", default="")
    parser.add_argument("--tools", default=None)
    parser.add_argument("--except", dest="holidays", default="")
    parser.add_argument("--budget", default="")
    parser.add_argument("--late", default="")
    parser.add_argument("words", nargs=argparse.REMAINDER)
    return parser


def parse_wish(argument: str) -> Wish:
    """`[options] "SCHEDULE" TEXT` as a wish. Raises InputError."""
    try:
        words = shlex.split(argument.translate(_QUOTES))
    except ValueError:
        words = argument.split()  # an apostrophe in the text is no quote
    given = _parser().parse_args(words)
    when, text = _split(given.words)
    return Wish(
        when=when,
        text=text,
        name=given.name,
        zone=given.tz,
        holidays=given.holidays,
        main=given.main,
        deliver="silent" if given.silent else "announce",
        urgent=given.urgent,
        webhook=given.webhook,
        models=_names(given.models),
        tools=None if given.tools is None else _names(given.tools),
        budget=given.budget,
        late_seconds=parse_length(given.late) if given.late else 0,
    )


def _split(words: list[str]) -> tuple[str, str]:
    """Where the schedule ends and the text begins: quotes say it, else the form of the schedule does."""
    if not words:
        raise InputError("A schedule and a text are needed.", fix='/cron add "every 2h" Look at the weather')
    first = words[0].lower()
    if " " in first or first.startswith("@"):
        count = 1
    elif first == "every":
        count = 2
    elif first == "watch":
        count = 3
    elif first == "at":
        count = 3 if len(words) > 3 and words[1].count("-") == 2 and "T" not in words[1] else 2
    else:
        count = 5
    when, text = " ".join(words[:count]), " ".join(words[count:])
    if not text:
        raise InputError("What is to be done is missing after the schedule.")
    return when, text


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())
