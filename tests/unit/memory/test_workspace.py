"""The files of an agent: created once, cached, appended to and never shortened."""

from __future__ import annotations

import asyncio
import os
import threading
from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from appliance.errors import InputError, NotFoundError
from appliance.memory.workspace import BOOTSTRAP, Workspace, append_lines

TEMPLATES = {name: f"# {name}\n\nfirst version\n" for name in BOOTSTRAP}
NOON = datetime(2026, 3, 31, 12, 0, tzinfo=UTC).timestamp()


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = Workspace(tmp_path / "agents" / "main", ZoneInfo("UTC"))
    made.create(TEMPLATES)
    return made


def test_the_first_start_makes_every_file_from_its_template(workspace: Workspace) -> None:
    assert {name: workspace.read(name) for name in BOOTSTRAP} == TEMPLATES
    assert workspace.files.is_dir()


def test_an_agent_without_templates_still_gets_its_memory_files(tmp_path: Path) -> None:
    bare = Workspace(tmp_path / "main", ZoneInfo("UTC"))
    bare.create()
    assert bare.read("MEMORY.md") == "# Memory\n"
    assert bare.read("SOUL.md") == ""


def test_edits_and_deletions_of_the_owner_survive_a_restart(workspace: Workspace) -> None:
    (workspace.folder / "SOUL.md").write_text("mine")
    (workspace.folder / "HEARTBEAT.md").unlink()
    Workspace(workspace.folder, ZoneInfo("UTC")).create(TEMPLATES)
    assert workspace.read("SOUL.md") == "mine"
    assert workspace.read("HEARTBEAT.md") == ""


def test_a_first_start_that_was_cut_is_finished_by_the_next(workspace: Workspace) -> None:
    (workspace.folder / ".created").unlink()
    (workspace.folder / "TOOLS.md").unlink()
    (workspace.folder / "SOUL.md").write_text("mine already")
    workspace.create(TEMPLATES)
    assert workspace.read("TOOLS.md") == TEMPLATES["TOOLS.md"]
    assert workspace.read("SOUL.md") == "mine already"


def test_an_edit_is_seen_at_once_and_an_unchanged_file_is_not_read_again(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.read("MEMORY.md")
    reads: list[Path] = []
    real = Path.read_text
    monkeypatch.setattr(Path, "read_text", lambda self, *a, **k: (reads.append(self), real(self, *a, **k))[1])
    workspace.read("MEMORY.md")
    assert reads == []
    (workspace.folder / "MEMORY.md").write_text("# Memory\n\nSam likes tea\n")
    assert "tea" in workspace.read("MEMORY.md")
    assert len(reads) == 1


def test_a_replaced_file_of_equal_size_and_time_is_seen(workspace: Workspace) -> None:
    path = workspace.folder / "MEMORY.md"
    path.write_text("aaaa")
    status = path.stat()
    assert workspace.read("MEMORY.md") == "aaaa"
    other = workspace.folder / "other"
    other.write_text("bbbb")
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    other.replace(path)
    assert workspace.read("MEMORY.md") == "bbbb"


def test_bytes_that_are_not_utf8_are_shown_not_raised(workspace: Workspace) -> None:
    (workspace.folder / "MEMORY.md").write_bytes(b"caf" + b"\xc3\n")
    assert workspace.read("MEMORY.md").startswith("caf")


@pytest.mark.parametrize("name", ["../secrets/token", "memory/2026-03-31.md", "notes.md", ""])
def test_only_bootstrap_files_can_be_read_by_name(workspace: Workspace, name: str) -> None:
    with pytest.raises(InputError):
        workspace.read(name)


def test_a_day_note_is_appended_to_under_the_day_heading(workspace: Workspace) -> None:
    path = workspace.append_day("- 早上買了蝦子 🦐", NOON)
    workspace.append_day("- second", NOON)
    assert path.read_text() == "# 2026-03-31\n\n- 早上買了蝦子 🦐\n- second\n"
    assert workspace.days() == [date(2026, 3, 31)]
    assert "second" in workspace.read_day(date(2026, 3, 31))


def test_empty_text_makes_no_note(workspace: Workspace) -> None:
    workspace.append_day("\n\n", NOON)
    assert workspace.days() == []


def test_the_day_is_the_owners_and_a_flush_over_midnight_stays_in_its_day(tmp_path: Path) -> None:
    taipei = Workspace(tmp_path / "main", ZoneInfo("Asia/Taipei"))
    taipei.create()
    before = datetime(2026, 3, 31, 15, 59, 59, tzinfo=UTC).timestamp()
    taipei.append_day("- before midnight", before)
    taipei.append_day("- after midnight", before + 2)
    taipei.append_day("- late flush of yesterday", before)
    assert "late flush" in taipei.read_day(date(2026, 3, 31))
    assert "after midnight" in taipei.read_day(date(2026, 4, 1))


def test_a_line_cut_by_a_kill_is_closed_before_the_next_append(workspace: Workspace) -> None:
    path = workspace.append_day("- whole", NOON)
    with path.open("ab") as file:
        file.write("- 半".encode()[:-1])
    workspace.append_day("- next", NOON)
    lines = path.read_text(errors="replace").splitlines()
    assert lines[-1] == "- next"
    assert "- whole" in lines


def test_two_sessions_appending_two_hundred_times_leave_four_hundred_whole_lines(workspace: Workspace) -> None:
    def session(name: str) -> None:
        for number in range(200):
            workspace.append_day(f"- {name} {number} " + "字" * 50, NOON)

    threads = [threading.Thread(target=session, args=(name,)) for name in ("a", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = [line for line in workspace.read_day(date(2026, 3, 31)).splitlines() if line.startswith("- ")]
    assert sorted(lines) == sorted(f"- {name} {number} " + "字" * 50 for name in ("a", "b") for number in range(200))


async def test_appending_from_coroutines_keeps_every_line(workspace: Workspace) -> None:
    await asyncio.gather(*(workspace.append_day_async(f"- {n}", NOON) for n in range(20)))
    assert sum(line.startswith("- ") for line in workspace.read_day(date(2026, 3, 31)).splitlines()) == 20


def test_a_full_disk_leaves_the_note_as_it_was(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    path = workspace.append_day("- kept", NOON)
    real, calls = os.write, []

    def full(fd: int, data: bytes) -> int:
        calls.append(fd)
        if len(calls) == 1:
            return real(fd, bytes(data)[:4])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space"):
        append_lines(path, "- lost whole, not half")
    monkeypatch.undo()
    assert path.read_text() == "# 2026-03-31\n\n- kept\n"


def test_a_day_note_that_is_a_link_is_not_followed(workspace: Workspace, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere.md"
    target.write_text("untouched")
    workspace.day_path(date(2026, 3, 31)).symlink_to(target)
    with pytest.raises(OSError, match=r"symbolic links|Too many levels"):
        workspace.append_day("- x", NOON)
    assert target.read_text() == "untouched"


def test_search_results_resolve_and_nothing_else_does(workspace: Workspace, tmp_path: Path) -> None:
    path = workspace.append_day("- x", NOON)
    assert workspace.resolve("memory/2026-03-31.md") == path
    assert workspace.resolve("MEMORY.md") == workspace.folder / "MEMORY.md"
    (tmp_path / "secret.md").write_text("s")
    (workspace.notes / "link.md").symlink_to(tmp_path / "secret.md")
    for name in ("../../secret.md", "memory/../SOUL.md", "memory/link.md", "files/a.md", "/etc/passwd", "memory"):
        with pytest.raises(NotFoundError):
            workspace.resolve(name)
