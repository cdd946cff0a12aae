"""The grammar of the runner: nothing but what it names can be asked."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.sandbox import protocol


def line(**fields: object) -> bytes:
    return json.dumps(fields).encode()


@pytest.mark.parametrize(
    "extra",
    [
        {"image": "evil"},
        {"privileged": True},
        {"mounts": ["/:/host"]},
        {"binds": ["/var/run/docker.sock:/s"]},
        {"network": "host"},
        {"env": {"A": "b"}},
        {"user": "0"},
        {"cap_add": ["ALL"]},
        {"HostConfig": {}},
        {"labels": {}},
        {"runtime": "x"},
        {"entrypoint": ["sh"]},
    ],
)
def test_a_field_outside_the_grammar_is_refused(extra: dict[str, object]) -> None:
    with pytest.raises(protocol.RefusedError, match="unknown field"):
        protocol.decode(line(op="run", work="main", command="id", **extra))


@pytest.mark.parametrize("work", ["../x", "/etc", "a/b", "", "A", "main\n", "x" * 65, ".", "a\0"])
def test_a_work_folder_is_named_by_an_id_never_by_a_path(work: str) -> None:
    with pytest.raises(protocol.RefusedError):
        protocol.decode(line(op="run", work=work, command="id"))


@pytest.mark.parametrize(
    "fields",
    [
        {"op": "exec", "work": "main", "command": "id"},
        {"work": "main", "command": "id"},
        {"op": "run", "work": "main"},
        {"op": "run", "work": "main", "command": "id", "argv": ["id"]},
        {"op": "run", "work": "main", "command": "a\0b"},
        {"op": "run", "work": "main", "argv": ["a", "b\0"]},
        {"op": "run", "work": "main", "command": "id", "timeout": 0},
        {"op": "run", "work": "main", "command": "id", "timeout": 1e9},
        {"op": "run", "work": "main", "command": "id", "timeout": "5"},
        {"op": "run", "work": "main", "command": "id", "profile": "host"},
        {"op": "run", "work": "main", "command": "id", "input": -1},
        {"op": "run", "work": "main", "command": "x" * 100_001},
        {"op": "run", "work": "main", "argv": ["x" * 60_000, "y" * 60_000]},
        {"op": "start", "work": "main", "command": "id", "timeout": 90_000},
        {"op": "poll", "id": "../../etc"},
        {"op": "kill", "id": ""},
        ["op", "run"],
        "run",
    ],
)
def test_what_does_not_fit_the_grammar_is_refused(fields: object) -> None:
    with pytest.raises(protocol.RefusedError):
        protocol.decode(json.dumps(fields).encode())


@given(st.binary(max_size=200))
def test_noise_is_refused_and_never_crashes(noise: bytes) -> None:
    with pytest.raises(protocol.RefusedError):
        protocol.decode(b"\xff" + noise)


def test_a_request_reads_back_as_it_was_written() -> None:
    request = protocol.Run(work="main", command="echo 繁體 🎉", timeout=3.5, input=4)
    assert protocol.decode(protocol.encode(request)) == request
    assert msgspec.json.decode(protocol.encode(request))["op"] == "run"
