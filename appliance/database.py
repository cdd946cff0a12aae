"""SQLite through apsw: one writer thread with group commit, ordered migrations, reads on the caller's thread.

Guarantee: when `await database.write(work)` returns, the change is on disk (WAL, synchronous=FULL). Writes that wait
at the same moment share one commit, so eight lanes pay for one fsync. Each `work` runs in a savepoint of its own: one
that raises undoes only itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import apsw

from appliance.errors import StateError

T = TypeVar("T")
Work = Callable[[apsw.Connection], T]
Migration = tuple[str, str]  # name, SQL; never edited after release
Rooms = Mapping[str, Sequence[Migration]]  # each room owns its tables and their order
_BUSY_MS = 70_000
_BATCH = 256


def open_connection(path: Path, *, synchronous: str = "FULL", readonly: bool = False) -> apsw.Connection:
    """Open one connection with the house's settings. Raises apsw.Error."""
    flags = apsw.SQLITE_OPEN_READONLY if readonly else apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
    connection = apsw.Connection(str(path), flags=flags)
    connection.set_busy_timeout(_BUSY_MS)
    if not readonly:
        connection.pragma("journal_mode", "WAL")
        connection.pragma("synchronous", synchronous)
        connection.pragma("wal_autocheckpoint", 1000)
        connection.pragma("journal_size_limit", 32 * 1024 * 1024)
    connection.pragma("foreign_keys", True)
    # Plans do not depend on the values that are bound, or SQLite would compile many statements anew for each run.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    return connection


def versions(connection: apsw.Connection) -> dict[str, int]:
    """How far each room's tables have come; empty for a database that no release has opened yet."""
    if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'schema_versions'").fetchall():
        return {}
    return {str(room): int(str(n)) for room, n in connection.execute("SELECT room, version FROM schema_versions")}


def refuse_newer(have: Mapping[str, int], rooms: Rooms, name: str) -> None:
    """Raise StateError for a database of a newer release: it is refused, not guessed at."""
    newer = sorted(room for room, version in have.items() if room not in rooms or version > len(rooms[room]))
    if newer:
        raise StateError(
            f"{name} was written by a newer release (newer tables: {', '.join(newer)}).",
            fix="Start the newer release again, or restore the backup that was made before the upgrade.",
        )


def migrate(connection: apsw.Connection, rooms: Rooms, name: str) -> None:
    """Bring every room's tables to their newest schema, each step in a transaction of its own.

    Raises StateError for a database of a newer release.
    """
    connection.execute("CREATE TABLE IF NOT EXISTS schema_versions(room TEXT PRIMARY KEY, version INTEGER NOT NULL)")
    have = versions(connection)
    refuse_newer(have, rooms, name)
    for room, migrations in rooms.items():
        for number, (_, sql) in enumerate(migrations[have.get(room, 0) :], start=have.get(room, 0) + 1):
            with connection:
                connection.execute(sql)
                connection.execute("INSERT OR REPLACE INTO schema_versions VALUES (?, ?)", (room, number))


class Database:
    """One SQLite file. Give it each room's migrations; `open`, then `read` and `write`, then `close`."""

    def __init__(
        self,
        path: Path,
        rooms: Rooms,
        *,
        synchronous: str = "FULL",
        prepare: Callable[[apsw.Connection], None] | None = None,
    ) -> None:
        self.path = path
        self._rooms = rooms
        self._synchronous = synchronous
        self._prepare = prepare or (lambda _: None)  # each new connection, before the migrations: extensions, pragmas
        self._queue: queue.SimpleQueue[tuple[Work[Any], Callable[[Any, BaseException | None], None]] | None] = (
            queue.SimpleQueue()
        )
        self._thread: threading.Thread | None = None
        self._reader: apsw.Connection | None = None
        self._failed: str = ""

    def open(self) -> None:
        """Open and migrate. Raises StateError (newer schema, damage, cannot open)."""
        try:
            writer = open_connection(self.path, synchronous=self._synchronous)
            self._prepare(writer)
            migrate(writer, self._rooms, self.path.name)
            self._reader = open_connection(self.path, readonly=True)
            self._prepare(self._reader)
        except (apsw.NotADBError, apsw.CorruptError) as error:
            raise StateError(f"{self.path} is damaged: {error}.", fix="Run: appliance doctor") from error
        except apsw.CantOpenError as error:
            raise StateError(f"{self.path} cannot be opened: {error}.", fix="Check the folder's owner.") from error
        self._thread = threading.Thread(target=self._run, args=(writer,), name=f"writer-{self.path.name}", daemon=True)
        self._thread.start()

    def read(self, sql: str, arguments: Sequence[Any] | dict[str, Any] = ()) -> list[tuple[Any, ...]]:
        """Rows of a query, on the caller's thread (always the event loop's); meant for keyed, short reads."""
        if self._reader is None:
            raise StateError(f"{self.path.name} is not open.")
        return self._reader.execute(sql, arguments).fetchall()

    async def write(self, work: Work[T]) -> T:
        """Run `work(connection)` on the writer thread; return its result once it is committed, or raise its error."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def settle(result: T, error: BaseException | None) -> None:
            def finish() -> None:
                if future.done():
                    return
                if error is None:
                    future.set_result(result)
                else:
                    future.set_exception(error)

            # A caller whose loop is gone waits for nothing; the writer must outlive it.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(finish)

        self._submit(work, settle)
        return await asyncio.shield(future)

    def write_now(self, work: Work[T]) -> T:
        """The same for code without an event loop: start, stop, command line."""
        done = threading.Event()
        box: list[Any] = [None, None]

        def settle(result: T, error: BaseException | None) -> None:
            box[0], box[1] = result, error
            done.set()

        self._submit(work, settle)
        done.wait()
        if box[1] is not None:
            raise box[1]
        return box[0]  # type: ignore[no-any-return]

    def close(self) -> None:
        """Finish what is queued, checkpoint, close."""
        # The reader first: only the last connection to close checkpoints, and a read-only one cannot.
        if self._reader is not None:
            self._reader.close()
            self._reader = None
        thread, self._thread = self._thread, None  # what comes from here on is refused, it would wait for ever
        if thread is not None:
            self._queue.put(None)
            thread.join()

    def _submit(self, work: Work[Any], settle: Callable[[Any, BaseException | None], None]) -> None:
        if self._thread is None:
            raise StateError(f"{self.path.name} is not open.")
        self._queue.put((work, settle))

    def _run(self, connection: apsw.Connection) -> None:
        while True:
            job = self._queue.get()
            if job is None:
                break
            batch = [job]
            stop = False
            while len(batch) < _BATCH and not self._queue.empty():
                following = self._queue.get()
                if following is None:
                    stop = True
                    break
                batch.append(following)
            self._commit(connection, batch)
            if stop:
                break
        connection.close()

    @staticmethod
    def _commit(connection: apsw.Connection, batch: list[Any]) -> None:
        outcomes: list[tuple[Any, BaseException | None]] = []
        try:
            connection.execute("BEGIN IMMEDIATE")
            for work, _ in batch:
                try:
                    with connection:
                        outcomes.append((work(connection), None))
                except Exception as problem:  # noqa: BLE001 - belongs to the caller of this one work, not to the batch
                    outcomes.append((None, problem))
            connection.execute("COMMIT")
        except apsw.Error as failure:
            # The commit itself failed (disk full, I/O error): nothing of the batch is stored, and each caller is told.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            outcomes = [(None, failure)] * len(batch)
        for (_, settle), (result, outcome) in zip(batch, outcomes, strict=True):
            settle(result, outcome)
