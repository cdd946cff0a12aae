"""How right and how fast capture is: precision and recall by language and tag, false alarms, processor time a message.

    python tests/benchmarks/capture.py                         the corpus of this repository
    python tests/benchmarks/capture.py other.jsonl             any file of {"id", "lang", "kind", "text", "items"} lines
    python tests/benchmarks/capture.py tests/corpora/capture-fresh.jsonl    messages labelled before the rules met them

An item counts when its tag is right (or one of `alt`), it overlaps at least half of the shorter span and the union by
at least 0.4, one to one. `--check` fails when the rules miss what is promised for the whole corpus.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from appliance.memory.capture import LONGEST, Item, capture, warm
from appliance.memory.over import stated
from appliance.memory.taking_back import takes_back

CORPUS = Path(__file__).parents[1] / "corpora" / "capture.jsonl"
# Each repeated up to the longest message that is read whole: what makes a rule look far for nothing.
_HOSTILE = (
    "\r\n", "\n", " \n", " ", "a", "1.", ",", "。", "'", '"', "`", "> ", "((",
    "我", "不", "😀", "e\u0301", "http://a", "def f(", "no ", "never, ",
    "不要，", "if ", "如果", "I like ", "我喜欢",
    "call me ", "forget ", "I'm no longer ", "我不吃了，", "我不吃了。", "she said ", "她说", "remember that ", "记住",
)  # fmt: skip


@dataclass
class Score:
    """Counts over some messages."""

    predicted: int = 0
    gold: int = 0
    hits: int = 0
    without: int = 0
    alarms: int = 0
    take_backs_stored: int = 0
    milliseconds: list[float] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return self.hits / self.predicted if self.predicted else 1.0

    @property
    def recall(self) -> float:
        return self.hits / self.gold if self.gold else 1.0

    @property
    def alarm_rate(self) -> float:
        return self.alarms / self.without if self.without else 0.0

    def __str__(self) -> str:
        counts = f"{self.hits} of {self.gold}, {self.predicted} said"
        alarms = f"false alarms {self.alarms} of {self.without}  take-backs stored {self.take_backs_stored}"
        return f"precision {self.precision:.3f}  recall {self.recall:.3f}  ({counts})  {alarms}"


def matches(text: str, item: Item, wanted: dict[str, Any]) -> bool:
    """Whether a captured item is the wanted one."""
    if item.tag not in (wanted["tag"], *wanted.get("alt", [])):
        return False
    start, other = text.find(item.span), text.find(wanted["span"])
    end, other_end = start + len(item.span), other + len(wanted["span"])
    overlap = max(0, min(end, other_end) - max(start, other))
    union = max(end, other_end) - min(start, other)
    return overlap >= 0.5 * min(end - start, other_end - other) and overlap >= 0.4 * union


def score(rows: Sequence[dict[str, Any]], tag: str = "") -> Score:
    """Given rows of the corpus, count; with `tag`, only items of that tag."""
    total = Score()
    for row in rows:
        begin = time.thread_time()
        found = capture(row["text"])
        total.milliseconds.append((time.thread_time() - begin) * 1000)
        wanted = [item for item in row["items"] if not tag or item["tag"] == tag]
        left = list(wanted)
        said = [item for item in found if not tag or item.tag == tag]
        for item in said:
            hit = next((one for one in left if matches(row["text"], item, one)), None)
            if hit is not None:
                left.remove(hit)
        total.predicted += len(said)
        total.gold += len(wanted)
        total.hits += len(wanted) - len(left)
        if not row["items"]:
            total.without += 1
            total.alarms += bool(found)
            total.take_backs_stored += bool(found) and row.get("kind") == "n-retract"
    return total


def spent_on(text: str) -> float:
    """Milliseconds of the processor for all that is read in a message when its turn ends."""
    begin = time.thread_time()
    found = capture(text)
    takes_back(text)
    stated(text, [item.span for item in found])
    return (time.thread_time() - begin) * 1000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, default=CORPUS)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    warm()
    capture("热身 warm up")
    rows = [json.loads(line) for line in options.file.read_text(encoding="utf-8").splitlines() if line.strip()]
    whole = score(rows)
    print(f"{len(rows)} messages: {whole}")
    for language in sorted({row.get("lang", "") for row in rows}):
        print(f"  {language:8} {score([row for row in rows if row.get('lang', '') == language])}")
    for tag in "WBO":
        print(f"  {tag:8} {score(rows, tag)}")
    times = sorted(whole.milliseconds)
    p99 = times[min(len(times) - 1, int(len(times) * 0.99))]
    print(f"  median {statistics.median(times):.4f} ms, p99 {p99:.4f} ms")
    slowest, text = max((spent_on(text * (LONGEST // len(text))), text) for text in _HOSTILE)
    print(f"  slowest of {len(_HOSTILE)} hostile messages of {LONGEST} characters: {slowest:.0f} ms ({text!r})")
    fine = whole.precision >= 0.9 and whole.recall >= 0.85 and whole.alarm_rate <= 0.05 and not whole.take_backs_stored
    return 0 if fine or not options.check else 1


if __name__ == "__main__":
    raise SystemExit(main())
