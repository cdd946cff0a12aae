"""`appliance cron`: what runs by itself. `preview` is pure and needs no gateway."""

from __future__ import annotations

import asyncio
import time
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from appliance.client import GatewayClient, NotRunningError
from appliance.command_line.common import Agent, Json, ask, house, settings, show
from appliance.errors import InputError, NotFoundError
from appliance.messages import MAIN, THE_OWNER

cron_app = typer.Typer(no_args_is_help=True, help="Schedules: list, add, remove, run, preview.")
_MOST = 10_000


@cron_app.command("preview")
def preview(
    expression: Annotated[str, typer.Argument(help='For example "0 7 * * 1-5", "every 90m" or "at 2026-12-24 18:00".')],
    zone: Annotated[str, typer.Option("--tz", help="Time zone; yours when not given.")] = "",
    since: Annotated[str, typer.Option("--from", help="First instant that counts; now when not given.")] = "",
    count: Annotated[int, typer.Option(help="How many.", min=1, max=_MOST)] = 5,
    holidays: Annotated[Path | None, typer.Option("--except", help="iCalendar file with days to leave out.")] = None,
    as_json: Json = False,
) -> None:
    """Show when a schedule comes due. Nothing is changed, and no gateway is needed."""
    from appliance.automation.holidays import Holidays
    from appliance.automation.occurrences import upcoming, utc_text
    from appliance.automation.plan import parse_instant, parse_plan, zone_named

    where = zone_named(zone) if zone else settings().owner.zone
    start = parse_instant(since, where) if since else time.time()
    plan = parse_plan(expression, where, start)
    if holidays is not None:
        plan = plan.without(Holidays(holidays).free)
    found = upcoming(plan.rule, start, count)
    if as_json:
        show([utc_text(at) for at in found])
        return
    if plan.note:
        typer.echo(plan.note)
    for at in found:
        typer.echo(f"{utc_text(at)}  {datetime.fromtimestamp(at, where):%a %Y-%m-%d %H:%M:%S %Z}")
    if not found:
        raise InputError(f"{expression!r} never comes due after {utc_text(start)}.")


@cron_app.command("list")
def listing(as_json: Json = False) -> None:
    """Every job: its schedule, when it runs next, how the last run ended."""
    rows = _jobs()
    if as_json:
        show(rows)
        return
    if not rows:
        typer.echo("No schedule yet.")
    for row in rows:
        last = f"  last {row['last']['planned']} {row['last']['state']}" if row["last"] else ""
        reason = f" ({row['reason']})" if row["reason"] else ""
        whose = "" if row["agent"] == MAIN else f"{row['agent']}: "
        typer.echo(
            f"{row['id']}  {whose}{row['name']}: {row['schedule']} ({row['zone']})  {row['state']}{reason}{last}"
        )
        for line in (f"next {row['next']}" if row["next"] else "", row["note"]):
            if line:
                typer.echo(f"        {line}")


