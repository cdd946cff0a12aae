"""index.db: opened, kept equal to the files, healed. Derived, so every doubt ends in making it again from the files.

`synchronous=NORMAL`: a power cut may lose the last writes, and the next look at the files brings them back. Keyword
search works as soon as a file is read; vectors are filled in behind (filler.py).
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, TypeVar

import apsw
import msgspec

from appliance.clock import Clock, iso
from appliance.crash_points import crash_point
from appliance.database import Database, open_connection
from appliance.errors import StateError
from appliance.memory import sources, store
from appliance.memory.schema import MIGRATIONS
from appliance.memory.sources import Known, Look
from appliance.memory.vectors import load_functions
from appliance.memory.workspace import Workspace
from appliance.storage import set_aside

T = TypeVar("T")
_BATCH = 400  # chunks of one transaction; a long transcript must not hold up a turn's own
SMALL_PAGES = 2_048  # 8 MB, some 2,000 entries with their vectors: read without a thread
_DAMAGE = (apsw.CorruptError, apsw.NotADBError)


class MemoryIndex:
    """Given STATE and each agent's workspace, hold the index. `open`, `sync` (again after each change), `close`.

    `changed` is called after every sync that wrote something, so that vectors can follow.
    """

    def __init__(self, state: Path, workspaces: Mapping[str, Workspace], clock: Clock) -> None:
        self.path = state / "index.db"
        self.workspaces = workspaces
        self.team = state / "team"
        self.vector_reason = ""
        self.changed: Callable[[], None] = lambda: None
        self._clock = clock
        self._database: Database | None = None
        self._reader: apsw.Connection | None = None
        self._reader_lock = threading.RLock()
        self._sync_lock = asyncio.Lock()
        self.set_aside: Path | None = None  # where the last damaged file went
        self.generation = 0  # how often the file was made anew in this process

    # ---- life ----

    def open(self) -> None:
        """Open or make the file. A damaged one, or one of another release, is set aside and made again.

        Raises StateError when the folder cannot be used at all.
        """
        try:
            self._open()
            assert self._database is not None
            self._database.write_now(lambda c: store.rows(c, "SELECT count(*) FROM chunks"))
        except (*_DAMAGE, StateError) as error:
            if isinstance(error, StateError) and "cannot be opened" in error.what:
                raise
            self._start_again()

    def close(self) -> None:
        with self._reader_lock:
            if self._reader is not None:
                self._reader.close()
                self._reader = None
        if self._database is not None:
            self._database.close()
            self._database = None

    def _open(self) -> None:
        database = Database(self.path, {"memory": MIGRATIONS}, synchronous="NORMAL", prepare=self._prepare)
        database.open()
        self._database = database
        self._reader = open_connection(self.path, readonly=True)
        self._prepare(self._reader)
        self._reader.execute("PRAGMA cache_size=-32768; PRAGMA mmap_size=1073741824")

    def _prepare(self, connection: apsw.Connection) -> None:
        self.vector_reason = load_functions(connection)

    def _start_again(self) -> None:
        """Set the file aside under a dated name and make an empty one; whoever searches meanwhile waits."""
        with self._reader_lock:
            self.close()
            stamp = iso(self._clock.now()).replace(":", "").replace("-", "")
            for suffix in ("-wal", "-shm", ""):
                part = self.path.with_name(self.path.name + suffix)
                if part.exists():
                    self.set_aside = set_aside(part, stamp)
            self.generation += 1
            self._open()

    # ---- reading and writing ----

    def read(self, work: Callable[[apsw.Connection], T]) -> T:
        """Run `work` on the search connection, on the caller's thread, one at a time. Raises apsw.Error, StateError."""
        with self._reader_lock:
            if self._reader is None:
                raise StateError("index.db is not open.")
            return work(self._reader)

    async def read_behind(self, work: Callable[[apsw.Connection], T]) -> T:
        """The same without holding up the caller's thread for long; damage that shows itself here is healed, and it is
        read once more. Raises StateError where that did not help."""
        try:
            return await self._read_apart(work)
        except _DAMAGE:
            await self.heal()
        try:
            return await self._read_apart(work)
        except _DAMAGE:
            raise StateError("The memory index is damaged and could not be made again.") from None

    async def _read_apart(self, work: Callable[[apsw.Connection], T]) -> T:
        """On a worker thread; at once where the index is small and nobody holds it: a question takes a millisecond
        there, a pasted page ten, and the way to a thread and back would add a sixth to what most take."""
        if self._reader_lock.acquire(blocking=False):
            try:
                if self._reader is not None and self._reader.pragma("page_count") <= SMALL_PAGES:
                    return work(self._reader)
            finally:
                self._reader_lock.release()
        return await asyncio.to_thread(self.read, work)

    async def write(self, work: Callable[[apsw.Connection], T]) -> T:
        """Run `work` in one transaction. Raises apsw.Error."""
        if self._database is None:
            raise StateError("index.db is not open.")
        return await self._database.write(work)

    # ---- keeping equal to the files ----

    async def sync(self, only: Collection[Path] | None = None) -> int:
        """Look at every file (or at these), index what changed, drop what is gone; return how many files changed."""
        async with self._sync_lock:
            try:
                count = await self._sync(only)
            except _DAMAGE:
                await asyncio.to_thread(self._start_again)
                count = await self._sync()
        if count:
            self.changed()
        return count

    async def rebuild(self) -> int:
        """Forget what is known of every file and read all again; vectors of unchanged texts stay. Returns the files."""
        async with self._sync_lock:
            try:
                await self.write(lambda c: c.execute("UPDATE files SET stamp=''") and None)
            except _DAMAGE:
                await asyncio.to_thread(self._start_again)
        return await self.sync()

    async def heal(self) -> None:
        """Set a damaged file aside and make the index again; keyword search is back when this returns."""
        async with self._sync_lock:
            await asyncio.to_thread(self._start_again)
            await self._sync()
        self.changed()

    async def scrub(self, erased: Collection[Path]) -> None:
        """After an erasure from these files: they are read anew from their beginning, words written anew, vectors of
        texts that are gone dropped, no old page and no damaged index kept on disk."""
        looks = (sources.look_at(path, self.workspaces, self.team) for path in erased)
        names = msgspec.json.encode([look.name for look in looks if look is not None]).decode()
        forget = "UPDATE files SET stamp='' WHERE name IN (SELECT value FROM json_each(?))"
        await self.write(lambda c: c.execute(forget, (names,)) and None)
        await self.sync()
        await self.write(store.repair_words)
        await self.write(store.drop_unused_embeddings)
        await asyncio.to_thread(self._vacuum)
        for damaged in self.path.parent.glob(f"{self.path.name}*.damaged-*"):
            damaged.unlink(missing_ok=True)

    def _vacuum(self) -> None:
        with self._reader_lock:  # a reader's snapshot would keep old pages in the log
            connection = open_connection(self.path, synchronous="NORMAL")
            try:
                connection.execute("VACUUM")
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            finally:
                connection.close()

    async def check(self) -> list[str]:
        """Compare the parts by count and repair what does not agree; return what was found (empty: sound)."""
        found = await self.read_behind(store.faults)
        if found:
            await self.write(store.repair_vectors)
            await self.write(store.repair_words)
            self.changed()
        return found

    async def _sync(self, only: Collection[Path] | None = None) -> int:
        looks = await asyncio.to_thread(self._looks, only)
        whole = looks is None
        if looks is None:
            looks = await asyncio.to_thread(lambda: list(sources.looks(self.workspaces, self.team)))
        have = await self._known(None if whole else [look.name for look in looks])
        changed = [
            (look, known)
            for look in looks
            if look.stamp and look.stamp != (known := have.get(look.name, Known())).stamp
        ]
        kept = {look.name for look in looks if look.stamp} | {f"{agent}/items" for agent in self.workspaces}
        gone = set(have) - kept
        # Items before the notes they stand in: a kill between the two leaves the notes to be looked at again.
        noted = {look.agent for look, _ in changed if look.note}
        noted.update(agent for agent in self.workspaces if any(name.startswith(f"{agent}/memory/") for name in gone))
        if whole:  # somebody became the owner, or is it no more
            noted.update(a for a in self.workspaces if have.get(f"{a}/items", Known()).stamp != self._items_stamp(a))
        for agent in noted:
            await self._index_items(agent)
        count = len(gone)
        for look, known in changed:
            count += await self._index_file(look, known)
        for name in gone:
            await self.write(lambda c, name=name: store.forget_file(c, name))  # type: ignore[misc]
        return count

    def _looks(self, only: Collection[Path] | None) -> list[Look] | None:
        """The named files; None where all are to be looked at, as when one is not known by the name it was given."""
        looks = [sources.look_at(path, self.workspaces, self.team) for path in only or ()]
        known = [look for look in looks if look is not None]
        return known if only is not None and len(known) == len(looks) else None

    async def _known(self, names: Collection[str] | None) -> dict[str, Known]:
        """What the index holds of every file, or of these."""
        sql = "SELECT name, stamp, offset, lines, session FROM files"
        arguments: tuple[str, ...] = ()
        if names is not None:
            sql += " WHERE name IN (SELECT value FROM json_each(?))"
            arguments = (msgspec.json.encode(names).decode(),)
        found = await self.write(lambda c: store.rows(c, sql, arguments))
        return {name: Known(stamp, offset, lines, session) for name, stamp, offset, lines, session in found}

    async def _index_file(self, look: Look, known: Known) -> int:
        try:
            if look.kind == "transcript":
                await self._index_transcript(look, known)
            else:
                placed = await asyncio.to_thread(sources.read_markdown, look, self.workspaces.get(look.agent))
                await self.write(lambda c: _replace(c, look.name, placed, stamp=look.stamp))
        except OSError:
            return 0  # gone or unreadable since it was listed: the next look sees to it
        return 1

    async def _index_transcript(self, look: Look, known: Known) -> None:
        """Part by part; a kill between two leaves the stamp as it was, so the next look does it again."""
        start = sources.start_of(look, known)
        whole = start == Known()  # then what is not in the file is gone
        keys: list[str] = []
        more = True
        while more:
            previous = await self.write(lambda c, at=start.lines: _previous(c, look.name, at))  # type: ignore[misc]
            part = await asyncio.to_thread(sources.read_part, look, start, previous)
            if not part.session:
                return
            for first in range(0, len(part.placed), _BATCH):
                batch = part.placed[first : first + _BATCH]
                await self.write(lambda c, batch=batch: store.put(c, store.file_id(c, look.name), batch))  # type: ignore[misc]
                crash_point("index-transcript")
            keys += [one.chunk.key for one in part.placed]
            start, more = Known("", part.offset, part.lines, part.session), part.more

        def finish(connection: apsw.Connection) -> None:
            file = store.file_id(connection, look.name)
            if whole:
                store.keep_only(connection, file, keys)
            connection.execute(
                "UPDATE files SET stamp=?, offset=?, lines=?, session=? WHERE id=?",
                (look.stamp, start.offset, start.lines, start.session, file),
            )

        await self.write(finish)

    def _items_stamp(self, agent: str) -> str:
        """Whose items an agent's are depends on who is the owner."""
        return " ".join(["items", *sorted(self.workspaces[agent].owners)])

    async def _index_items(self, agent: str) -> None:
        stamp = self._items_stamp(agent)
        placed, hidden = await asyncio.to_thread(sources.read_items, agent, self.workspaces[agent])

        def work(connection: apsw.Connection) -> None:
            _replace(connection, f"{agent}/items", placed, stamp=stamp)
            store.hide_messages(connection, hidden)

        await self.write(work)

    # ---- telling ----

    async def status(self) -> dict[str, Any]:
        """Counts for `/memory`, `doctor` and metrics: files, chunks, items, vectors, wanted (vectors still to make)."""

        def counts(connection: apsw.Connection) -> dict[str, Any]:
            [(chunks, items, wanted)] = store.rows(
                connection, "SELECT count(*), coalesce(sum(shelf), 0), coalesce(sum(wanted), 0) FROM chunks"
            )
            [(files,)] = store.rows(connection, "SELECT count(*) FROM files")
            [(vectors,)] = store.rows(connection, "SELECT count(*) FROM vectors")
            return {"files": files, "chunks": chunks, "items": items, "vectors": vectors, "wanted": wanted}

        found = await self.read_behind(counts)
        return {**found, "vector_functions": self.vector_reason or "sqlite-vec", "set_aside": str(self.set_aside or "")}


def _replace(connection: apsw.Connection, name: str, placed: list[store.Placed], *, stamp: str) -> None:
    """Make a file's chunks exactly these, in one transaction."""
    file = store.file_id(connection, name)
    store.keep_only(connection, file, (one.chunk.key for one in placed))
    crash_point("index-write")
    store.put(connection, file, placed)
    connection.execute("UPDATE files SET stamp=? WHERE id=?", (stamp, file))


def _previous(connection: apsw.Connection, name: str, lines: int) -> tuple[str, int]:
    """What the turn before line `lines` + 1 of a transcript said, and its sitting."""
    found = store.rows(
        connection,
        "SELECT c.own, c.sitting FROM chunks c JOIN files f ON f.id = c.file WHERE f.name = ? AND c.kind = 'turn'"
        " AND c.own != '' AND c.ordinal < ? ORDER BY c.ordinal DESC LIMIT 1",
        (name, (lines + 1) * 100),
    )
    return (str(found[0][0]), int(found[0][1])) if found else ("", 0)
