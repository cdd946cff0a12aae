"""`appliance policy check` says where it judged the command to run."""

import json

import pytest
from typer.testing import CliRunner

from appliance.cli import app


@pytest.mark.parametrize(("given", "host"), [([], "host"), (["--host", "sandbox"], "sandbox")])
def test_the_verdict_names_the_host_it_is_for(given: list[str], host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APPLIANCE_STATE_DIR", "/nowhere")
    told = CliRunner().invoke(app, ["policy", "check", "git push", *given]).stdout
    assert told.splitlines()[-1].startswith(f"Judged for --host {host}; ")
    as_json = json.loads(CliRunner().invoke(app, ["policy", "check", "git push", "--json", *given]).stdout)
    assert as_json["host"] == host
