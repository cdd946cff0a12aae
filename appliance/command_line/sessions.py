"""`appliance sessions` and `appliance agents`: who talks, and what was said."""

from __future__ import annotations

import sys
from typing import Annotated, Any
from urllib.parse import quote

import typer

from appliance.client import GatewayClient
from appliance.command_line.common import Json, ask, settings, show

app = typer.Typer(no_args_is_help=True, help="Conversations: list, show, compact, export.")


@app.command("list")
def list_all(as_json: Json = False) -> None:
    """All conversations, the latest first."""
    rows = ask("/api/sessions", lambda parts: parts.sessions.list())
    rows = rows["sessions"] if isinstance(rows, dict) else rows
    if as_json:
        show(rows)
        return
    for row in rows:
        typer.echo(f"{row['used_at']}  {row['name']}")
    if not rows:
        typer.echo("No conversation yet.")


@app.command("show")
def show_one(name: str, as_json: Json = False) -> None:
    """What was said in a conversation."""

    def offline(parts: Any) -> Any:
        return {"messages": parts.sessions.messages(parts.sessions.require(name))}

    rows = ask(f"/api/sessions/{quote(name, safe='')}/messages", offline)["messages"]
    if as_json:
        show(rows)
        return
    for row in rows:
        typer.echo(f"[{row['at']}] {row['role']}: {row['text']}")


@app.command()
def export(name: str) -> None:
    """The transcript as it stands on disk, one JSON object a line."""
    from appliance.app import transcript_path

    path = transcript_path(settings(), name)
    sys.stdout.buffer.write(path.read_bytes())


@app.command()
def compact(
    name: Annotated[str, typer.Argument(help="main, or a web conversation's name.")],
    focus: Annotated[str, typer.Argument(help="What the summary should keep above all.")] = "",
) -> None:
    """Summarise what was said so far: the next request is shorter, nothing is deleted. Needs a running gateway."""
    client = GatewayClient.find(settings().state, timeout=300.0)
    found = client.call("POST", "/api/messages", {"session": name, "text": f"/compact {focus}".rstrip()})
    typer.echo(found["reply"])


def agents(as_json: Json = False) -> None:
    """The agents of this house: who answers, what each spent today, where it keeps its files."""
    rows = ask("/api/agents", lambda parts: {"agents": parts.overview.agents()})["agents"]
    if as_json:
        show(rows)
        return
    for row in rows:
        limit = "" if row["limit"] is None else f" of ${row['limit']:.2f}"
        talks = f"{row['sessions']} conversation{'' if row['sessions'] == 1 else 's'}"
        channels = f" on {', '.join(row['channels'])}" if row["channels"] else ""
        typer.echo(f"{row['id']}  {' → '.join(row['chain'])}  ${row['spent']:.2f}{limit} today  {talks}{channels}")
        typer.echo(f"    {row['workspace']}")
