"""`appliance chat`: talk to the running gateway from a terminal, once or back and forth.

A message keeps its id until it is answered, so when the gateway is restarted in the middle the same message is asked
for again and answered once. Ctrl-C stops the turn; a second one leaves.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import secrets
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, TextIO
from urllib.parse import quote

from appliance.client import GatewayClient, NotRunningError
from appliance.errors import ApplianceError
from appliance.messages import MAIN, SessionKey

_RECONNECT_SECONDS = 60.0
_POLL_SECONDS = 1.0
_LEAVE = ("/quit", "/exit")
# What a model or a tool says must not move the cursor, colour the screen or set the clipboard.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_DIM, _BOLD, _RED, _PLAIN = "\x1b[2m", "\x1b[1m", "\x1b[31m", "\x1b[0m"


class Screen:
    """Where words go: answers to `out`, everything else to `err`; colours and progress only on a terminal."""

    def __init__(self, out: TextIO | None = None, err: TextIO | None = None) -> None:
        self.out = out or sys.stdout
        self.err = err or sys.stderr
        self.live = self.out.isatty() and self.err.isatty()
        self._status = ""
        self._mid_line = False
        self._lock = threading.Lock()

    def say(self, text: str) -> None:
        """A piece of the answer."""
        self.status("")
        shown = _CONTROL.sub("", text)
        self.out.write(shown)
        self.out.flush()
        if shown:
            self._mid_line = not shown.endswith("\n")

    def note(self, text: str, colour: str = _DIM) -> None:
        """A line beside the answer."""
        self.status("")
        shown = _CONTROL.sub("", text)
        start = "\n" if self.live and self._mid_line else ""  # one terminal shows both
        self._mid_line = False
        self.err.write(f"{start}{colour}{shown}{_PLAIN}\n" if self.live else f"{shown}\n")
        self.err.flush()

    def status(self, text: str) -> None:
        """A line that is overwritten; empty takes it away."""
        with self._lock:
            text = _CONTROL.sub("", text)
            if self.live and text != self._status:
                self.err.write(f"\r\x1b[K{_DIM}{text}{_PLAIN}" if text else "\r\x1b[K")
                self.err.flush()
                self._status = text


class Conversation:
    """Given a client, a session's name and whose it is, say things and show the answers."""

    def __init__(self, client: GatewayClient, session: str, screen: Screen, agent: str = MAIN) -> None:
        self._client = client
        self._to = {"session": session, "agent": agent}
        self._key = SessionKey.main(agent) if session == "main" else SessionKey.web(session, agent)
        self._screen = screen
        self._begin()

    def _begin(self) -> None:
        self._said = ""  # of the answer, all that stands on the screen
        self._piece = ""  # of that, what came since the last tool or note
        self._joined = 0  # messages that the turn answers
        self._cut = False  # the stream was cut once: pieces may be missing, so the rest is shown when it is whole

    def say(self, text: str) -> dict[str, Any]:
        """Send a text, show the answer as it comes, return it whole. Raises ApplianceError, KeyboardInterrupt (the
        second)."""
        message = {**self._to, "text": text, "id": secrets.token_hex(12)}
        self._begin()
        stopped = False
        give_up = time.monotonic() + _RECONNECT_SECONDS
        with _Progress(self._client, self._screen) as progress:
            while True:
                try:
                    return self._follow(message, progress)
                except KeyboardInterrupt:
                    if stopped:
                        raise
                    stopped = self._cut = True
                    self._stop()
                except (ConnectionError, NotRunningError) as error:
                    if time.monotonic() > give_up or (isinstance(error, NotRunningError) and not progress.heard):
                        raise
                    self._cut = True
                    self._screen.status("The gateway went away; waiting for it …")
                    time.sleep(1.0)

    def _follow(self, message: dict[str, Any], progress: _Progress) -> dict[str, Any]:
        for event, data in self._client.stream("/api/messages", message):
            progress.heard = True
            if event == "text":
                progress.quiet()
                self._show(data)
            elif event == "tool_start":
                progress.quiet()
                self._note(f"· {data.get('name', 'tool')} {_short(data.get('input'))}")
            elif event == "tool_end" and not data.get("ok", True):
                self._note(f"  failed: {_short(data.get('summary'))}")
            elif event == "notice" and data.get("passing"):
                self._screen.status(str(data.get("text", "")))
            elif event == "notice":
                self._note(str(data.get("text", "")))
            elif event == "done":
                return self._finish(data)
            elif event == "error":
                raise ApplianceError(str(data.get("message", "")), fix=str(data.get("fix") or ""))
        raise ConnectionError("the stream ended before the answer")

    def _show(self, data: dict[str, Any]) -> None:
        """A piece of the answer, unless pieces before it were missed."""
        if self._cut:
            return
        joined = int(data.get("answers", 0))
        if self._said and (data.get("restart") or joined > self._joined > 0):
            # Another model begins anew, or another message joined the turn; what stands there cannot be taken back.
            self._screen.say("\n")
            self._piece = ""
            if data.get("restart"):
                self._said = ""
        self._joined = joined
        self._said += data["delta"]
        self._piece += data["delta"]
        self._screen.say(data["delta"])

    def _note(self, text: str) -> None:
        self._piece = ""
        self._screen.note(text)

    def _finish(self, data: dict[str, Any]) -> dict[str, Any]:
        """Show what never came as a piece (an answer that was stored before, a command's answer)."""
        self._screen.say(unseen(str(data.get("reply", "")), self._said, self._piece) + "\n")
        for file in data.get("files", ()):
            self._screen.note(f"· {file['name']}: {self._client.url}/api/attachments/{quote(file['id'])}")
        return data

    def _stop(self) -> None:
        self._screen.note("Stopping … (Ctrl-C again leaves)")
        with contextlib.suppress(ApplianceError):
            self._client.call("POST", f"/api/sessions/{quote(self._key.value, safe='')}/stop")


