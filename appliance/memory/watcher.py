"""Notices what the owner edits: file events, or polling where a network mount sends none. A full look every half minute
catches whatever both missed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from appliance.memory.workspace import Workspace

FULL_LOOK_SECONDS = 30.0
_DEBOUNCE_MS = 300
_POLL_MS = 700
_NETWORK = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse", "virtiofs", "afs", "ceph", "glusterfs"})


def is_network_mount(folder: Path, mounts: str | None = None) -> bool:
    """Whether `folder` lies on a file system that sends no events for changes made elsewhere.

    `mounts` is the text of /proc/mounts (read when not given; False where there is none).
    """
    if mounts is None:
        try:
            mounts = Path("/proc/mounts").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return False
    best, kind = "", ""
    for line in mounts.splitlines():
        fields = line.split()
        if len(fields) < 3:
            continue
        point = fields[1].replace("\\040", " ")
        if len(point) >= len(best) and (folder == Path(point) or Path(point) in folder.parents):
            best, kind = point, fields[2]
    return kind.split(".")[0] in _NETWORK


class Watcher:
    """Given the workspaces and team/, call `changed` with the files soon after some were written, and with None for a
    look at everything."""

    def __init__(
        self,
        workspaces: Mapping[str, Workspace],
        team: Path,
        changed: Callable[[Collection[Path] | None], Awaitable[Any]],
        *,
        mode: Literal["auto", "events", "poll"] = "auto",
    ) -> None:
        self._workspaces = workspaces
        self._team = team
        self._changed = changed
        self._mode = mode

    async def run(self) -> None:
        """Watch for ever; ends by cancellation. Folders that appear are watched from the next full look on."""
        while True:
            folders = self._folders()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(FULL_LOOK_SECONDS):
                    await self._watch(folders)
            await self._changed(None)

    def _folders(self) -> list[Path]:
        found: list[Path] = []
        for workspace in list(self._workspaces.values()):
            found += [workspace.folder, workspace.notes, workspace.sessions]
        if self._team.is_dir():
            found += [self._team, *(path for path in self._team.rglob("*") if path.is_dir() and not path.is_symlink())]
        return [folder for folder in found if folder.is_dir()]

    async def _watch(self, folders: Iterable[Path]) -> None:
        import watchfiles

        watched = list(folders)
        if not watched:
            await asyncio.sleep(FULL_LOOK_SECONDS)
            return
        poll = self._mode == "poll" or (self._mode == "auto" and any(map(is_network_mount, watched)))
        # Not recursive: the work folder below an agent's may hold a hundred thousand files of somebody's project.
        async for changes in watchfiles.awatch(
            *watched,
            watch_filter=lambda _, path: path.endswith((".md", ".jsonl")),
            debounce=_DEBOUNCE_MS,
            force_polling=poll,
            poll_delay_ms=_POLL_MS,
            recursive=False,
            rust_timeout=500,
        ):
            await self._changed({Path(path) for _, path in changes})
