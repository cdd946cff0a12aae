"""Carrying a work folder: what goes wrong on this machine's disk is an error in words, and nothing is left open."""

from __future__ import annotations

import asyncio
import errno
import io
import tarfile
import threading
from pathlib import Path
from typing import IO

import pytest

from appliance.errors import SandboxError
from appliance.sandbox import far
from appliance.sandbox.copying import Sent
from appliance.sandbox.far import Carrier
from appliance.sandbox.template import RunnerConfig, Work


class Engine:
    """Takes a folder and gives back one file, as an engine would."""

    def __init__(self) -> None:
        self.taken = b""
        self.enough = True

    async def put(self, name: str, file: IO[bytes]) -> None:
        self.taken = file.read()

    async def fetch(self, name: str, file: IO[bytes], limit: int) -> bool:
        with tarfile.open(fileobj=file, mode="w") as archive:
            entry = tarfile.TarInfo("workspace/made")
            entry.size = 4
            archive.addfile(entry, io.BytesIO(b"made"))
        return self.enough


@pytest.fixture
def work(tmp_path: Path) -> Work:
    (tmp_path / "files").mkdir()
    return Work("main", str(tmp_path / "files"), "1000:1000")


@pytest.fixture
def engine() -> Engine:
    return Engine()


@pytest.fixture
def carrier(tmp_path: Path, engine: Engine) -> Carrier:
    config = RunnerConfig(socket=tmp_path / "s", agents=tmp_path, state=tmp_path, image="x")
    return Carrier(config, engine)  # type: ignore[arg-type]


async def test_what_came_is_there_and_what_did_not_go_is_named(carrier: Carrier, work: Work, engine: Engine) -> None:
    (Path(work.path) / "link").symlink_to("/etc/passwd")
    (Path(work.path) / "given").write_text("given")
    sent = await carrier.send("appliance-1-abcdef", work)
    assert b"given" in engine.taken
    note = await carrier.fetch("appliance-1-abcdef", work, sent)
    assert note == "1 links or special files were not copied there: link"
    assert (Path(work.path) / "made").read_text() == "made"
    assert not (Path(work.path) / "given").exists()


async def test_a_full_disk_here_is_said(carrier: Carrier, work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> list[str]:
        raise OSError(errno.ENOSPC, "No space left on device", "made")

    monkeypatch.setattr(far, "merge", full)
    with pytest.raises(SandboxError, match="No space left on device"):
        await carrier.fetch("n", work, Sent())


async def test_a_file_that_vanishes_while_it_is_sent_is_said(
    carrier: Carrier, work: Work, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def vanished(*_: object) -> Sent:
        raise FileNotFoundError(errno.ENOENT, "No such file or directory", "gone")

    monkeypatch.setattr(far, "pack", vanished)
    with pytest.raises(SandboxError, match="could not be copied to the engine"):
        await carrier.send("n", work)
    assert engine.taken == b""


async def test_too_much_is_not_merged(carrier: Carrier, work: Work, engine: Engine) -> None:
    engine.enough = False
    with pytest.raises(SandboxError, match="too much"):
        await carrier.fetch("n", work, Sent())
    assert list(Path(work.path).iterdir()) == []


async def test_a_cancelled_merge_goes_to_its_end(carrier: Carrier, work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended, go = threading.Event(), threading.Event(), threading.Event()
    real = far.merge

    def slow(*arguments: object) -> list[str]:
        begun.set()
        go.wait(10)
        try:
            return real(*arguments)  # type: ignore[arg-type]
        finally:
            ended.set()

    monkeypatch.setattr(far, "merge", slow)
    task = asyncio.ensure_future(carrier.fetch("n", work, Sent()))
    await asyncio.to_thread(begun.wait, 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    go.set()
    assert await asyncio.to_thread(ended.wait, 10)
    assert (Path(work.path) / "made").read_text() == "made"
