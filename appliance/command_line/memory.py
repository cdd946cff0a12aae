"""`appliance memory ...`: search, what rules capture, forgetting and its undo."""

from __future__ import annotations

import asyncio
import sys
from typing import Annotated, Any
from urllib.parse import quote

import typer

from appliance.command_line.common import Agent, Json, ask, change, show
from appliance.messages import MAIN

_QUERY_CHARS = 2_000  # an address holds no more of Chinese

app = typer.Typer(no_args_is_help=True, help="What is remembered.")


@app.command()
def search(
    query: str,
    limit: Annotated[int, typer.Option(help="Most results.")] = 6,
    agent: Agent = MAIN,
    as_json: Json = False,
) -> None:
    """Find what was said and written."""
    words = query.encode(errors="replace").decode()[:_QUERY_CHARS]  # a terminal may hand over bytes that are no text
    path = f"{_path('search', agent)}&q={quote(words, safe='')}&limit={limit}"
    hits = ask(path, lambda parts: {"results": asyncio.run(_search(parts, words, limit, agent))})["results"]
    if as_json:
        show(hits)
        return
    if not hits:
        typer.echo("Nothing found.")
    for hit in hits:
        typer.echo(f"{hit['path']}:{hit['start_line']}-{hit['end_line']}  {hit['score']:.2f}\n{hit['snippet']}\n")


async def _search(parts: Any, query: str, limit: int, agent: str) -> list[dict[str, Any]]:
    await parts.memory.index.sync()
    return list(await parts.owners_memory(agent).search(query, limit))


def _path(deed: str, agent: str) -> str:
    return f"/api/memory/{deed}?agent={quote(agent, safe='')}"


@app.command()
def capture(
    text: Annotated[str | None, typer.Argument(help="One message; without it, --jsonl.")] = None,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Read {id, text} a line.")] = False,
) -> None:
    """What the rules would keep of a message; nothing is stored."""
    from appliance.memory import capture as rules

    if jsonl:
        for line in rules.jsonl(sys.stdin):
            typer.echo(line)
        return
    if text is None:
        raise typer.BadParameter("Give a message, or --jsonl.")
    show([{"span": item.span, "tag": item.tag} for item in rules.capture(text)])


@app.command()
def forget(
    what: str,
    erase: Annotated[bool, typer.Option(help="Overwrite the text everywhere (a pasted secret).")] = False,
    agent: Agent = MAIN,
) -> None:
    """Mark what matches as forgotten, or erase a text."""
    body = {"what": what, "erase": erase}
    show(change(_path("forget", agent), body, lambda parts: parts.owners_memory(agent).forget(what, erase)))


@app.command()
def undo(agent: Agent = MAIN) -> None:
    """Take back the newest forgetting."""
    show(change(_path("undo", agent), {}, lambda parts: parts.owners_memory(agent).undo()))


@app.command()
def reindex() -> None:
    """Read every file anew and compare."""
    show(change("/api/memory/reindex", {}, lambda parts: parts.owners_memory(MAIN).reindex()))


@app.command()
def tidy(agent: Agent = MAIN) -> None:
    """Merge what was said twice, digest older notes, take repeated lines out of files over 5 KB (a copy is kept)."""
    show(change(_path("tidy", agent), {}, lambda parts: parts.owners_memory(agent).tidy()))


@app.command()
def history(
    what: Annotated[str, typer.Argument(help="Words or an id.")] = "", agent: Agent = MAIN, as_json: Json = False
) -> None:
    """Everything captured and forgotten, oldest first."""
    path = f"{_path('history', agent)}&what={quote(what, safe='')}"
    entries = ask(path, lambda parts: {"entries": parts.owners_memory(agent).history(what)})["entries"]
    if as_json:
        show(entries)
        return
    for entry in entries:
        typer.echo(f"{entry['at']}  {entry.get('tag') or entry['kind']:<6} {entry['id']}  {entry['text']}")
