"""`appliance policy ...` and `appliance approvals`: what commands may run, and what waits for the owner's word."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

import typer

from appliance.client import GatewayClient, NotRunningError
from appliance.command_line.common import Json, change, house, settings, show

app = typer.Typer(no_args_is_help=True, help="What commands may run.")
Host = Annotated[Literal["host", "sandbox", "remote"], typer.Option(help="Where it would run.")]


@app.command()
def check(
    command: Annotated[str | None, typer.Argument(help="One command; without it, --jsonl.")] = None,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Read {id, command, context} a line.")] = False,
    host: Host = "host",
    as_json: Json = False,
) -> None:
    """Say whether a command would run, be asked about, or be refused, and why; without --host, on this machine."""
    from appliance.sandbox import policy

    rule = settings().exec.sandbox_policy
    if jsonl:
        for line in policy.jsonl(sys.stdin, host=host, sandbox_policy=rule):
            typer.echo(line)
        return
    if command is None:
        raise typer.BadParameter("Give a command, or --jsonl.")
    verdict = policy.check(command, host=host, sandbox_policy=rule)
    if as_json:
        show({"command": command, "host": host, "verdict": verdict.verdict, "why": verdict.why})
        return
    typer.echo(f"{verdict.verdict}: {verdict.why}")
    others = " or ".join(f"--host {other}" for other in ("host", "sandbox", "remote") if other != host)
    typer.echo(f"Judged for --host {host}; {others} may differ.")


@app.command("list")
def listed(as_json: Json = False) -> None:
    """What always may run, and when it was used last."""
    try:
        rules = GatewayClient.find(settings().state).call("GET", "/api/policy/rules")["rules"]
    except NotRunningError:
        with house() as parts:
            rules = list(parts.execution.approvals.rules())
    if as_json:
        show(rules)
        return
    for rule in rules:
        used = rule["last_used_at"] or "never used"
        typer.echo(f"{rule['id']}  {rule['host']:<8} {rule['network']:<10} {rule['entry']}  ({used})")


@app.command()
def allow(
    entry: Annotated[str, typer.Argument(help="A full command, one with a last ` *`, or the path of a program.")],
    host: Host = "host",
    network: Annotated[Literal["none", "allowlist"], typer.Option(help="With which network.")] = "none",
) -> None:
    """Let a command run unasked from now on."""
    body = {"entry": entry, "host": host, "network": network}
    show(
        change(
            "/api/policy/rules", body, lambda parts: parts.execution.approvals.allow(entry, host=host, network=network)
        )
    )


@app.command()
def revoke(rule: Annotated[str, typer.Argument(help="The id that `list` shows.")]) -> None:
    """Take an entry off the list."""
    import asyncio

    try:
        GatewayClient.find(settings().state).call("DELETE", f"/api/policy/rules/{rule}")
    except NotRunningError:
        with house() as parts:
            asyncio.run(parts.execution.approvals.revoke(rule))
    typer.echo("Revoked.")


def approvals(
    identity: Annotated[str | None, typer.Argument(help="Which one to decide.", metavar="ID")] = None,
    decision: Annotated[Literal["once", "always", "deny"], typer.Argument(help="once, always or deny.")] = "once",
    as_json: Json = False,
) -> None:
    """What waits for your word; with an id, decide it."""
    client = GatewayClient.find(settings().state)
    if identity:
        show(client.call("POST", f"/api/approvals/{identity}", {"decision": decision}))
        return
    waiting = client.call("GET", "/api/approvals")["approvals"]
    if as_json:
        show(waiting)
        return
    for one in waiting:
        typer.echo(f"{one['id']}\n{one['text']}\n{one['why']}\n")