class _Progress:
    """While nothing has come yet, show what the local model is doing (built, fetched, loaded)."""

    def __init__(self, client: GatewayClient, screen: Screen) -> None:
        self._client = client
        self._screen = screen
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        self.heard = False

    def __enter__(self) -> _Progress:
        if self._screen.live:
            self._thread = threading.Thread(target=self._watch, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.quiet()

    def quiet(self) -> None:
        if not self._over.is_set():
            self._over.set()
            if self._thread is not None:
                self._thread.join()
            self._screen.status("")

    def _watch(self) -> None:
        while not self._over.wait(_POLL_SECONDS):
            with contextlib.suppress(ApplianceError):
                text = progress_line(self._client.call("GET", "/api/models"))
                if not self._over.is_set():
                    self._screen.status(text or "…")


def progress_line(status: dict[str, Any]) -> str:
    """What the local model is doing, as one line; empty when it is ready or not wanted."""
    phase = status.get("phase", "")
    if phase in ("", "ready", "off"):
        return ""
    percent = status.get("percent")
    line = f"Local model: {phase}"
    if isinstance(percent, (int, float)):
        line += f" {percent:.0f}%"
    detail = str(status.get("detail") or "")
    return f"{line} · {detail}" if detail else line


def unseen(reply: str, said: str, piece: str) -> str:
    """Given a whole reply, everything shown before it and the last piece of that, return what is still to be shown.

    Answers of a turn that other messages joined stand in the reply with an empty line between them, and on the screen
    with whatever happened between them: each is shown once.
    """
    for shown in (said, piece):
        if shown and reply.startswith(shown):
            return reply[len(shown) :]
    bare = "".join(said.split())
    missing = [part for part in reply.split("\n\n") if "".join(part.split()) not in bare]
    start = "\n" if said and missing else ""
    return start + "\n\n".join(missing)


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = " ".join(text.split())
    return text if len(text) <= 100 else f"{text[:99]}…"


def chat(
    client: GatewayClient,
    text: str | None = None,
    *,
    session: str = "main",
    agent: str = MAIN,
    as_json: bool = False,
    screen: Screen | None = None,
    read: Callable[[str], str] | None = None,
) -> int:
    """Say `text` once, or read lines until the end of input. Return the exit code: 0, or 1 when it failed."""
    shown = screen or Screen()
    if text is None and (read is not None or sys.stdin.isatty()):
        return _back_and_forth(Conversation(client, session, shown, agent), shown, read or _reader(), client)
    quiet = Screen(io.StringIO(), shown.err) if as_json else shown
    conversation = Conversation(client, session, quiet, agent)
    return _once(conversation, sys.stdin.read() if text is None else text, shown, as_json=as_json)


def _once(conversation: Conversation, text: str, screen: Screen, *, as_json: bool) -> int:
    try:
        answer = conversation.say(text)
    except KeyboardInterrupt:
        return 1
    except (ApplianceError, ConnectionError) as error:
        screen.note(str(error), _RED)
        return 1
    if as_json:
        screen.say(json.dumps(answer, ensure_ascii=False) + "\n")
    return 1 if answer.get("error") else 0  # the reply says what went wrong, a script sees it by the code


def _reader() -> Callable[[str], str]:
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - line editing for input(), where Python has it
    return input


def _back_and_forth(
    conversation: Conversation, screen: Screen, read: Callable[[str], str], client: GatewayClient
) -> int:
    try:
        line = progress_line(client.call("GET", "/api/models"))
    except NotRunningError as error:
        screen.note(str(error), _RED)
        return 1
    except ApplianceError:
        line = ""  # a gateway without a local model has nothing to report
    if line:
        screen.note(f"{line}. You can write already.")
    screen.note("Write, and press Enter. /help lists commands; Ctrl-C stops an answer; /quit or Ctrl-D leaves.")
    while True:
        try:
            text = read("you> ").strip()
        except EOFError:
            screen.say("\n")
            return 0
        except KeyboardInterrupt:
            screen.say("\n")
            return 0
        if text in _LEAVE:
            return 0
        if not text:
            continue
        try:
            conversation.say(text)
        except KeyboardInterrupt:
            return 1
        except (ApplianceError, ConnectionError) as error:
            screen.note(str(error), _RED)
