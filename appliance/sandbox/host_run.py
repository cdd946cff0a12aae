"""Run by the gateway as a process of its own: exactly the given words on this machine, and nothing of them left behind.

Reads one line of JSON from standard input: {"segments": [[word, ...], ...], "environment": [{name: value}, ...],
"folder": path, "folder_id": [device, inode]}, and writes {"code"} or {"error"} as JSON to the file descriptor in its
first argument. Each segment is one process, started without a shell and joined by pipes. Its descendants become this
process's own when their parents end, so that none outlives it; when the gateway goes, the kernel asks this process to
end, and they go with it.

Only the standard library: it is started by path, isolated from the appliance's own modules.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_END_SECONDS = 2.0  # for descendants that cannot be killed, such as another user's
_FILE_BYTES = 2 << 30  # most of one file, as in the sandbox


def _prctl(option: int, value: int) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl failed")


def _tell(status: int, **words: Any) -> None:
    with contextlib.suppress(OSError):  # the gateway went away
        os.write(status, json.dumps(words).encode())


def _descendants(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for place in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):  # it ended meanwhile, or is no process
            number = int(place.name)
            state, parent, *_ = (place / "stat").read_text(errors="replace").rpartition(")")[2].split()
            if state != "Z":
                children.setdefault(int(parent), []).append(number)
    found: list[int] = []
    waiting = [pid]
    while waiting:
        here = children.get(waiting.pop(), [])
        found += here
        waiting += here
    return found


def _end_all() -> None:
    """Kill every descendant until there is none; what one forked meanwhile is found in the next round."""
    deadline = time.monotonic() + _END_SECONDS
    while (alive := _descendants(os.getpid())) and time.monotonic() < deadline:
        for pid in alive:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.005)


def _start(plan: dict[str, Any]) -> list[subprocess.Popen[bytes]]:
    processes: list[subprocess.Popen[bytes]] = []
    source: Any = subprocess.DEVNULL
    segments = plan["segments"]
    for number, words in enumerate(segments):
        last = number == len(segments) - 1
        process = subprocess.Popen(
            words,
            stdin=source,
            stdout=None if last else subprocess.PIPE,
            env=plan["environment"][number],
            close_fds=True,
            start_new_session=True,
        )
        if source is not subprocess.DEVNULL:
            source.close()
        source = process.stdout
        processes.append(process)
    return processes


def _stop(number: int, frame: object) -> None:
    # Once is enough: a dying gateway sends it once for each of its threads, and the end must not be cut short.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(143)


def main(status: int) -> int:
    """Run the plan and tell its end on `status`; return 0."""
    signal.signal(signal.SIGTERM, _stop)
    _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE_BYTES, _FILE_BYTES))
    os.set_inheritable(status, False)
    plan = json.loads(sys.stdin.buffer.readline())
    try:
        os.chdir(plan["folder"])
        here = Path().stat()
        if [here.st_dev, here.st_ino] != plan["folder_id"]:
            _tell(status, error="the work folder is no longer the one that was approved")
            return 0
        codes = [process.wait() for process in _start(plan)]
        _tell(status, code=codes[-1] if codes[-1] >= 0 else 128 - codes[-1])
    except OSError as error:
        _tell(status, error=f"{error.filename or 'the command'}: {error.strerror}")
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        _end_all()
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
