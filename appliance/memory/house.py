"""Memory as the rest of the house uses it: one object that follows the files, searches, remembers and forgets."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw
import structlog

from appliance.clock import Clock
from appliance.errors import NoAgentError, NotFoundError, StateError
from appliance.memory import tidy
from appliance.memory.embeddings import Embedder
from appliance.memory.erase import erase
from appliance.memory.filler import VectorFiller
from appliance.memory.index import MemoryIndex
from appliance.memory.items import OWNER, TAGS, Item, Items, Mark, Placed, Tag, line_of, note_line
from appliance.memory.places import read_place
from appliance.memory.quarantine import FLUSHED, Held, Quarantine
from appliance.memory.scopes import Scope
from appliance.memory.search import LIMIT, Hit, MemorySearch, Reranker, SearchOptions
from appliance.memory.watcher import Watcher
from appliance.memory.workspace import Workspace
from appliance.messages import Role, Source
from appliance.settings import MemorySettings
from appliance.tasks import AGAIN_SECONDS, end

log = structlog.get_logger(__name__)
_AGAIN_SECONDS = 10.0
_FIRST_LOOK_SECONDS = 2.0  # that a search waits for it; what is indexed by then answers


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of a text that was to be remembered: stored as `item`, known already, or `held` for the owner (and
    lines of a day note after their yes)."""

    item: Item | None = None
    known: bool = False
    held: Held | None = None


