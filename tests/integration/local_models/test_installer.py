"""Programs that are started for a build or a fetch, with real processes."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from appliance.local_models import installer
from appliance.local_models.errors import FetchError, StoppedError
from appliance.local_models.progress import Stop


def test_output_lines_are_handed_on_and_a_failure_says_the_last_of_them() -> None:
    lines: list[str] = []
    code = "print('one'); print('two: connection refused'); raise SystemExit(3)"
    with pytest.raises(FetchError, match="two: connection refused") as caught:
        installer.run([sys.executable, "-c", code], stop=Stop(), seconds=30, what="Trying", line=lines.append)
    assert lines == ["one", "two: connection refused"]
    assert caught.value.retry


def test_a_failure_without_the_network_in_it_is_final() -> None:
    with pytest.raises(FetchError) as caught:
        installer.run(
            [sys.executable, "-c", "raise SystemExit('no such package')"], stop=Stop(), seconds=30, what="Trying"
        )
    assert not caught.value.retry


@pytest.mark.parametrize("way", ["stop", "time"])
def test_a_program_that_is_ended_takes_its_children_along(way: str, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    code = (
        "import subprocess, sys, time; child = subprocess.Popen(['sleep', '60']);"
        f"open({str(note)!r}, 'w').write(str(child.pid)); print('ready', flush=True); time.sleep(60)"
    )
    stop = Stop()
    seconds = 30.0 if way == "stop" else 1.5
    expected = StoppedError if way == "stop" else FetchError
    with pytest.raises(expected):
        installer.run(
            [sys.executable, "-c", code], stop=stop, seconds=seconds, what="Trying",
            line=lambda _: stop.set() if way == "stop" else None,
        )  # fmt: skip
    pid = int(note.read_text())
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline and _alive(pid):
        time.sleep(0.01)
    assert not _alive(pid)


def test_a_program_that_goes_on_saying_how_far_it_is_may_take_as_long_as_it_needs() -> None:
    lines: list[str] = []
    code = "import time\nfor step in range(8): print(step, flush=True); time.sleep(0.5)"
    installer.run([sys.executable, "-c", code], stop=Stop(), seconds=3.0, what="Trying", line=lines.append)
    assert lines == [str(step) for step in range(8)]


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
