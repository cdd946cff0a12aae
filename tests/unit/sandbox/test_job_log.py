"""The log of a background command: read by position, bounded, whole again after a restart."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from appliance.sandbox import job_log
from appliance.sandbox.job_log import JobLog


def test_positions_count_from_the_first_byte_ever_written(tmp_path: Path) -> None:
    log = JobLog(tmp_path, "j")
    whole = b""
    for number in range(40):
        piece = b"%05d" % number * 60_000
        log.add(piece)
        whole += piece
    assert log.total == len(whole)
    assert log.first > 0
    assert log.read(log.total - 12, 100) == whole[-12:]
    assert log.read(log.first, 1 << 30) == whole[log.first :]
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 2 * job_log._SEGMENT + 300_000


def test_another_process_reads_on_where_the_first_stopped(tmp_path: Path) -> None:
    JobLog(tmp_path, "j").add("一".encode())
    again = JobLog(tmp_path, "j")
    assert (again.total, again.first) == (3, 0)
    again.add(b"two")
    assert again.read(0, 100) == "一two".encode()
    again.remove()
    assert list(tmp_path.iterdir()) == []


def test_an_empty_log_has_nothing_to_read(tmp_path: Path) -> None:
    log = JobLog(tmp_path, "j")
    log.add(b"")
    assert (log.total, log.first, log.read(0, 10), log.changed) == (0, 0, b"", 0.0)


@given(st.lists(st.binary(max_size=300), max_size=6))
def test_the_bound_of_the_engines_json_holds(pieces: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as name:
        log = JobLog(Path(name), "j")
        for piece in pieces:
            log.add(piece)
        whole = b"".join(pieces)
        stamp = "2026-11-30T12:00:00.123456789Z"
        lines = whole.decode("latin-1").split("\n")
        size = sum(
            len(json.dumps({"log": line + "\n", "stream": "stdout", "time": stamp})) + 1 for line in lines if line
        )
        assert size <= log.logged_as_json() + 256
