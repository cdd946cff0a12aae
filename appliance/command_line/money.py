"""`appliance spend` and `appliance budget`: what was spent, what may be, and whether the provider agrees."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from appliance.client import GatewayClient, NotRunningError
from appliance.command_line.common import Json, ask, change, house, settings, show
from appliance.errors import StateError

spend_app = typer.Typer(help="What was spent, by day, model, purpose, session, channel or agent.")
budget_app = typer.Typer(help="Limits: show, set, raise; go on after a pause; repair the books.")


@spend_app.callback(invoke_without_command=True)
def spend(
    ctx: typer.Context,
    day: Annotated[str | None, typer.Option(help="A day such as 2026-11-30, today or yesterday.")] = None,
    by: Annotated[str, typer.Option(help="model, purpose, session, channel, agent or day.")] = "model",
    as_json: Json = False,
) -> None:
    """What a day cost."""
    if ctx.invoked_subcommand is not None:
        return
    query = f"?by={by}" + (f"&day={day}" if day else "")
    report = ask(f"/api/spend{query}", lambda parts: parts.spending.spend(day, by))
    if as_json:
        show(report)
        return
    from appliance.spending.show import spend_text

    typer.echo(spend_text(report).replace("`", ""))


@spend_app.command("reconcile")
def spend_reconcile(
    file: Annotated[
        Path, typer.Argument(help="The provider's usage report, CSV or JSON.", exists=True, dir_okay=False)
    ],
    as_json: Json = False,
) -> None:
    """Compare the books with the provider's usage report. Exit 1 when the books say less anywhere, or differ in
    figures that came from the provider."""
    from appliance.database import open_connection
    from appliance.spending.ledger import query_of
    from appliance.spending.prices import Prices
    from appliance.spending.reconcile import reconcile

    path = settings().state / "core.db"
    if not path.exists():
        raise StateError(f"There is no {path} yet.", fix="Start it once with: appliance up")
    books = open_connection(path, readonly=True)
    try:
        found = reconcile(file, query_of(books), Prices(settings().budget.price_file))
    finally:
        books.close()
    if as_json:
        show(found.as_json())
    else:
        from appliance.spending.money import show as dollars

        for line in found.lines:
            mark = "!" if line in found.below or line in found.unequal else " "
            note = f"  ({line.bounds} not the provider's figures)" if line.bounds else ""
            theirs, ours = dollars(line.their_cost), dollars(line.our_cost)
            typer.echo(f"{mark} {line.day}  {line.model}: provider {theirs}, books {ours}{note}")
        if found.duplicates:
            typer.echo(f"{found.duplicates} rows that stood in the report twice were counted once.")
        for model in found.unpriced:
            typer.echo(f"No price is known for {model}.")
    raise typer.Exit(1 if found.below or found.unequal or found.unpriced else 0)


@budget_app.callback(invoke_without_command=True)
def budget(ctx: typer.Context, as_json: Json = False) -> None:
    """Show the limits and what is left of them."""
    if ctx.invoked_subcommand is not None:
        return
    rows = ask("/api/budget", lambda parts: parts.budget.status())
    if as_json:
        show(rows)
        return
    from appliance.spending.show import budget_text

    typer.echo(budget_text(rows, settings().owner.zone).replace("`", ""))


@budget_app.command("raise")
def budget_raise(amount: str, scope: Annotated[str, typer.Option(help="day, or purpose:cron …")] = "day") -> None:
    """Raise a limit for the rest of today."""
    from appliance.spending.money import parse_usd

    usd = parse_usd(amount)
    change("/api/budget/raise", {"usd": str(usd), "scope": scope}, lambda parts: parts.budget.raise_today(usd, scope))
    typer.echo(f"Raised by ${usd} for today.")


@budget_app.command("set")
def budget_set(amount: str) -> None:
    """Set the daily limit from now on (`default` goes back to the setting)."""
    from appliance.spending.money import parse_usd

    usd = None if amount == "default" else parse_usd(amount)
    _say(f"/budget set {'default' if usd is None else usd}", lambda parts: parts.budget.set_daily(usd))
    typer.echo("The daily limit is the setting's again." if usd is None else f"The daily limit is ${usd} now.")


@budget_app.command("resume")
def budget_resume() -> None:
    """Let paid models go on after an alert paused them."""
    _say("/budget resume", lambda parts: parts.budget.resume())
    typer.echo("Paid models go on.")


@budget_app.command("repair")
def budget_repair() -> None:
    """Count today's totals again from the rows of the ledger, while no gateway runs."""
    try:
        GatewayClient.find(settings().state)
    except NotRunningError:
        pass
    else:
        raise StateError("The gateway is running.", fix="Stop it first; it checks the books when it starts.")
    import asyncio

    with house() as parts:
        before = parts.budget.damage
        charged = asyncio.run(parts.budget.repair())
    typer.echo(f"Was wrong: {before}" if before else "Nothing was wrong.")
    if charged:
        typer.echo(f"{charged} calls that the last stop cut off are charged as reserved.")


def _say(command: str, offline: Any) -> None:
    """Give the running gateway a command as the owner would, or do the same to STATE when none runs."""
    change("/api/messages", {"session": "main", "text": command}, offline)
