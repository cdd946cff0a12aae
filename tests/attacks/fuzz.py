"""Fuzz with coverage what reads text that others wrote, for as long as you like.

    uv run --with atheris python -m tests.attacks.fuzz policy --seconds 600

Each target states what must hold for every input; a broken promise ends the run and leaves the input beside it.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import atheris  # type: ignore[import-not-found]

with atheris.instrument_imports(include=["appliance"]):
    from appliance.agent.transcript import Transcript
    from appliance.channels.rendering import telegram_parts
    from appliance.channels.whatsapp.updates import read_call
    from appliance.gateway.webhooks import read_object
    from appliance.memory.capture import capture
    from appliance.sandbox import policy, protocol
    from appliance.testing.fake_telegram.limits import checked_text

FILTERS = {"jq", "grep", "cut", "sort", "uniq", "head", "tail", "tr", "wc"}
RECORD = {"id": "t.0", "seq": 0, "turn": "t", "role": "user", "content": [{"type": "text", "text": "after the noise"}]}
UNREADABLE = (KeyError, TypeError, ValueError, AttributeError, OverflowError)


def fuzz_policy(data: bytes) -> None:
    """What is allowed by itself consists of filters."""
    verdict = policy.check(_text(data))
    if verdict.verdict == "allow":
        assert {segment[0].rpartition("/")[2] for segment in verdict.segments} <= FILTERS, verdict


def fuzz_rendering(data: bytes) -> None:
    """Every part is one that Telegram takes."""
    for part in telegram_parts(_text(data)):
        text, entities = checked_text({"text": part["text"], "entities": part["entities"]})
        assert text == part["text"]
        assert len(entities) == len(part["entities"])


def fuzz_transcript(data: bytes) -> None:
    """A transcript with damage at its end loads, and what is appended afterwards is there the next time."""
    with tempfile.TemporaryDirectory() as folder:
        path, key = Path(folder) / "session.jsonl", "agent:main:main"
        head = json.dumps({"type": "session", "key": key}).encode()
        path.write_bytes(head + b"\n" + data)
        for _ in range(2):
            transcript = Transcript(path, key)
            transcript.load()
            transcript.append(RECORD)
            transcript.close()
        assert path.read_bytes().count(b"after the noise") >= 1


def fuzz_capture(data: bytes) -> None:
    """Each item is a part of what was said."""
    text = _text(data)
    assert all(item.span and item.span in text for item in capture(text))


def fuzz_webhook(data: bytes) -> None:
    """A call is an object that can be read, or is left out."""
    with contextlib.suppress(*UNREADABLE):
        list(read_call(read_object(data), "1055"))


def fuzz_runner(data: bytes) -> None:
    """A request fits the grammar, and reads back as itself, or is refused."""
    with contextlib.suppress(protocol.RefusedError):
        request = protocol.decode(data)
        assert protocol.decode(protocol.encode(request)) == request


TARGETS: dict[str, Callable[[bytes], None]] = {
    "policy": fuzz_policy, "rendering": fuzz_rendering, "transcript": fuzz_transcript, "capture": fuzz_capture,
    "webhook": fuzz_webhook, "runner": fuzz_runner,
}  # fmt: skip


def _text(data: bytes) -> str:
    return data.decode("utf-8", "ignore")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--seconds", type=int, default=60)
    given = parser.parse_args()
    atheris.Setup([sys.argv[0], f"-max_total_time={given.seconds}", "-max_len=2000"], TARGETS[given.target])
    atheris.Fuzz()
