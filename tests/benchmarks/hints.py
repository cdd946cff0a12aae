"""The scores of appliance/memory/hints.tsv: how they are made, and what they do on messages they never met.

    python tests/benchmarks/hints.py --write        learn from all labelled messages and write the table
    python tests/benchmarks/hints.py 34 35 36 37    leave each of these batches out, learn from the rest, and score the
                                                   patterns alone and with the hints on it
    python tests/benchmarks/hints.py --on FILE      the same for a file of labelled messages that is in no corpus yet

Sparse logistic regression (FTRL-proximal: McMahan et al., "Ad click prediction", 2013). Needs numpy; nothing of this
runs in the house.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parent))

import capture as scorer

from appliance.memory import hints
from appliance.memory.capture import heard_in
from appliance.memory.hints import ANSWERS, BESIDE, MOST_SCORE, SCALE, TABLE, TAGS, Heard, table_of, words_of

Rows = list[dict[str, Any]]
Examples = list[tuple[set[str], int]]  # the hints of a clause, its answer
Scores = dict[str, list[int]]

CORPORA = Path(__file__).parents[1] / "corpora"
_WEIGHT_OF_HANDED = 3  # times that each message of the handed corpora is shown
_WEIGHT_OF_TAKEN_BACK = 3  # times more that a take-back is shown: none may ever become an item
_ROUNDS, _RATE, _SPARSE, _SHRINK = 6, 0.1, 1.0, 0.5
_SEEN = 2  # clauses with a hint, for it to count
_MOST_HINTS = 12_000
_COVERED = 0.6  # of a clause that lies in an item, for the clause to count as one


def read(name: str) -> Rows:
    return [json.loads(line) for line in (CORPORA / name).read_text(encoding="utf-8").splitlines()]


def read_phrases() -> Rows:
    """Plain sentences of one tag each, or of none."""
    lines = (CORPORA / "capture-phrases.txt").read_text(encoding="utf-8").splitlines()
    phrases = [line.split("|", 1) for line in lines if line.strip()]
    return [{"text": text, "items": [{"span": text, "tag": tag}] if tag != "-" else []} for tag, text in phrases]


def read_talk() -> Rows:
    """What a household says in half a month."""
    said = [row for row in read("fifteen-days.jsonl") if row["role"] == "user"]
    return [{"text": row["text"], "items": row["expected_items"]} for row in said]


def wanted(row: dict[str, Any], clauses: list[Heard]) -> list[int]:
    """Of each clause by the labels: 0 for nothing, the place of its tag, or that it goes on with the one before."""
    answers: list[int] = []
    last = None
    for clause in clauses:
        answer, of = 0, None
        for item in row["items"]:
            start = row["text"].find(item["span"])
            overlap = min(start + len(item["span"]), clause.end) - max(start, clause.start)
            if overlap >= _COVERED * min(clause.end - clause.start, len(item["span"])):
                answer, of = 1 + TAGS.index(item["tag"]), start
        answers.append(ANSWERS if of is not None and of == last else answer)
        last = of
    return answers


def hints_of(heard: list[Heard]) -> list[set[str]]:
    """The hints that each clause of a message may have, as the table writes them."""
    words = [words_of(clause.text) for clause in heard]
    found = []
    for place, clause in enumerate(heard):
        own = ["^", *words[place], "$"]
        beside = {at: heard[at].sentence if 0 <= at < len(heard) else None for at in (place - 1, place + 1)}
        before = words[place - 1][-BESIDE:] if beside[place - 1] == clause.sentence else ["^"]
        behind = words[place + 1][:BESIDE] if beside[place + 1] == clause.sentence else ["?" if clause.asked else "$"]
        runs = {*own, *map(" ".join, pairwise(own))}
        found.append({"=", *runs, *(f"<{word}" for word in before), *(f">{word}" for word in behind)})
    return found


def examples(rows: Rows) -> Examples:
    made: Examples = []
    for row in rows:
        heard = heard_in(row["text"])
        made += zip(hints_of(heard), wanted(row, heard), strict=True)
    return made


def of_batches(rows: Rows) -> Examples:
    """Messages of the fresh batches, take-backs more often."""
    return examples(rows + _WEIGHT_OF_TAKEN_BACK * [row for row in rows if row["kind"] == "n-retract"])


def learn(data: Examples) -> Scores:
    """What each hint says for each answer rather than for nothing, in tenths; the weightiest of them."""
    counts = Counter(hint for found, _ in data for hint in sorted(found))
    places = {hint: place for place, hint in enumerate(hint for hint, count in counts.items() if count >= _SEEN)}
    numbered = [(np.array(sorted(places[hint] for hint in found if hint in places)), answer) for found, answer in data]
    pull = np.zeros((len(places), 1 + ANSWERS))
    squares = np.zeros_like(pull)
    order = random.Random(1)
    for _ in range(_ROUNDS):
        order.shuffle(numbered)
        for here, answer in numbered:
            weights = _weights(pull[here], squares[here])
            scores = weights.sum(0)
            gradient = np.exp(scores - scores.max())
            gradient /= gradient.sum()
            gradient[answer] -= 1
            grown = squares[here] + gradient**2
            pull[here] += gradient - (np.sqrt(grown) - np.sqrt(squares[here])) / _RATE * weights
            squares[here] = grown
    weights = _weights(pull, squares)
    rather = np.rint((weights[:, 1:] - weights[:, :1]) * SCALE).clip(-MOST_SCORE, MOST_SCORE).astype(int)
    names = list(places)
    heaviest = sorted(range(len(names)), key=lambda place: (-np.abs(rather[place]).max(), names[place]))
    return {names[place]: rather[place].tolist() for place in heaviest[:_MOST_HINTS] if rather[place].any()}


def _weights(pull: np.ndarray, squares: np.ndarray) -> np.ndarray:
    held = (1 + np.sqrt(squares)) / _RATE + _SHRINK
    return np.where(np.abs(pull) > _SPARSE, -(pull - np.sign(pull) * _SPARSE) / held, 0.0)


def use(table: Scores) -> None:
    """Let the product read these scores instead of its own."""
    held = table_of(table)
    hints._table = lambda: held  # type: ignore[assignment]


def compare(name: str, rows: Rows, learned_from: Examples) -> None:
    """Score the patterns alone, then with hints that never met these messages."""
    for how, table in (("without", {}), ("with", learn(learned_from))):
        use(table)
        print(f"{name}: {how:8} {scorer.score(rows)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("batches", nargs="*", type=int)
    parser.add_argument("--on", type=Path, help="labelled messages that no corpus has")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    fresh = read("capture-fresh.jsonl")
    others = examples(read_phrases()) + _WEIGHT_OF_HANDED * examples(read("capture.jsonl") + read_talk())
    for batch in options.batches:
        rest = [row for row in fresh if row["batch"] != batch]
        compare(str(batch), [row for row in fresh if row["batch"] == batch], of_batches(rest) + others)
    if options.on:
        rows = [json.loads(line) for line in options.on.read_text(encoding="utf-8").splitlines()]
        compare(options.on.name, rows, of_batches(fresh) + others)
    if options.write:
        table = learn(of_batches(fresh) + others)
        lines = ["\t".join([hint, *map(str, scores)]) for hint, scores in sorted(table.items())]
        TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"{TABLE.name}: {len(lines)} hints, {TABLE.stat().st_size // 1024} KB")


if __name__ == "__main__":
    main()