class Memory:
    """Given STATE and the workspaces, everything memory does. `open` is quick; `start` brings the slow parts behind.

    `audit(event, **details)` is told of erasures, `timed(seconds)` of each search, `changed()` once something was taken
    back, or that again. Without an embedder search goes by words.
    """

    def __init__(
        self,
        state: Path,
        workspaces: Mapping[str, Workspace],
        clock: Clock,
        settings: MemorySettings,
        *,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
        audit: Callable[..., Any] = lambda *_, **__: None,
        tag_of: Callable[[str], Tag] = lambda _: "O",
        timed: Callable[[float], None] = lambda _: None,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self.state = state
        self.workspaces = workspaces
        self.index = MemoryIndex(state, workspaces, clock)
        self.quarantine = Quarantine(state / "quarantine")
        self._clock = clock
        self._audit = audit
        self._tag_of = tag_of
        self._timed = timed
        self._changed = changed
        self._embedder = embedder
        self.filler = VectorFiller(self.index, embedder, clock) if embedder is not None else None
        self._no_reranker = settings.backend == "rerank" and reranker is None
        options = SearchOptions(weights=settings.weights, backend=settings.backend, reranker=reranker)
        self._search = MemorySearch(self.index, self.filler, clock, options)
        self._watcher = Watcher(workspaces, self.index.team, self.index.sync, mode=settings.watch)
        self._tasks: list[asyncio.Task[None]] = []
        self._looked = asyncio.Event()  # once over all files since the start
        if self.filler is not None:
            self.index.changed = self.filler.wake

    # ---- life ----

    def open(self) -> None:
        """Open index.db; a damaged one is set aside and made again. Raises StateError."""
        self.index.open()

    async def start(self) -> None:
        """Follow the files and fill in vectors, behind readiness."""
        self._tasks = [asyncio.create_task(self._kept(self._begin), name="memory-sync")]
        if self.filler is not None:
            self._tasks.append(asyncio.create_task(self._kept(self.filler.run), name="memory-vectors"))

    async def _begin(self) -> None:
        await self.index.sync()
        self._looked.set()
        await self.index.check()
        await self._watcher.run()

    async def _kept(self, loop: Callable[[], Awaitable[None]]) -> None:
        """A full disk or damage now must not end the index for good: it is made of the files, so it begins again."""
        while True:
            try:
                await loop()
            except (apsw.Error, OSError, StateError) as error:
                log.warning("the memory index could not be written, it is tried again", reason=str(error))
            await self._clock.sleep(_AGAIN_SECONDS)

    async def stop(self) -> None:
        await end(self._tasks, again=AGAIN_SECONDS)
        self._tasks = []
        if self._embedder is not None:
            await self._embedder.close()
        self.index.close()

    # ---- finding ----

    async def search(self, query: str, scope: Scope, limit: int = LIMIT) -> list[Hit]:
        """The best places for a question that this reader may find. Never raises for a question's text. Right after the
        start it waits a moment for the first look over the files."""
        began = self._clock.monotonic()
        try:
            if self._tasks and not self._looked.is_set():
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._looked.wait(), _FIRST_LOOK_SECONDS)
            return await self._search.search(query, scope, limit)
        finally:
            self._timed(self._clock.monotonic() - began)

    def read(self, scope: Scope, path: str, start: int = 1, end: int = 0) -> tuple[str, Source]:
        """Lines of a memory file. Raises NotFoundError, also for what this reader may not see."""
        return read_place(self.index, self._workspace(scope.session.agent), scope, path, start, end)

    async def touched(self, path: Path) -> None:
        """A file was written: have it searchable now rather than when the watcher sees it."""
        await self.index.sync([path])

    async def reindex(self) -> dict[str, Any]:
        """Read every file anew and compare the parts; return the status with what was repaired."""
        files = await self.index.rebuild()
        repaired = await self.index.check()
        return {**await self.status(), "files_read": files, "repaired": repaired}

    async def tidy(self, agent: str = "main") -> dict[str, Any]:
        """Merge near repeats, digest older notes and conversations, take repeated lines out of files over 5 KB.

        Returns what was done. Raises NotFoundError, OSError, UnicodeDecodeError for a large file that is not UTF-8.
        """
        workspace, now = self._workspace(agent), self._clock.now()
        done = {
            "merged": await asyncio.to_thread(tidy.merge, workspace, now),
            "days": await asyncio.to_thread(tidy.digest_days, workspace, now),
            "conversations": await asyncio.to_thread(tidy.digest_talks, workspace),
            "shortened": await asyncio.to_thread(tidy.shorten, workspace, now),
        }
        await self.index.sync()
        return done

    async def status(self) -> dict[str, Any]:
        """Counts, the embedder and its progress (`/memory`, doctor, metrics)."""
        found = await self.index.status()
        progress = self.filler.progress if self.filler else None
        problem = progress.problem if progress else ""
        if self._no_reranker and not problem:
            problem = "memory.backend is rerank, and memory.reranker_url names no server: joined as hybrid"
        return {
            **found,
            "embedder": str(progress.identity) if progress and progress.identity else "",
            "problem": problem,
            "quarantine": len(self.quarantine.list()),
        }

    # ---- remembering and forgetting ----

    def items(self, agent: str = "main") -> Items:
        return Items(self._workspace(agent))

    async def remember(self, text: str, scope: Scope, *, message: str, tainted: bool, origin: str = "") -> Remembered:
        """Store a text as an item of this person; from a guest, or in a session that holds outside text, it waits for
        the owner's yes.

        Raises OSError when the disk is full.
        """
        agent, now = scope.session.agent, self._clock.now()
        clean = " ".join(text.split())
        if tainted or scope.role is Role.GUEST:
            return Remembered(
                held=self.quarantine.hold(
                    clean, at=now, session=scope.session.value, agent=agent, person=scope.person, origin=origin
                )
            )
        return await self._store(
            Item(self._tag_of(clean), clean, now, scope.session.value, message, scope.person), agent
        )

    async def note(self, text: str, agent: str) -> None:
        """Append lines to today's note, as such and not as items. Raises OSError."""
        lines = "\n".join(note_line(line) for line in text.splitlines())
        await self.touched(await self._workspace(agent).append_day_async(lines, self._clock.now()))

    async def release(self, identity: str) -> Remembered:
        """The owner's yes to a text in quarantine: an item, or what it would have been without the wait. Raises
        NotFoundError, OSError."""
        held = self.quarantine.find(identity)
        if held.origin == FLUSHED:
            await self.note(held.text, held.agent)
            done = Remembered(held=held)
        else:
            tag = TAGS.get(held.tag) or self._tag_of(held.text)
            item = Item(tag, held.text, self._clock.now(), held.session, f"quarantine-{held.id}", held.person)
            done = await self._store(item, held.agent)
        self.quarantine.take(identity)  # last, so that a kill or a full disk before it loses nothing
        return done

    async def _store(self, item: Item, agent: str) -> Remembered:
        workspace = self._workspace(agent)
        for known in Items(workspace).active():
            if known.normalised == item.normalised and known.person == item.person:
                return Remembered(item=known, known=True)
        path = await workspace.append_day_async(line_of(item), item.at)
        await self.index.sync([path])
        return Remembered(item=item)

    async def forget(self, what: str, *, agent: str = "main", by: str = OWNER) -> list[Item]:
        """Mark items as forgotten (by id or words); they leave prompts and search. Raises NotFoundError."""
        found = self.items(agent).forget(what, at=self._clock.now(), by=by)
        self._drop_tiers(self._workspace(agent))
        self._changed()
        await self.index.sync()
        return found

    async def owners_changed(self) -> None:
        """Whose items are the owner's is different now: search and what was digested follow."""
        for workspace in self.workspaces.values():
            self._drop_tiers(workspace)
        await self.index.sync()

    @staticmethod
    def _drop_tiers(workspace: Workspace) -> None:
        """What was made of items that count no more: made anew, without them, when the house is idle."""
        for path in workspace.tiers.glob("*.md"):
            path.unlink(missing_ok=True)

    async def undo(self, *, agent: str = "main", by: str = OWNER) -> list[Item]:
        """Take back the newest forgetting. Raises NotFoundError."""
        found = self.items(agent).undo(at=self._clock.now(), by=by)
        self._changed()
        await self.index.sync()
        return found

    def history(self, what: str = "", *, agent: str = "main") -> list[Placed]:
        """Items and marks in order of time."""
        return self.items(agent).history(what)

    async def erase(self, text: str, *, agent: str = "main", by: str = OWNER) -> dict[str, int]:
        """Overwrite a text wherever memory holds it, leave a tombstone, and write the index anew without it.

        Returns how often it stood in each file. Raises InputError (too short), NotFoundError (nowhere), OSError.
        """
        found = await asyncio.to_thread(erase, text, list(self._erasable()))
        self._changed()
        if not found:
            raise NotFoundError("That text stands in no note, transcript or output.")
        now = self._clock.now()
        mark = Mark("erase", "-", f"a text of {len(text.strip())} characters was erased", now, by)
        await self._workspace(agent).append_day_async(line_of(mark), now)
        await self.index.scrub(found)
        places = {str(path.relative_to(self.state)): count for path, count in found.items()}
        self._audit("memory_erased", places=places, by=by)
        return places

    def _erasable(self) -> Iterable[Path]:
        for workspace in self.workspaces.values():
            yield from workspace.folder.glob("*.md")
            yield from workspace.notes.glob("*.md")
            yield from workspace.tiers.glob("*.md")
            yield from workspace.before_tidy.glob("*.md")
            yield from workspace.sessions.iterdir()
        for folder in (self.index.team, self.state / "outputs", self.state / "quarantine"):
            if folder.is_dir():
                yield from (path for path in folder.rglob("*") if path.is_file())

    def _workspace(self, agent: str) -> Workspace:
        found = self.workspaces.get(agent)
        if found is None:
            raise NoAgentError(agent)
        return found
