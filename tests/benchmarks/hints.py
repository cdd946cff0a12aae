"""The scores of appliance/memory/hints.tsv: how they are made, and what they do on messages they never met.

    python tests/benchmarks/hints.py --write        learn from all labelled messages and write the table
    python tests/benchmarks/hints.py handed 34 en   leave out each of these batches, learn from the rest, and score the
                                                   hints on it; `handed` is the corpus that capture is judged by
    python tests/benchmarks/hints.py --on FILE      learn from all and score a file of messages that no corpus has

Sparse logistic regression (FTRL-proximal: McMahan et al., "Ad click prediction", 2013). Needs numpy; nothing of this
runs in the house.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parent))

import capture as scorer
import labelled
from labelled import Rows

from appliance.memory import weighing
from appliance.memory.capture import heard_in
from appliance.memory.hints import ANSWERS, EVERY, GOES_ON, TAGS, TAKES_BACK, Heard, hints_beside, hints_of, name_of
from appliance.memory.rules import rules_for
from appliance.memory.voices import fold
from appliance.memory.weighing import MOST_SCORE, SCALE, TABLE, table_of

Examples = list[tuple[set[str], int]]  # the hints of a clause, its answer
Scores = dict[str, list[int]]

_WEIGHT_OF_HANDED = 3  # times that each message of the handed corpora is shown,
_TWO_PLAIN = "two"  # and each of this batch: two plain statements in a row, the second short of its subject
_WEIGHT_OF_TAKEN_BACK = 3  # times more that a take-back is shown: none may ever become an item
_ROUNDS, _RATE, _SPARSE, _SHRINK = 6, 0.1, 1.0, 0.5
_ORDERS = 3  # in which the messages are shown; what is learned in each is averaged
_LEANING = (3, 6, 3, 0, 3)  # tenths: what is missed costs more than what was not meant, a limit most of all
_LEANING_BEHIND = 14  # tenths against a second thing in the same sentence: it is mostly the reason or the consequence
_SEEN = 2  # clauses with a hint, for it to count
_MOST_HINTS = 45_000
_COVERED = 0.6  # of a clause that lies in an item, for the clause to count as one


def wanted(row: dict[str, Any], clauses: list[Heard]) -> list[int]:
    """What each clause is by the labels, 0 for nothing and 1 more than in hints.py for the rest."""
    if row.get("kind") == "n-retract":
        return [1 + TAKES_BACK] * len(clauses)
    answers: list[int] = []
    last = None
    for clause in clauses:
        answer, of = 0, None
        for item in row["items"]:
            start = row["text"].find(item["span"])
            overlap = min(start + len(item["span"]), clause.end) - max(start, clause.start)
            if overlap >= _COVERED * min(clause.end - clause.start, len(item["span"])):
                answer, of = 1 + TAGS.index(item["tag"]), start
        answers.append(1 + GOES_ON if of is not None and of == last else answer)
        last = of
    return answers


def examples(rows: Rows) -> Examples:
    made: Examples = []
    for row in rows:
        folded = fold(row["text"])
        if rules_for(folded).feigned.search(folded):
            continue  # no hint is asked there
        heard = heard_in(row["text"])
        common, own = hints_of(heard)
        said: list[str] = []
        answers = wanted(row, heard)
        of_hints = [answer - 1 if answer else None for answer in answers]
        for place, (shown, answer) in enumerate(zip(own, answers, strict=True)):
            alone = {*common, *shown}
            ahead = of_hints[place + 1] if place + 1 < len(answers) else None
            made.append((alone | {*hints_beside(heard, said, ahead, known=True)}, answer))
            if place + 1 < len(answers):
                made.append((alone | {*hints_beside(heard, said, known=False)}, answer))
            said.append(name_of(of_hints[place], said))
    return made


def of_batches(rows: Rows) -> Examples:
    """Messages of the batches; some of them and take-backs more often."""
    often = [row for row in rows if row["batch"] in ("handed", _TWO_PLAIN)]
    taken_back = [row for row in rows if row["kind"] == "n-retract" and row["batch"] != "handed"]
    return examples(rows + (_WEIGHT_OF_HANDED - 1) * often + _WEIGHT_OF_TAKEN_BACK * taken_back)


def learn(data: Examples) -> Scores:
    """What each hint says for each answer rather than for nothing, in tenths; the weightiest of them."""
    counts = Counter(hint for found, _ in data for hint in sorted(found))
    places = {hint: place for place, hint in enumerate(hint for hint, count in counts.items() if count >= _SEEN)}
    numbered = [(np.array(sorted(places[hint] for hint in found if hint in places)), answer) for found, answer in data]
    weights = sum(_learned(numbered, len(places), order) for order in range(_ORDERS)) / _ORDERS
    rather = np.rint((weights[:, 1:] - weights[:, :1]) * SCALE).clip(-MOST_SCORE, MOST_SCORE).astype(int)
    names = list(places)
    heaviest = sorted(range(len(names)), key=lambda place: (-np.abs(rather[place]).max(), names[place]))
    table = {names[place]: rather[place].tolist() for place in heaviest[:_MOST_HINTS] if rather[place].any()}
    lean(table, EVERY, _LEANING)
    for tag in TAGS:
        lean(table, f"#after {tag} here", (-_LEANING_BEHIND,) * len(TAGS) + (0, 0))
    return table


def _learned(numbered: list[tuple[np.ndarray, int]], hints: int, order: int) -> np.ndarray:
    """Weights, (hints, 1 + answers), learned in one of the orders in which messages can be shown."""
    pull = np.zeros((hints, 1 + ANSWERS))
    squares = np.zeros_like(pull)
    chance = random.Random(order)
    shown = list(numbered)
    for _ in range(_ROUNDS):
        chance.shuffle(shown)
        for here, answer in shown:
            weights = _weights(pull[here], squares[here])
            scores = weights.sum(0)
            gradient = np.exp(scores - scores.max())
            gradient /= gradient.sum()
            gradient[answer] -= 1
            grown = squares[here] + gradient**2
            pull[here] += gradient - (np.sqrt(grown) - np.sqrt(squares[here])) / _RATE * weights
            squares[here] = grown
    return _weights(pull, squares)


def lean(table: Scores, hint: str, leaning: Sequence[int]) -> None:
    """Let a hint speak more or less for each answer than what was learned."""
    table[hint] = [score + more for score, more in zip(table.get(hint, [0] * ANSWERS), leaning, strict=True)]


def _weights(pull: np.ndarray, squares: np.ndarray) -> np.ndarray:
    held = (1 + np.sqrt(squares)) / _RATE + _SHRINK
    return np.where(np.abs(pull) > _SPARSE, -(pull - np.sign(pull) * _SPARSE) / held, 0.0)


def use(table: Scores) -> None:
    """Let the product read these scores instead of its own."""
    held = table_of(table.items())
    weighing._table = lambda: held  # type: ignore[assignment]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("batches", nargs="*")
    parser.add_argument("--on", type=Path, help="labelled messages that no corpus has")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows = labelled.fresh() + [row | {"batch": "handed"} for row in labelled.handed()]
    plain = labelled.phrases()
    around = [row for seed in (1, 2) for row in labelled.paired(plain, seed) + labelled.dressed(plain, seed)]
    others = examples(2 * plain + around) + _WEIGHT_OF_HANDED * examples(labelled.talk())
    for batch in options.batches:
        use(learn(of_batches([row for row in rows if str(row["batch"]) != batch]) + others))
        for tag in ("", "B"):
            total = scorer.score([row for row in rows if str(row["batch"]) == batch], tag)
            print(f"{batch} {tag or 'all'}: {total}", flush=True)
    if options.on:
        use(learn(of_batches(rows) + others))
        print(f"{options.on.name}: {scorer.score(labelled.read_rows(options.on))}")
    if options.write:
        table = learn(of_batches(rows) + others)
        lines = ["\t".join([hint, *map(str, scores)]) for hint, scores in sorted(table.items())]
        TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"{TABLE.name}: {len(lines)} hints, {TABLE.stat().st_size // 1024} KB")


if __name__ == "__main__":
    main()
