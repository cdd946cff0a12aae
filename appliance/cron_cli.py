"""`appliance cron`: what runs by itself. `preview` is pure and needs no gateway."""

from __future__ import annotations

import time
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from appliance.errors import InputError

cron_app = typer.Typer(no_args_is_help=True, help="Schedules: list, add, remove, run, preview.")
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
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
    """Show when a schedule comes due. No file is touched, and no gateway is needed."""
    from appliance import cli
    from appliance.automation.holidays import Holidays
    from appliance.automation.occurrences import upcoming, utc_text
    from appliance.automation.plan import parse_instant, parse_plan, zone_named

    where = zone_named(zone) if zone else cli.settings().owner.zone
    start = parse_instant(since, where) if since else time.time()
    plan = parse_plan(expression, where, start)
    if holidays is not None:
        plan = plan.without(Holidays(holidays).free)
    found = upcoming(plan.rule, start, count)
    if as_json:
        cli.show([utc_text(at) for at in found])
        return
    if plan.note:
        typer.echo(plan.note)
    for at in found:
        typer.echo(f"{utc_text(at)}  {datetime.fromtimestamp(at, where):%a %Y-%m-%d %H:%M:%S %Z}")
    if not found:
        raise InputError(f"{expression!r} never comes due after {utc_text(start)}.")
