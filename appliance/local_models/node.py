"""What the models service holds: a chat model, an embedder and a transcriber, how each came to be, and what could
replace it."""

from __future__ import annotations

import functools
import resource
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from appliance.errors import ApplianceError
from appliance.local_models import runtime
from appliance.local_models.catalogue import (
    ASK_ABOVE_BYTES,
    CATALOGUE,
    INSTANT_CHAT,
    INSTANT_EMBEDDER,
    MEMORY_SHARE,
    MIB,
    Entry,
    Kind,
    best_fit,
    entry,
    machine_memory,
    resolve,
)
from appliance.local_models.errors import FetchError, LocalModelError, StoppedError
from appliance.local_models.fetch import fetch
from appliance.local_models.progress import Phase, Stop
from appliance.local_models.store import Store
from appliance.local_models.worker import Worker

if TYPE_CHECKING:
    from appliance.local_models.chat import ChatEngine
    from appliance.local_models.embedding import Embedder
    from appliance.local_models.hearing import Transcriber

MOST_CONTEXT = 32_768  # tokens; more costs memory that a home server wants for other things
LEAST_CONTEXT = 2_048
RETRY_SECONDS = (15.0, 60.0, 300.0, 900.0)
PREFIX_SHARE = 0.04  # of the machine's memory, for conversations that left the model's context
MOST_PREFIX_BYTES = 1024 * MIB
CLOSE_SECONDS = 4.0
UPGRADE_RETRY_SECONDS = (60.0, 900.0, 3600.0)  # between tries to fetch a better small model by itself
OWN_BYTES = 300 * MIB  # what the service takes beside its models
SLACK_BYTES = 1024 * MIB  # on top of twice what a model needs, where the owner set no limit


@dataclass(frozen=True, slots=True)
class NodeOptions:
    """`chat` and `embedder`: `auto`, `off`, a catalogue name or a GGUF path; `transcriber`: `off` or a catalogue name.
    `memory_limit` in bytes; 0 is by size."""

    folder: Path
    chat: str = "auto"
    embedder: str = "auto"
    transcriber: str = "off"
    threads: int = 0
    context: int = 0
    memory_limit: int = 0
    upgrade: bool = True  # fetch small better models by itself (multilingual embedder)


@dataclass(slots=True)
class Part:
    """Where one of the models stands; `percent` 0 to 100 or None, `window` in tokens."""

    phase: Phase = "starting"
    percent: float | None = None
    detail: str = ""
    model: str = ""
    window: int = 0
    dimensions: int = 0
    multilingual: bool = False
    sees: bool = False
    fix: str = ""

    def say(self, phase: Phase, percent: float | None, detail: str) -> None:
        self.phase, self.percent, self.detail = phase, None if percent is None else round(percent, 1), detail
        if phase != "failed":
            self.fix = ""

    def fail(self, error: Exception) -> None:
        what, fix = (error.what, error.fix) if isinstance(error, ApplianceError) else (repr(error), "")
        self.say("failed", None, what)
        self.fix = fix


@dataclass(slots=True)
class Pull:
    """A fetch that somebody asked for."""

    name: str
    phase: str = "fetching"
    percent: float | None = 0.0
    detail: str = ""


