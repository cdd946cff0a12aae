"""`appliance skills ...`: what there is, and the owner's word on it."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

import typer

from appliance.command_line.common import Json, ask, change, show

app = typer.Typer(no_args_is_help=True, help="Skills: list, show, trust (or approve), revoke.")
Name = Annotated[str, typer.Argument(help="A name, or place/name.")]


@app.command("list")
def listed(as_json: Json = False) -> None:
    """Every skill, how it stands, and what could not be read."""
    found = ask("/api/skills", lambda parts: parts.skills.listed())
    if as_json:
        show(found)
        return
    for skill in found["skills"]:
        why = f" ({skill['why']})" if skill["why"] else ""
        typer.echo(f"{skill['state']:<8} {skill['hash']}  {skill['id']}: {skill['description']}{why}")
    for problem in found["problems"]:
        typer.echo(f"unreadable  {problem['where']}: {problem['why']}")


@app.command("show")
def shown(
    name: Name,
    file: Annotated[str, typer.Option(help="Another file of the skill, whole.")] = "",
    as_json: Json = False,
) -> None:
    """The text of a skill before your yes; of a changed one the lines that changed."""
    path = f"/api/skills/show?name={quote(name, safe='')}&file={quote(file, safe='')}"
    found = ask(path, lambda parts: parts.skills.shown(name, file))
    if as_json:
        show(found)
        return
    typer.echo(f"{found['id']}  {found['hash']}  {found['state']} {found['why']}".rstrip())
    typer.echo(found["text"])


@app.command("approve")
@app.command("trust")
def approve(
    name: Name, digest: Annotated[str, typer.Argument(help="The hash that `show` named.", metavar="HASH")]
) -> None:
    """Let the agent use a skill exactly as it is."""
    body = {"name": name, "hash": digest}
    found = change("/api/skills/approve", body, lambda parts: parts.skills.approve(name, digest))
    typer.echo(f"{found['id']} is {found['state']}. {found['why']}".rstrip())


@app.command()
def revoke(name: Name) -> None:
    """Take a skill out of use, also one of ours."""
    found = change("/api/skills/revoke", {"name": name}, lambda parts: parts.skills.revoke(name))
    typer.echo(f"{found['id']} is {found['state']}.")
