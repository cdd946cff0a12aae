"""Who may use the service: with a token only its bearer, without one only this machine's own programs."""

from __future__ import annotations

from pathlib import Path

import pytest
from litestar.testing import TestClient

from appliance.local_models.node import Node, NodeOptions
from appliance.local_models.service import build_app


def _status(tmp_path: Path, headers: dict[str, str], *, token: str = "", loopback: bool = True) -> int:
    node = Node(NodeOptions(tmp_path, chat="off", embedder="off"))
    with TestClient(build_app(node, token=token, loopback=loopback), base_url="http://127.0.0.1") as client:
        return int(client.get("/status", headers=headers).status_code)


@pytest.mark.parametrize("host", ["127.0.0.1:8322", "localhost", "localhost:8322", "[::1]:8322"])
def test_this_machines_programs_need_no_token(tmp_path: Path, host: str) -> None:
    assert _status(tmp_path, {"host": host}) == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "evil.example:8322"},
        {"host": "127.0.0.1.evil.example"},
        {"host": ""},
        {"host": "127.0.0.1:8322", "origin": "https://evil.example"},
        {"host": "127.0.0.1:8322", "origin": "null"},
    ],
)
def test_a_web_page_is_turned_away(tmp_path: Path, headers: dict[str, str]) -> None:
    assert _status(tmp_path, headers) == 403


def test_a_page_of_this_machine_may(tmp_path: Path) -> None:
    assert _status(tmp_path, {"host": "127.0.0.1:8322", "origin": "http://localhost:8321"}) == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"authorization": "Bearer no"}, 401),
        ({"authorization": "Bearer tökén"}, 401),
        ({"authorization": "Bearer t-1"}, 200),
    ],
)
def test_with_a_token_it_decides_alone(tmp_path: Path, headers: dict[str, str], status: int) -> None:
    given = {name: value.encode("latin-1") for name, value in {**headers, "host": "models:8322"}.items()}
    assert _status(tmp_path, given, token="t-1", loopback=False) == status  # type: ignore[arg-type]
