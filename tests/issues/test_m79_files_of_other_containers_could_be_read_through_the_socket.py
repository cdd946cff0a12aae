"""M79: a filtering proxy before the Docker socket let every container's files be read (GET export, GET archive).

Here nothing passes requests on: the runner's grammar has no such operation, no field for a container, and every answer
to anything else is a refusal. Only the runner talks to the engine. It reads and writes files of a container in one
place: on an engine that does not share our disk, the work folder of one that it has just made itself.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from appliance.sandbox import protocol

SANDBOX = Path(protocol.__file__).parent


@pytest.mark.parametrize(
    "line",
    [
        "GET /containers/other/export HTTP/1.1",
        "GET /containers/other/archive?path=/etc HTTP/1.1",
        "GET /v1.47/containers/other/export HTTP/1.1",
        "PUT /containers/other/archive?path=/ HTTP/1.1",
        json.dumps({"op": "export", "container": "other"}),
        json.dumps({"op": "archive", "container": "other", "path": "/etc/shadow"}),
        json.dumps({"op": "poll", "id": "a", "container": "other"}),
        json.dumps({"op": "poll", "id": "../../containers/other/export"}),
        json.dumps({"op": "run", "work": "main", "command": "id", "container": "other"}),
        json.dumps({"op": "run", "work": "../other", "command": "id"}),
        json.dumps({"op": "run", "work": "main", "command": "id", "mounts": ["/:/host"]}),
        json.dumps(["export", "other"]),
    ],
)
def test_what_is_no_request_of_ours_is_refused(line: str) -> None:
    with pytest.raises(protocol.RefusedError):
        protocol.decode(line.encode())


def test_no_request_names_a_container_or_a_path_of_one() -> None:
    kinds = protocol.Request.__args__
    fields = {name for kind in kinds for name in kind.__struct_fields__}
    assert {kind.__struct_config__.tag for kind in kinds} == {
        "run", "start", "poll", "write", "kill", "list", "ended", "warm", "health", "release"
    }  # fmt: skip
    assert not fields & {"container", "image", "path", "mounts", "binds", "network", "environment", "host"}


def test_the_runner_itself_never_asks_the_engine_for_a_containers_files_but_its_own_work_folder() -> None:
    for source in SANDBOX.glob("*.py"):
        text = source.read_text(encoding="utf-8")
        if source.name == "engine.py":
            for own in ("get_archive(name, WORKSPACE)", "put_archive(name, WORKSPACE, file)"):
                assert text.count(own) == 1
                text = text.replace(own, "")
        for call in ("get_archive", "put_archive", ".export(", "/export", "/archive"):
            assert call not in text, f"{source.name} has {call}"