@dataclass(slots=True)
class Node:
    """Everything is fetched, built and loaded in threads of its own; reading the state never waits."""

    options: NodeOptions
    chat: Part = field(default_factory=Part)
    embedder: Part = field(default_factory=Part)
    transcriber: Part = field(default_factory=Part)
    chat_engine: ChatEngine | None = None
    embed_engine: Embedder | None = None
    speech_engine: Transcriber | None = None
    chat_worker: Worker = field(default_factory=lambda: Worker("chat"))
    embed_worker: Worker = field(default_factory=lambda: Worker("embed"))
    speech_worker: Worker = field(default_factory=lambda: Worker("speech"))
    pulls: dict[str, Pull] = field(default_factory=dict)
    stop: Stop = field(default_factory=Stop)
    started: float = field(default_factory=time.time)
    _threads: list[threading.Thread] = field(default_factory=list)
    _switching: threading.Lock = field(default_factory=threading.Lock)

    def start(self) -> None:
        """Begin to build, fetch and load."""
        if self.options.chat == "off":
            self.chat.say("off", None, "no local chat model is wanted")
        if self.options.embedder == "off":
            self.embedder.say("off", None, "no embedder is wanted")
        if self.options.transcriber == "off":
            self.transcriber.say("off", None, "no transcriber is wanted")
        else:
            self._thread("bring-transcriber", self._bring_transcriber)
        self._thread("boot", self._boot)

    def close(self) -> None:
        """End what is being built or fetched, and wait a moment until it has ended."""
        self.stop.set()
        deadline = time.monotonic() + CLOSE_SECONDS
        for thread in list(self._threads):
            thread.join(max(0.0, deadline - time.monotonic()))

    def status(self) -> dict[str, Any]:
        """The state for GET /status."""
        return {
            "phase": self.chat.phase,
            "percent": self.chat.percent,
            "detail": self.chat.detail,
            "fix": self.chat.fix,
            "model": self.chat.model,
            "window": self.chat.window,
            "native_tools": bool(self.chat_engine and self.chat_engine.native_tools),
            "sees": self.chat.sees,
            "waiting": self.chat_worker.waiting,
            "embedder": {**asdict(self.embedder), "name": self.embedder.model},
            "transcriber": {**asdict(self.transcriber), "name": self.transcriber.model},
            "offer": self.offer(),
            "pulls": [asdict(pull) for pull in self.pulls.values()],
            "memory_mb": _resident_mib(),
            "started": self.started,
        }

    def offer(self) -> dict[str, Any] | None:
        """The better model that fits this machine and would be used if it were here; None when there is none."""
        if self.options.chat != "auto":
            return None
        best = best_fit(machine_memory())
        if best.name == self.chat.model or self._store.present(best) or best.name == INSTANT_CHAT:
            return None
        size = best.whole_size
        return {"name": best.name, "size": size, "licence": best.licence, "ask": size > ASK_ABOVE_BYTES}

    @property
    def _store(self) -> Store:
        return Store(self.options.folder)

    def _boot(self) -> None:
        parts = [part for part in (self.chat, self.embedder) if part.phase != "off"]

        def say(phase: Phase, percent: float | None, detail: str) -> None:
            for part in parts:
                part.say(phase, percent, detail)

        if not parts or not self._until_done(parts, lambda: runtime.ensure(self._store, say, self.stop)):
            return
        if self.chat.phase != "off":
            self._thread("bring-chat", self._bring_chat)
        if self.embedder.phase != "off":
            self._thread("bring-embedder", self._bring_embedder)

    def _thread(self, name: str, work: Callable[[], object]) -> None:
        thread = threading.Thread(target=work, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _until_done(self, parts: list[Part], work: Callable[[], object]) -> bool:
        """Do `work`, again after a while when only the network stood in the way; return whether it was done."""
        tries = 0
        while True:
            try:
                work()
            except StoppedError:
                return False
            except Exception as error:  # noqa: BLE001 - the thread's edge: whatever broke is told as the state
                for part in parts:
                    part.fail(error)
                if not (isinstance(error, FetchError) and error.retry):
                    return False
            else:
                return True
            wait = RETRY_SECONDS[min(tries, len(RETRY_SECONDS) - 1)]
            tries += 1
            if self.stop.event.wait(wait):
                return False

    def _bring_chat(self) -> None:
        self._until_done([self.chat], lambda: self._use_first("chat", self.options.chat, self._use_chat))
        if self.options.chat == "auto":
            self._upgrade(best_fit(machine_memory()))

    def _bring_embedder(self) -> None:
        self._until_done(
            [self.embedder], lambda: self._use_first("embedding", self.options.embedder, self._use_embedder)
        )
        if self.options.embedder == "auto":
            self._upgrade(*self._fitting("embedding", entry(INSTANT_EMBEDDER).rank))

    def _bring_transcriber(self) -> None:
        self._until_done([self.transcriber], lambda: self._use_transcriber(resolve(self.options.transcriber, "speech")))

    def _use_first(self, kind: Kind, wanted: str, use: Callable[[Entry], Part]) -> None:
        """Use the best candidate that can be loaded; say why a better one could not."""
        *better, last = self._candidates(kind, wanted)
        reasons = []
        for item in better:
            try:
                part = use(item)
            except StoppedError:
                raise
            except (LocalModelError, OSError, RuntimeError, ValueError) as error:
                reasons.append(error.what if isinstance(error, LocalModelError) else f"{item.name}: {error!r}")
                continue
            break
        else:
            part = use(last)
        if reasons:
            part.detail = f"{part.detail} (instead: {' '.join(reasons)})"

    def _upgrade(self, *better: Entry) -> None:
        """Fetch the first of these that can be had, quietly: what is in use goes on. One too large not to ask is left
        out; while the network stands in the way, all are tried again later."""
        if not self.options.upgrade or any(self._store.present(item) for item in better):
            return
        wanted = [item for item in better if item.whole_size <= ASK_ABOVE_BYTES]
        tries = 0
        while True:
            again = False
            for item in wanted:
                again |= self._pull_quietly(item.name)
                if self._store.present(item):
                    return
            wait = UPGRADE_RETRY_SECONDS[min(tries, len(UPGRADE_RETRY_SECONDS) - 1)]
            tries += 1
            if not again or self.stop.event.wait(wait):
                return

    def _candidates(self, kind: Kind, wanted: str) -> list[Entry]:
        """The entry for a setting; for `auto` those that are here and fit, best first, and last what is had at once."""
        if wanted != "auto":
            return [resolve(wanted, kind)]
        instant = entry(INSTANT_CHAT if kind == "chat" else INSTANT_EMBEDDER)
        return [*filter(self._store.present, self._fitting(kind, instant.rank)), instant]

    def _fitting(self, kind: Kind, above: int) -> list[Entry]:
        """The entries ranked higher than `above` that fit this machine, best first."""
        room = self._share()
        found = [i for i in CATALOGUE if i.kind == kind and i.rank > above and i.memory(LEAST_CONTEXT) <= room]
        return sorted(found, key=lambda item: -item.rank)

    def _share(self) -> int:
        """Bytes that a model chosen by `auto` may take."""
        return int(machine_memory() * MEMORY_SHARE)

    def _context(self, item: Entry) -> int:
        """How many tokens of window this machine can give the model."""
        if self.options.context:
            return min(self.options.context, item.context) if item.context else self.options.context
        most = min(item.context or 8192, MOST_CONTEXT)
        limit = self.options.memory_limit - OWN_BYTES if self.options.memory_limit else self._share()
        if item.kv_bytes:
            most = min(most, max(LEAST_CONTEXT, (limit - item.memory(0)) // item.kv_bytes))
        return most if most < 1024 else most // 1024 * 1024

    def _need(self, item: Entry, context: int) -> None:
        """Raise LocalModelError when the model would not fit; set the limit that keeps the rest of the machine safe."""
        needed, room = item.memory(context), _available()
        if self.options.memory_limit:  # of the whole process; what is available leaves out what it takes already
            needed, room = needed + OWN_BYTES, min(room, self.options.memory_limit)
        if needed > room:
            raise LocalModelError(
                f"{item.name} needs {needed // MIB} MiB of memory and {room // MIB} MiB can be had.",
                fix="Choose a smaller model, or raise local.memory_limit_mb where that is what stands in the way.",
            )
        limit = self.options.memory_limit or 2 * needed + SLACK_BYTES
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        current = resource.getrlimit(resource.RLIMIT_DATA)[0]
        limit = limit if current == resource.RLIM_INFINITY or self.options.memory_limit else max(limit, current)
        if hard == resource.RLIM_INFINITY or limit <= hard:
            resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))

    def _use_chat(self, item: Entry) -> Part:
        from appliance.local_models.chat import ChatEngine

        say = self.chat.say if self.chat_engine is None else _quiet
        path = fetch(item, self._store, say, self.stop)
        say("loading", None, f"loading {item.name}")
        context = self._context(item)
        self._need(item, context)
        engine = ChatEngine(
            path,
            name=item.name,
            context=context,
            threads=self.options.threads,
            sampling=item.sampling,
            prefix_bytes=min(MOST_PREFIX_BYTES, int(machine_memory() * PREFIX_SHARE)),
            projector=self._store.path(item.projector) if item.projector else None,
            picture_tokens=item.picture_tokens,
        )
        old, self.chat_engine = self.chat_engine, engine
        self.chat.model, self.chat.window, self.chat.sees = item.name, engine.window, engine.sees
        self.chat.say("ready", 100.0, f"{item.name} answers")
        if old is not None:
            self.chat_worker.tidy(old.close)
        return self.chat

    def _use_embedder(self, item: Entry) -> Part:
        from appliance.local_models.embedding import load_embedder

        say = self.embedder.say if self.embed_engine is None else _quiet
        path = fetch(item, self._store, say, self.stop)
        say("loading", None, f"loading {item.name}")
        self._need(item, 0)
        engine = load_embedder(path, item, threads=self.options.threads)
        old, self.embed_engine = self.embed_engine, engine
        part = self.embedder
        part.model, part.window, part.dimensions = item.name, engine.window, engine.dimensions
        part.multilingual = item.multilingual
        part.say("ready", 100.0, f"{item.name} embeds")
        if old is not None:
            self.embed_worker.tidy(old.close)
        return part

    def _use_transcriber(self, item: Entry) -> None:
        from appliance.local_models.hearing import Transcriber

        path = fetch(item, self._store, self.transcriber.say, self.stop)
        self.transcriber.say("loading", None, f"loading {item.name}")
        self._need(item, 0)
        self.speech_engine = Transcriber(path, threads=self.options.threads)
        self.transcriber.model, self.transcriber.multilingual = item.name, item.multilingual
        self.transcriber.say("ready", 100.0, f"{item.name} listens")

    def begin_pull(self, name: str) -> Pull:
        """Start to fetch `name` in the background; raise NotFoundError when the catalogue has no such model."""
        item = entry(name)
        running = self.pulls.get(item.name)
        if running is not None and running.phase == "fetching":
            return running
        self.pulls[item.name] = Pull(item.name)
        self._thread(f"pull-{item.name}", functools.partial(self._pull_quietly, item.name))
        return self.pulls[item.name]

    def _pull_quietly(self, name: str) -> bool:
        """Pull; what goes wrong stands in the pull's own state. Return whether trying again later may help."""
        try:
            self.pull(name)
        except Exception as error:  # noqa: BLE001 - the thread's edge
            return isinstance(error, FetchError) and error.retry
        return False

    def pull(self, name: str) -> None:
        """Fetch `name`; under `auto` it takes over when it is the best that is here. Raise what `fetch` raises."""
        item = entry(name)
        pull = self.pulls.setdefault(item.name, Pull(item.name))
        pull.phase = "fetching"

        def say(phase: Phase, percent: float | None, detail: str) -> None:
            pull.percent, pull.detail = percent, detail

        try:
            fetch(item, self._store, say, self.stop)
            wanted, use = self._slot(item.kind)
            if wanted == "auto" and self._candidates(item.kind, "auto")[0] == item:
                with self._switching:
                    use(item)
        except Exception as error:
            pull.phase, pull.detail = "failed", str(error)
            raise
        pull.phase, pull.percent, pull.detail = "done", 100.0, f"{item.name} is here"

    def _slot(self, kind: Kind) -> tuple[str, Callable[[Entry], object]]:
        """The setting for a kind of model, and how one is put to use."""
        if kind == "chat":
            return self.options.chat, self._use_chat
        if kind == "embedding":
            return self.options.embedder, self._use_embedder
        return self.options.transcriber, self._use_transcriber


def _quiet(phase: Phase, percent: float | None, detail: str) -> None:
    """While a model answers, the fetching of the next one does not change what is said of it."""


def _available() -> int:
    for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return min(int(line.split()[1]) * 1024, machine_memory())
    return machine_memory()


def _resident_mib() -> int:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) // 1024
    return 0
