"""`appliance pair` and `appliance people`: who is let in, and what each may do."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from appliance.client import GatewayClient
from appliance.command_line.common import Json, settings, show

app = typer.Typer(no_args_is_help=True, help="People: list, change a role, remove.")
Channel = Annotated[str, typer.Argument(help="Where they write: telegram, discord, ...")]
Id = Annotated[str, typer.Argument(help="Their id there, as `appliance people list` shows it.")]


def pair(
    code: Annotated[str | None, typer.Argument(help="A code that the bot showed; without it, an invitation.")] = None,
    role: Annotated[str | None, typer.Option(help="owner, member or guest.")] = None,
    as_json: Json = False,
) -> None:
    """Let a person in: show an invitation code, or approve a request."""
    if code:
        found = _asked("approve", {"code": code, "role": role})
        text = f"{found['name'] or found['id']} is {found['role']} on {found['channel']} now."
    else:
        found = _asked("invite", {"role": role})
        text = f"Send this code to the bot within the hour: {found['code']}"
    show(found) if as_json else typer.echo(text)


@app.command("list")
def list_all(as_json: Json = False) -> None:
    """Who is paired and in which role, and who waits to be let in."""
    _tell(_asked(), as_json)


@app.command("role")
def change_role(
    channel: Channel,
    identity: Id,
    role: Annotated[str, typer.Argument(help="owner, member or guest.")],
    as_json: Json = False,
) -> None:
    """Give somebody another role; it counts from their next message on."""
    _tell(_asked("role", {"channel": channel, "id": identity, "role": role}), as_json)


@app.command()
def remove(channel: Channel, identity: Id, as_json: Json = False) -> None:
    """Make somebody unknown again; what they had scheduled is paused. What they said stays."""
    _tell(_asked("remove", {"channel": channel, "id": identity}), as_json)


def _asked(action: str = "", body: Any = None) -> Any:
    """Who there is, or the answer to an action. Raises NotFoundError, InputError, NotRunningError."""
    client = GatewayClient.find(settings().state)
    return client.call("POST", f"/api/people/{action}", body) if action else client.call("GET", "/api/people")


def _tell(found: dict[str, Any], as_json: bool) -> None:
    if as_json:
        show(found)
        return
    for person in found["people"]:
        typer.echo(f"{person['channel']} {person['id']} {person['name']}: {person['role']}")
    for person in found["waiting"]:
        typer.echo(f"{person['channel']} {person['id']} {person['name']}: waits until {person['expires_at']}")
    if not found["people"] and not found["waiting"]:
        typer.echo("Nobody is paired yet.")
