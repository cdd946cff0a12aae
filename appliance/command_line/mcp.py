"""`appliance mcp ...`: which servers bring further tools, and whether they answer."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from appliance.command_line.common import Json, ask, change, show

_LONGEST = 120.0  # seconds: connecting takes at most 30, listing as long as the settings say
app = typer.Typer(no_args_is_help=True, help="MCP servers: list, check.")


@app.command("list")
def listed(as_json: Json = False) -> None:
    """Every configured server, how it stands and which tools it is known to have; starts none."""
    rows = ask("/api/mcp", lambda parts: parts.mcp.listed())["servers"]
    if as_json:
        show(rows)
        return
    for row in rows:
        tools = f"  {len(row['tools'])} tools" if row["tools"] else ""
        typer.echo(f"{row['name']:<16} {row['place']:<8} {row['state']}{tools}  {row['problem']}".rstrip())
    if not rows:
        typer.echo("No MCP servers are configured.")


@app.command()
def check(
    name: Annotated[str, typer.Argument(help="One server; without it, all.")] = "",
    as_json: Json = False,
) -> None:
    """Connect to servers and list their tools; exit 1 when one cannot be used."""

    async def offline(parts: Any) -> Any:
        try:
            return await parts.mcp.check(name)
        finally:
            await parts.mcp.stop()
            await parts.execution.client.release()

    rows = change("/api/mcp/check", {"name": name}, offline, seconds=_LONGEST)["servers"]
    if as_json:
        show(rows)
    for row in rows if not as_json else ():
        typer.echo(f"{'✓' if row['ok'] else '✗'} {row['name']}: {row['problem'] or str(len(row['tools'])) + ' tools'}")
        for tool in row["tools"]:
            typer.echo(f"    {tool['name']}: {tool['description']}")
        for note in row["notes"]:
            typer.echo(f"    ({note})")
    raise typer.Exit(0 if all(row["ok"] for row in rows) else 1)
