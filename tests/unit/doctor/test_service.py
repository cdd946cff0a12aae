"""What the doctor asks of a gateway that runs, and of the way out."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from appliance.doctor import service
from appliance.doctor.examination import Patient
from appliance.settings import Settings
from tests.answering import answering

BOTH = {"telegram": {"bot_token": "1:a"}, "discord": {"bot_token": "d"}}


def patient(tmp_path: Path, status: dict[str, Any] | None = None, **settings: Any) -> Patient:
    """The gateway that examines itself; `status` is what it says of itself."""
    tree = Settings.model_validate({"state_dir": tmp_path, **settings})
    return Patient(tree, inside=True, notes={} if status is None else {"status": status})


def part(name: str, state: str, detail: str = "") -> dict[str, Any]:
    return {"name": name, "state": state, "detail": detail}


@pytest.mark.parametrize(("state", "status"), [("ready", "pass"), ("degraded", "warn"), ("failed", "fail")])
def test_a_channel_that_does_not_work_is_told_in_its_own_words(tmp_path: Path, state: str, status: str) -> None:
    said = {"parts": [part("discord", "ready"), part("telegram", state, "Another program polls this bot.")]}
    outcome = service.channels(patient(tmp_path, said, **BOTH))
    assert outcome is not None
    assert outcome[0] == status
    assert ("Another program" in outcome[1]) is (status != "pass")


def test_a_mailbox_that_does_not_work_is_told_with_its_page(tmp_path: Path) -> None:
    mail = {
        "address": "a@b.example", "password": "p", "imap_host": "i.b.example", "smtp_host": "s.b.example",
        "trusted_server": "mx.b.example",
    }  # fmt: skip
    outcome = service.channels(patient(tmp_path, {"parts": [part("email", "failed", "It was refused.")]}, email=mail))
    assert outcome == ("fail", "email: It was refused.", "See docs/how-to/email.md.")
    assert (Path(__file__).parents[3] / "docs/how-to/email.md").is_file()


@pytest.mark.parametrize(
    ("webhook", "groups", "reads_all", "said"),
    [
        ("", [], True, None),
        ("https://old.example/hook", [], True, "has a webhook"),
        ("", [-100], False, "Privacy mode"),
        ("", [-100], True, None),
    ],
)
def test_what_telegram_itself_says_of_the_bot_is_asked_online(
    tmp_path: Path, webhook: str, groups: list[int], reads_all: bool, said: str | None
) -> None:
    answers = {
        "getMe": {"ok": True, "result": {"can_read_all_group_messages": reads_all}},
        "getWebhookInfo": {"ok": True, "result": {"url": webhook}},
    }
    with answering(answers) as address:
        who = patient(tmp_path, {"parts": []}, telegram={"bot_token": "1:a", "api_base": address, "groups": groups})
        who.online = True
        outcome = service.channels(who)
    assert outcome is not None
    assert (outcome[0] == "pass") is (said is None)
    assert said is None or said in outcome[1]


@pytest.mark.parametrize("status", [401, 404])
def test_a_token_that_telegram_refuses_is_a_failure_that_does_not_show_it(tmp_path: Path, status: int) -> None:
    with answering({}, status) as address:
        who = patient(tmp_path, {"parts": []}, telegram={"bot_token": "1:secret", "api_base": address})
        who.online = True
        outcome = service.channels(who)
    assert outcome == ("fail", "Telegram refuses the bot's token.", "Ask BotFather for /token and set it.")


def test_a_telegram_that_cannot_be_reached_is_a_warning_that_does_not_show_the_token(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    base = f"http://127.0.0.1:{port}"
    who = patient(tmp_path, {"parts": []}, telegram={"bot_token": "1:secret", "api_base": base})
    who.online = True
    outcome = service.channels(who)
    assert outcome is not None
    assert outcome[0] == "warn"
    assert "secret" not in "".join(outcome)


def test_channels_without_a_token_are_no_finding(tmp_path: Path) -> None:
    assert service.channels(patient(tmp_path, {"parts": []})) is None


def test_parts_without_a_check_of_their_own_are_told(tmp_path: Path) -> None:
    said = {"parts": [part("gateway", "ready"), part("memory", "failed", "The index is gone."), part("web", "off")]}
    outcome = service.parts(patient(tmp_path, said))
    assert outcome is not None
    assert outcome[0] == "fail"
    assert "memory: The index is gone." in outcome[1]
    assert service.parts(patient(tmp_path)) is None


def test_an_owner_whom_no_channel_reaches_is_a_warning_with_the_way_to_pair(tmp_path: Path) -> None:
    outcome = service.contact(patient(tmp_path, {"parts": [], "owner_on": ["webchat"]}, **BOTH))
    assert outcome is not None
    assert outcome[0] == "warn"
    assert "appliance pair" in outcome[-1]
    reached = service.contact(patient(tmp_path, {"parts": [], "owner_on": ["telegram"]}, **BOTH))
    assert reached is not None
    assert reached[0] == "pass"
    alone = service.contact(patient(tmp_path, {"parts": [], "owner_on": []}))
    assert alone is not None
    assert alone[0] == "pass"


def test_a_prometheus_that_stopped_reading_is_a_warning(tmp_path: Path) -> None:
    def found(at: float | None) -> tuple[str, ...] | None:
        return service.scrape(patient(tmp_path, {"parts": [], "scraped_at": at}))

    for at, status in ((time.time() - 10, "pass"), (time.time() - 4000, "warn"), (None, "pass")):
        outcome = found(at)
        assert outcome is not None
        assert outcome[0] == status
    (tmp_path / "secrets" / "prometheus").mkdir(parents=True)  # the compose file brings a Prometheus along
    ours = found(None)
    assert ours is not None
    assert ours[0] == "warn"


@contextmanager
def proxy(status: str) -> Iterator[tuple[int, list[bytes]]]:
    """A proxy that answers every request with one status, and a book of what it was asked."""
    book: list[bytes] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                wire, _ = listener.accept()
            except OSError:
                return
            with wire:
                book.append(wire.recv(500))
                wire.sendall(f"HTTP/1.1 {status}\r\n\r\n".encode())

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1], book
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(5)


def test_a_proxy_that_refuses_what_the_settings_need_is_a_failure_that_names_it(tmp_path: Path) -> None:
    who = patient(tmp_path, anthropic={"api_key": "sk-ant-x"}, telegram={"bot_token": "1:a"})
    with proxy("403 Forbidden") as (port, book):
        outcome = service.egress(who, {"HTTPS_PROXY": f"http://127.0.0.1:{port}"})
    assert outcome is not None
    assert outcome[0] == "fail"
    assert "api.anthropic.com, api.telegram.org" in outcome[1]
    assert "discord.com" not in outcome[1], "nobody asked for it"
    assert book[0].startswith(b"CONNECT api.anthropic.com:443 ")
    assert b"sk-ant" not in b"".join(book)
    for answer in ("200 Established", "503 Service Unavailable"):  # 503: let through, and not found out there
        with proxy(answer) as (port, _):
            passed = service.egress(who, {"HTTPS_PROXY": f"http://127.0.0.1:{port}"})
        assert passed is not None
        assert passed[0] == "pass"


def test_a_proxy_that_is_away_is_a_failure_and_none_is_no_finding(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    who = patient(tmp_path, anthropic={"api_key": "sk-ant-x"})
    outcome = service.egress(who, {"HTTPS_PROXY": f"http://127.0.0.1:{port}"})
    assert outcome is not None
    assert outcome[0] == "fail"
    assert service.egress(who, {}) is None
