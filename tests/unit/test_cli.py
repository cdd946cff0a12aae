"""The command line's first word."""

from typer.testing import CliRunner

from appliance import __version__
from appliance.cli import app


def test_the_version_is_said_without_a_command() -> None:
    done = CliRunner().invoke(app, ["--version"])
    assert done.exit_code == 0, done.output
    assert done.output.strip() == __version__
