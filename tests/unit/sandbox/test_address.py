"""Where the engine is: a socket here, or another machine behind TLS or ssh, and nothing in between."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from appliance.errors import SandboxError
from appliance.sandbox.address import SOCKET, Local, Ssh, Tls, locate


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("unix:///run/user/1000/docker.sock", Local("/run/user/1000/docker.sock")),
        ("/srv/docker.sock", Local("/srv/docker.sock")),
        ("ssh://sam@box", Ssh("sam@box", 0, SOCKET)),
        ("ssh://box:2222", Ssh("box", 2222, SOCKET)),
        ("ssh://sam@box/run/user/1000/docker.sock", Ssh("sam@box", 0, "/run/user/1000/docker.sock")),
        ("tcp://192.0.2.7:2376", Tls("192.0.2.7", 2376, "/certificates")),
        ("tcp://box", Tls("box", 2376, "/certificates")),
        ("https://box:8443", Tls("box", 8443, "/certificates")),
    ],
)
def test_dockers_own_words_are_understood(host: str, expected: object) -> None:
    assert locate(host, "/certificates", {}) == expected
    assert locate("", "/certificates", {"DOCKER_HOST": host}) == expected
    assert locate(host, "/certificates", {"DOCKER_HOST": "unix:///elsewhere"}) == expected


def test_certificates_come_from_the_setting_the_environment_or_dockers_own_folder(tmp_path: Path) -> None:
    names = {"DOCKER_CERT_PATH": "/theirs", "HOME": str(tmp_path)}
    assert locate("tcp://box", "", names) == Tls("box", 2376, "/theirs")
    (tmp_path / ".docker").mkdir()
    (tmp_path / ".docker/key.pem").write_text("key")
    assert locate("tcp://box", "", {"HOME": str(tmp_path)}) == Tls("box", 2376, str(tmp_path / ".docker"))


@pytest.mark.parametrize("host", ["tcp://192.0.2.7:2375", "tcp://box:2375", "https://box"])
def test_a_port_without_tls_is_refused(host: str, tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="without TLS"):
        locate(host, "", {"HOME": str(tmp_path)})


@pytest.mark.parametrize(
    "host",
    ["ssh://-oProxyCommand=id", "ssh://sam:secret@box", "ssh://a b", "ssh://", "ssh://box:x", "ssh://-l@box",
     "ssh://box/a b", "ssh://box/x;id", "npipe:////./pipe/docker", "box", "tcp://", "tcp://box:99999", "fd://"],
)  # fmt: skip
def test_what_is_no_address_is_refused(host: str) -> None:
    with pytest.raises(SandboxError):
        locate(host, "/certificates", {})


def test_a_rootless_engine_is_found_by_its_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("appliance.sandbox.address.SOCKET", str(tmp_path / "none.sock"))
    names = {"XDG_RUNTIME_DIR": str(tmp_path / "run"), "HOME": str(tmp_path / "home")}
    assert locate("", "", names) == Local(str(tmp_path / "none.sock"))
    for place in ("home/.docker/run", "run"):
        (tmp_path / place).mkdir(parents=True)
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(tmp_path / place / "docker.sock"))
        assert locate("", "", names) == Local(str(tmp_path / place / "docker.sock"))
    (tmp_path / "run/docker.sock").unlink()
    (tmp_path / "run/docker.sock").write_text("no socket")
    assert locate("", "", names) == Local(str(tmp_path / "home/.docker/run/docker.sock"))
