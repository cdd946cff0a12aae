"""One file over HTTP: resumed where it was cut, with room checked first and the checksum after."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from appliance.local_models.errors import FetchError
from appliance.local_models.progress import Percent, Progress, Stop, ignore
from appliance.local_models.store import file_hash

if TYPE_CHECKING:
    import httpx2

SPARE_BYTES = 200 * 1024 * 1024  # left free on the disk beside the file
ATTEMPTS = 5  # in a row without a single new byte
TIMEOUT_SECONDS = 30.0  # without a byte


def free_bytes(folder: Path) -> int:
    """Bytes that are free on the disk of `folder`."""
    return shutil.disk_usage(folder).free


class Download:
    """Fetch `url` into `target`, by way of a part file in `incoming` that outlives a cut and a kill.

    `size` (bytes) and `sha256` are checked when given. `free` and `pause` are for tests.
    """

    def __init__(
        self,
        url: str,
        target: Path,
        incoming: Path,
        *,
        size: int = 0,
        sha256: str = "",
        progress: Progress = ignore,
        stop: Stop | None = None,
        free: Callable[[Path], int] = free_bytes,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._url = url
        self._target = target
        self._part = incoming / f"{target.name}.part"
        self._tag = incoming / f"{target.name}.etag"
        self._size = size
        self._sha256 = sha256
        self._progress = progress
        self._stop = stop or Stop()
        self._free = free
        self._pause = pause

    def run(self) -> str:
        """Fetch the file and put it in its place; return its sha256.

        Raise FetchError when there is no room, the address cannot be had, or what came is not the file.
        """
        self._part.parent.mkdir(parents=True, exist_ok=True)
        self._check_room(self._size)
        idle = 0
        while True:
            before = self._have()
            try:
                self._attempt()
                break
            except FetchError as error:
                if not error.retry:
                    raise
                idle = 0 if self._have() > before else idle + 1
                if idle >= ATTEMPTS:
                    raise
                self._progress("fetching", None, f"{self._target.name}: cut, going on from where it was")
                self._wait(min(30.0, 2.0**idle))
        return self._finish()

    def _have(self) -> int:
        return self._part.stat().st_size if self._part.exists() else 0

    def _wait(self, seconds: float) -> None:
        self._stop.check()
        self._pause(seconds)
        self._stop.check()

    def _check_room(self, size: int) -> None:
        needed = max(0, size - self._have())
        free = self._free(self._part.parent)
        if free < needed + SPARE_BYTES:
            raise FetchError(
                f"{self._target.name} needs {_mib(needed + SPARE_BYTES)} of free space and "
                f"{self._part.parent} has {_mib(free)}.",
                fix="Free some space, or put STATE on a larger disk.",
            )

    def _attempt(self) -> None:
        import httpx2

        have = self._have()
        if self._size and have == self._size:
            return
        headers = {"Accept-Encoding": "identity"}
        if have:
            headers["Range"] = f"bytes={have}-"
            if self._tag.exists():
                headers["If-Range"] = self._tag.read_text(encoding="utf-8")
        timeout = httpx2.Timeout(TIMEOUT_SECONDS, connect=15.0)
        try:
            with (
                httpx2.Client(follow_redirects=True, timeout=timeout) as client,
                client.stream("GET", self._url, headers=headers) as response,
            ):
                self._take(response, have)
        except httpx2.TransportError as error:
            raise FetchError(
                f"{self._url} could not be reached or broke off: {type(error).__name__} {error}",
                fix="Check the network; what has come is kept and the next try goes on from there.",
                retry=True,
            ) from error
        except OSError as error:
            raise FetchError(f"{self._part} cannot be written: {error.strerror}.", fix="Free some space.") from error

    def _take(self, response: httpx2.Response, have: int) -> None:
        if response.status_code == 416:
            self._part.unlink(missing_ok=True)  # longer than the file there: start anew
            raise FetchError(f"{self._url} has another file now.", retry=True)
        if response.status_code >= 400:
            raise FetchError(
                f"{self._url} answered {response.status_code}.",
                fix="Fetch the file by hand and give its path as local.model.",
                retry=response.status_code >= 500 or response.status_code in (408, 429),
            )
        resumed = response.status_code == 206 and have > 0
        if not resumed:
            have = 0
        length = int(response.headers.get("content-length", "0") or 0)
        total = have + length if length else self._size
        if self._size and length and total != self._size:
            raise FetchError(
                f"{self._url} has {total} bytes where the catalogue says {self._size}: it is another file.",
                fix="Update the appliance, or fetch the file by hand and give its path as local.model.",
            )
        if not resumed:
            self._check_room(total)
        if etag := response.headers.get("etag", ""):
            self._tag.write_text(etag, encoding="utf-8")
        percent = Percent(self._progress, "fetching")
        with self._part.open("ab" if resumed else "wb") as part:
            for block in response.iter_raw():  # unbuffered: what came before a cut is kept
                part.write(block)
                have += len(block)
                percent.say(have, total, f"{self._target.name}: {_mib(have)} of {_mib(total) if total else '?'}")
                self._stop.check()
        if total and have < total:
            raise FetchError(f"{self._url} broke off at {have} of {total} bytes.", retry=True)

    def _finish(self) -> str:
        found = file_hash(self._part, self._progress, self._stop)
        if self._sha256 and found != self._sha256:
            self._part.unlink()
            self._tag.unlink(missing_ok=True)
            raise FetchError(
                f"{self._target.name} came with sha256 {found} where {self._sha256} is expected; it was thrown away.",
                fix="Try again; when it stays so, the file was changed at its source: do not use it.",
            )
        with self._part.open("rb") as part:
            os.fsync(part.fileno())
        self._target.parent.mkdir(parents=True, exist_ok=True)
        self._part.replace(self._target)
        self._tag.unlink(missing_ok=True)
        return found


def _mib(size: int) -> str:
    return f"{size / 1_048_576:,.0f} MiB"
