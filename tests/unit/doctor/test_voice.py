"""The doctor on voice messages: who writes them down, and what stands in the way."""

from __future__ import annotations

import importlib.util
import socket
from pathlib import Path
from typing import Any

import pytest

from appliance.doctor.examination import Patient
from appliance.doctor.voice import voice
from appliance.settings import Settings


def patient(tmp_path: Path, transcriber: dict[str, str] | None = None, **settings: Any) -> Patient:
    """One that examines itself: `transcriber` is what its models service says."""
    found = Patient(Settings.model_validate({"state_dir": tmp_path, **settings}), online=True, inside=True)
    if transcriber is not None:
        found.notes["status"] = {"local_model": {"transcriber": transcriber}}
    return found


def test_a_house_that_wants_no_voice_is_well(tmp_path: Path) -> None:
    status, detail = voice(patient(tmp_path))[:2]
    assert status == "pass"
    assert "refusal" in detail


@pytest.mark.parametrize(
    ("said", "status", "words"),
    [
        ({"phase": "ready", "model": "whisper-base"}, "pass", "whisper-base writes down"),
        ({"phase": "fetching", "detail": "whisper-base (143 MiB)"}, "pass", "fetching"),
        ({"phase": "failed", "detail": "The speech library is not installed.", "fix": "Install it"}, "warn", "library"),
        ({"phase": "off"}, "warn", "without whisper-base"),
    ],
)
def test_what_the_running_service_says_of_it_is_told(
    tmp_path: Path, said: dict[str, str], status: str, words: str
) -> None:
    outcome = voice(patient(tmp_path, said, local={"transcriber": "whisper-base"}))
    assert outcome[0] == status
    assert words in outcome[1]
    assert len(outcome) == (3 if status == "warn" else 2)


@pytest.mark.parametrize(("installed", "status"), [(True, "pass"), (False, "warn")])
def test_before_the_start_the_library_is_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installed: bool, status: str
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object() if installed else None)
    assert voice(patient(tmp_path, local={"transcriber": "whisper-base"}))[0] == status
    elsewhere = {"transcriber": "whisper-base", "url": "http://models:8322"}
    assert voice(patient(tmp_path, local=elsewhere))[0] == "pass"


def test_a_server_of_ones_own_is_asked_whether_it_is_there(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        assert voice(patient(tmp_path, speech={"url": url}))[0] == "pass"
    outcome = voice(patient(tmp_path, speech={"url": url}))
    assert outcome[0] == "warn"
    assert url in outcome[1]
