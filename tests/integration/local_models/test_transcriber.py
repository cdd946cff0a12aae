"""Voice messages written down by a real Whisper model in the models service."""

from __future__ import annotations

import io
import wave
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from appliance.local_models import hearing
from appliance.testing.local_service import SMALL_TRANSCRIBER, LocalService

from .conftest import running

pytestmark = [pytest.mark.local, pytest.mark.timeout(1800)]
DATA = Path(__file__).parents[2] / "data"
VOICE = DATA / "voice-en.ogg"  # 4 seconds of a voice message as phones send them


@pytest.fixture(scope="module")
def listening() -> Iterator[LocalService]:
    pytest.importorskip("faster_whisper")
    yield from running(chat="off", embedder="off", transcriber=SMALL_TRANSCRIBER)


def heard(service: LocalService, data: bytes, **form: str) -> httpx2.Response:
    return service.client.post("/v1/audio/transcriptions", data=form, files={"file": ("voice.ogg", data)})


def test_what_is_said_is_written_down(listening: LocalService) -> None:
    answer = heard(listening, VOICE.read_bytes()).json()
    assert "tomorrow morning" in answer["text"]
    assert "remind me" in answer["text"]
    assert answer["language"] == "en"
    assert 3 < answer["seconds"] < 6
    assert listening.status()["transcriber"]["model"] == SMALL_TRANSCRIBER
    assert listening.status()["phase"] == "off", "llama.cpp is not built for a voice message"


def test_silence_has_no_words(listening: LocalService) -> None:
    assert heard(listening, silence(2)).json()["text"] == ""


@pytest.mark.parametrize(
    "data", [b"", b"OggS" + b"\0" * 60, b"\x89PNG\r\n\x1a\n" + b"\0" * 100, VOICE.read_bytes()[:200]]
)
def test_what_is_no_sound_is_refused_and_the_service_goes_on(listening: LocalService, data: bytes) -> None:
    answer = heard(listening, data)
    assert answer.status_code == 400
    assert answer.json()["error"]["type"] == "invalid_request_error"
    assert heard(listening, VOICE.read_bytes()).status_code == 200


def test_a_form_without_a_file_is_refused(listening: LocalService) -> None:
    assert listening.client.post("/v1/audio/transcriptions", data={"language": "en"}).status_code == 400


def test_more_than_an_hour_is_refused_before_it_fills_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("faster_whisper")
    monkeypatch.setattr(hearing, "MOST_SECONDS", 1)
    taken = hearing._samples(silence(3), hearing.threading.Event())
    with pytest.raises(hearing.InputError, match="longer than"):
        list(taken)


def silence(seconds: int) -> bytes:
    made = io.BytesIO()
    with wave.open(made, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(16_000)
        sound.writeframes(b"\0\0" * 16_000 * seconds)
    return made.getvalue()