@cron_app.command("add")
def add(
    schedule: Annotated[str, typer.Argument(help='For example "0 7 * * 1-5", "every 90m" or "at 2026-12-24 18:00".')],
    text: Annotated[str, typer.Argument(help="What is to be done then.")],
    name: Annotated[str, typer.Option(help="A short name.")] = "",
    zone: Annotated[str, typer.Option("--tz", help="Time zone; yours when not given.")] = "",
    main: Annotated[bool, typer.Option("--main", help="Run in your main conversation.")] = False,
    silent: Annotated[bool, typer.Option("--silent", help="Do not send the answer to you.")] = False,
    urgent: Annotated[bool, typer.Option("--urgent", help="Send the answer in quiet hours too.")] = False,
    webhook: Annotated[str, typer.Option(help="Post the answer as JSON to this address.")] = "",
    models: Annotated[str, typer.Option(help="Models in order, with commas.")] = "",
    tools: Annotated[str | None, typer.Option(help="Only these tools, with commas.")] = None,
    holidays: Annotated[
        str, typer.Option("--except", help="iCalendar file in the work folder: days to leave out.")
    ] = "",
    budget: Annotated[str, typer.Option(help="Dollars a day for this job.")] = "",
    late: Annotated[str, typer.Option(help="How late a missed run may be made up for, such as 2h.")] = "",
    agent: Agent = MAIN,
    as_json: Json = False,
) -> None:
    """Schedule something."""
    from appliance.automation.commands import quoted
    from appliance.automation.plan import parse_plan, zone_named

    parse_plan(schedule, zone_named(zone) if zone else settings().owner.zone, time.time())  # says what is wrong with it
    given = {"--name": name, "--tz": zone, "--webhook": webhook, "--models": models, "--tools": tools}
    given |= {"--except": holidays, "--budget": budget, "--late": late}
    words = [word for option, value in given.items() if value for word in (option, value)]
    words += [flag for flag, wanted in (("--main", main), ("--silent", silent), ("--urgent", urgent)) if wanted]
    line = " ".join(
        [*(word if word.startswith("--") else quoted(word) for word in words), quoted(schedule), quoted(text)]
    )
    try:
        client = GatewayClient.find(settings().state)
    except NotRunningError:
        row = _add_offline(line, agent)
    else:
        before = {row["id"] for row in _jobs()}
        body = {"session": "main", "agent": agent, "text": f"/cron add {line}"}
        said = client.call("POST", "/api/messages", body)["reply"]
        fresh = [row for row in _jobs() if row["id"] not in before]
        if not fresh:
            raise InputError(said)
        row = fresh[-1]
    if as_json:
        show(row)
    else:
        typer.echo(f"Scheduled as {row['id']}, next {row['next']} ({row['zone']}). {row['note']}".rstrip())


@cron_app.command("remove")
def remove(job: Annotated[str, typer.Argument(help="Its id, or its name.")]) -> None:
    """Remove a job."""
    row = _job(job)
    try:
        client = GatewayClient.find(settings().state)
    except NotRunningError:
        with house() as parts:
            asyncio.run(_remove(parts, row["id"]))
    else:
        client.call("POST", "/api/messages", {"session": "main", "text": f"/cron remove {row['id']}"})
    typer.echo(f"Removed: {row['name']}")


@cron_app.command("run")
def run(job: Annotated[str, typer.Argument(help="Its id, or its name.")]) -> None:
    """Run a job now. The gateway has to run."""
    client = GatewayClient.find(settings().state)
    row = _job(job)
    said = client.call("POST", "/api/messages", {"session": "main", "text": f"/cron run {row['id']}"})["reply"]
    if row["state"] in ("pending", "paused"):
        raise InputError(said)
    typer.echo(said)


def _jobs() -> list[dict[str, Any]]:
    rows = ask("/api/schedules", lambda parts: {"schedules": parts.automation.schedules()})
    return list(rows["schedules"])


def _job(name: str) -> dict[str, Any]:
    """One job by id or name. Raises NotFoundError."""
    rows = _jobs()
    found = [row for row in rows if row["id"] == name] or [row for row in rows if row["name"] == name]
    if len(found) != 1:
        problem = f"{len(found)} jobs are named" if found else "There is no job"
        raise NotFoundError(f"{problem} {name!r}.", fix="`appliance cron list` shows them with their ids.")
    return found[0]


def _add_offline(line: str, agent: str) -> dict[str, Any]:
    from appliance.automation.commands import parse_wish

    async def work(parts: Any) -> dict[str, Any]:
        standing = await parts.automation.desk.add(parse_wish(line), THE_OWNER, agent)
        await parts.audit.flush()
        return dict(parts.automation.cron.shown(standing))

    with house() as parts:
        return asyncio.run(work(parts))


async def _remove(parts: Any, job: str) -> None:
    await parts.automation.desk.remove(parts.automation.jobs.find(job))
    await parts.audit.flush()
