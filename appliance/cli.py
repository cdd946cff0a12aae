"""The command line. Each command asks the running gateway over HTTP, or works on STATE itself when none runs.

Exit 0: fine. 1: a problem, named on standard error. 2: wrong usage.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from appliance import __version__
from appliance.client import GatewayClient
from appliance.command_line import mcp as cli_mcp
from appliance.command_line import memory as cli_memory
from appliance.command_line import money as cli_money
from appliance.command_line import people as cli_people
from appliance.command_line import policy as cli_policy
from appliance.command_line import sessions as cli_sessions
from appliance.command_line import skills as cli_skills
from appliance.command_line.common import Agent, Config, Json, ask, choose_config, chosen_config, settings, show
from appliance.command_line.cron import cron_app
from appliance.errors import ApplianceError, InputError
from appliance.messages import MAIN
from appliance.settings.load import load_settings

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=__doc__)
models_app = typer.Typer(no_args_is_help=True, help="Local models: list, pull, verify, serve.")
config_app = typer.Typer(no_args_is_help=True, help="Settings: check, show, example.")
audit_app = typer.Typer(no_args_is_help=True, help="The audit log.")
for _name, _part in {
    "spend": cli_money.spend_app, "budget": cli_money.budget_app, "sessions": cli_sessions.app, "models": models_app,
    "policy": cli_policy.app, "config": config_app, "audit": audit_app, "memory": cli_memory.app, "cron": cron_app,
    "skills": cli_skills.app, "mcp": cli_mcp.app, "people": cli_people.app,
}.items():  # fmt: skip
    app.add_typer(_part, name=_name)
app.command()(cli_people.pair)
app.command()(cli_policy.approvals)
app.command()(cli_sessions.agents)


def _say_version(asked: bool) -> None:
    if asked:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _common(
    config: Config = None,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_say_version)
    ] = False,
) -> None:
    choose_config(config)


def main() -> None:
    """Run the command line; errors of the house become one clear message and exit code 1."""
    try:
        app(standalone_mode=True)
    except ApplianceError as error:
        typer.echo(f"appliance: {error.what}", err=True)
        if error.fix:
            typer.echo(error.fix, err=True)
        sys.exit(1)
    except BrokenPipeError:
        sys.exit(0)


# up, chat, login ---------------------------------------------------------------------------------------------------


@app.command()
def up(
    port: Annotated[int | None, typer.Option(help="Port instead of server.port.")] = None,
    host: Annotated[str | None, typer.Option(help="Address instead of server.host.")] = None,
    config: Config = None,
) -> None:
    """Start the gateway and serve until it is told to stop."""
    server = {key: value for key, value in (("port", port), ("host", host)) if value is not None}
    loaded = load_settings(config or chosen_config(), overrides={"server": server} if server else None)
    from appliance.serving import serve

    serve(loaded)


@app.command()
def chat(
    text: Annotated[str | None, typer.Argument(help="Say this and exit; without it, a conversation.")] = None,
    session: Annotated[str, typer.Option(help="Which conversation.")] = "main",
    agent: Agent = MAIN,
    as_json: Json = False,
) -> None:
    """Talk to the running gateway."""
    from appliance.command_line import terminal

    client = GatewayClient.find(settings().state)
    raise typer.Exit(terminal.chat(client, text, session=session, agent=agent, as_json=as_json))


@app.command()
def login(as_json: Json = False) -> None:
    """Make a new one-time code for the page."""
    client = GatewayClient.find(settings().state)
    made = client.call("POST", "/api/login-code", {})
    if as_json:
        show(made)
    else:
        typer.echo(f"Open {client.url}/login and enter {made['code']} (valid 10 minutes, works once).")


@app.command()
def status(as_json: Json = False) -> None:
    """How everything is."""
    found = ask("/api/status", lambda parts: {**parts.overview.status(), "running_gateway": False})
    if as_json:
        show(found)
        return
    if not found.get("running_gateway", True):
        typer.echo(f"No gateway runs on {settings().state}. Start one with: appliance up")
    for row in found["models"]:
        typer.echo(f"{row['model']}: {row['state']} {row['reason']}".rstrip())
    for part in found["parts"]:
        typer.echo(f"{part['name']}: {part['state']} {part['detail']}".rstrip())


# money and context -------------------------------------------------------------------------------------------------


@app.command()
def context(
    session: Annotated[str, typer.Option(help="Which conversation: a name, or a full key.")] = "main",
    as_json: Json = False,
) -> None:
    """What the next request would hold, part by part."""
    from urllib.parse import quote

    path = f"/api/context?session={quote(session, safe='')}"
    found = ask(path, lambda parts: parts.overview.context_by_name(session))
    if as_json:
        show(found)
        return
    typer.echo(" tokens    chars")
    for row in (*found["sections"], *({**tool, "name": f"tool {tool['name']}"} for tool in found["tools"])):
        notes = ("  (cut)" if row["cut"] else "") + ("" if row["cached"] else "  (not cached)")
        typer.echo(f"{row['tokens']:>7,}  {row['chars']:>7,}  {row['name']}{notes}")
    typer.echo(f"{found['history_tokens']:>7,}  {'':>7}  conversation")
    typer.echo(f"{found['total_tokens']:>7,}  {'':>7}  in all, of a window of {found['window']:,} ({found['model']})")


# sessions, audit, doctor, config -----------------------------------------------------------------------------------


@audit_app.command("verify")
def audit_verify(
    file: Annotated[Path | None, typer.Option(help="An export, instead of this machine's log.")] = None,
    as_json: Json = False,
) -> None:
    """Check that no row of the audit log was changed, moved or removed."""
    report = _audit_report(file)
    if as_json:
        show(report)
    else:
        typer.echo(f"{report['rows']} rows, {'unchanged' if report['ok'] else 'DAMAGED'}, head {report['head']}")
        for problem in report["problems"]:
            typer.echo(f"  row {problem['seq']}: {problem['what']}")
    raise typer.Exit(0 if report["ok"] else 1)


def _audit_report(file: Path | None) -> dict[str, Any]:
    from appliance.app import audit_report
    from appliance.observability.audit import check, exported

    if file is None:
        return audit_report(settings())
    try:
        return check(exported(file.read_text(encoding="utf-8").splitlines()))
    except (OSError, ValueError) as error:
        raise InputError(f"{file} cannot be read: {error}.", fix="Make it with: appliance audit export") from error


@audit_app.command("export")
def audit_export() -> None:
    """Print the audit log, a row a line as JSON, with secrets masked as they were when it was written."""
    from appliance.app import audit_lines

    for line in audit_lines(settings()):
        typer.echo(line)


def _findings_of_the_gateway() -> list[dict[str, Any]] | None:
    """What the running gateway finds: it has its own environment, which may hold keys that this terminal lacks."""
    try:
        return list(GatewayClient.find(settings().state, timeout=120.0).call("GET", "/api/doctor")["findings"])
    except ApplianceError:  # none runs, or the settings are not even valid: look from here
        return None


@app.command()
def doctor(
    online: Annotated[bool, typer.Option(help="Also ask other machines (the provider).")] = False,
    fix: Annotated[bool, typer.Option("--fix", help="Mend what can be mended without harm.")] = False,
    as_json: Json = False,
) -> None:
    """Check this machine and say how to mend what is wrong."""
    from appliance import doctor as checks

    inside = None if online or fix else _findings_of_the_gateway()
    findings, code = checks.told(inside) if inside else checks.run(chosen_config(), online=online, mend=fix)
    if as_json:
        show([finding.as_json() for finding in findings])
    else:
        marks = {"pass": "✓", "warn": "!", "fail": "✗"}
        for finding in findings:
            typer.echo(f"{marks[finding.status]} {finding.check}: {finding.detail}")
            if finding.status != "pass" and finding.fix:
                typer.echo(f"    {finding.fix}")
    raise typer.Exit(code)


Passphrase = Annotated[Path | None, typer.Option("--passphrase-file", help="File with the passphrase.")]


@app.command()
def backup(
    target: Annotated[Path | None, typer.Argument(help="Where to; default STATE/backups.")] = None,
    passphrase: Passphrase = None,
    secrets: Annotated[bool, typer.Option("--with-secrets", help="The tokens too (only encrypted).")] = False,
    as_json: Json = False,
) -> None:
    """Save everything that cannot be made again, also while the gateway runs."""
    from appliance.backup import backup as make

    made = make(settings().state, target, passphrase=_passphrase(passphrase), secrets=secrets)
    if as_json:
        show(made.as_json())
    else:
        typer.echo(f"{made.path}  {made.size:,} bytes, {made.files} files, verified")


@app.command()
def restore(archive: Path, passphrase: Passphrase = None) -> None:
    """Fill an empty STATE from a backup."""
    from appliance.backup import restore as fill
    from appliance.composition.rooms import core_rooms

    manifest = fill(archive, settings().state, core_rooms(), passphrase=_passphrase(passphrase))
    typer.echo(
        f"Restored the backup of {manifest['made_at']} ({len(manifest['sha256'])} files). Start it: appliance up"
    )


def _passphrase(path: Path | None) -> str:
    if path is None:
        return settings().backup.passphrase.get_secret_value()
    try:
        return path.read_text(encoding="utf-8").rstrip("\n")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None


@config_app.command("check")
def config_check() -> None:
    """Read the settings and name every problem."""
    settings()
    typer.echo("The settings are valid.")


@config_app.command("show")
def config_show() -> None:
    """The settings in force, secrets masked."""
    show(settings().model_dump(mode="json"))


@config_app.command("example")
def config_example() -> None:
    """A settings file with every setting, its meaning and its default."""
    from appliance.settings.example import example

    typer.echo(example())


# models ------------------------------------------------------------------------------------------------------------


@models_app.command("list")
def models_list(as_json: Json = False) -> None:
    """The catalogue: size, licence, what is here, what fits this machine."""
    from appliance.local_models import commands

    rows = commands.list_models(settings().state / "models")
    if as_json:
        show(rows)
        return
    for row in rows:
        marks = " ".join(mark for mark in ("here", "recommended", "sees") if row[mark])
        typer.echo(f"{row['name']:<32} {row['kind']:<9} {row['size'] / 1e6:>8,.0f} MB  {row['licence']:<12} {marks}")


@models_app.command("pull")
def models_pull(
    name: str, yes: Annotated[bool, typer.Option("--yes", help="Do not ask before large downloads.")] = False
) -> None:
    """Fetch a model of the catalogue."""
    from appliance.local_models import commands

    def confirm(entry: Any) -> bool:
        return yes or typer.confirm(f"{entry.name} is {entry.whole_size / 1e9:.1f} GB ({entry.licence}). Fetch it?")

    done = commands.pull(settings().state / "models", name, confirm=confirm, progress=_progress)
    typer.echo(f"{done['path']}  sha256 {done['sha256']} ({done['trust']})")


@models_app.command("verify")
def models_verify(as_json: Json = False) -> None:
    """Hash every model file again."""
    from appliance.local_models import commands

    rows = commands.verify(settings().state / "models", _progress)
    if as_json:
        show(rows)
    for row in rows if not as_json else ():
        typer.echo(f"{row['name']}: {row['status']} {row['detail']}")
    raise typer.Exit(0 if all(row["status"] == "good" for row in rows) else 1)


@models_app.command("serve")
def models_serve(host: str = "127.0.0.1", port: int = 8322) -> None:
    """Run the models service by itself (compose does)."""
    from appliance.local_models import commands

    loaded = settings()
    commands.serve(loaded.local, loaded.state / "models", host=host, port=port)


def _progress(phase: str, percent: float | None, detail: str) -> None:
    typer.echo(f"{phase} {percent:5.1f}%  {detail}" if percent is not None else f"{phase} {detail}", err=True)


@app.command("sandbox-runner")
def sandbox_runner() -> None:
    """Run the sandbox runner by itself, in the foreground: the one process that holds the Docker socket."""
    from appliance.sandbox.standing import stand

    raise typer.Exit(stand(settings()))


@app.command("web-proxy")
def web_proxy(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.")] = 3129,
) -> None:
    """Run the way out to the web by itself: a proxy that judges every address where the connection is made."""
    from appliance.network import proxy
    from appliance.network.wall import Wall

    def refused(target: str, why: str) -> None:
        typer.echo(f"refused {target}: {why}", err=True)

    asyncio.run(proxy.stand(Wall(settings().web.allowed_hosts), host, port, refused))
