"""Conversations with questions: a file in LoCoMo's layout, and household talk that is made up here.

The layout: a list of samples, each with `conversation` (`session_N`: turns with `speaker`, `dia_id`, `text` and perhaps
`blip_caption`; `session_N_date_time`) and `qa` (`question`, `evidence`: ids of turns, `category`). Published files have
blemishes, which are read as what they mean: several ids in one string, "D:11:26", leading zeros, ids of no turn, turns
without text, numbers as strings. Category 5 asks for what was never said; its questions are a group of their own.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from appliance.memory.languages import script_of
from tests.benchmarks import household

ADVERSARIAL = "category 5, not counted"
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")
_SESSION = re.compile(r"session_(\d+)")
_WEEK_SECONDS = 7 * 86_400
_FIRST_SESSION = 1_680_000_000.0  # of sessions whose date cannot be read


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
    """`group` is what it is counted under beside "all"; `counted` is False for questions that have no answer."""

    text: str
    evidence: tuple[str, ...]
    group: str
    counted: bool = True


@dataclass
class Conversation:
    name: str
    turns: list[Turn]
    questions: list[Question]


# ---- a file in LoCoMo's layout ----


def locomo_set(path: Path) -> list[Conversation]:
    """The conversations of a file. Questions without any evidence that exists are left out.

    Raises OSError, and ValueError for a file of another layout.
    """
    found = json.loads(path.read_text(encoding="utf-8"))
    samples = found if isinstance(found, list) else [found]
    if not samples or not all(isinstance(one, dict) and isinstance(one.get("conversation"), dict) for one in samples):
        raise ValueError(f"{path} is not in LoCoMo's layout: a list of objects with `conversation` and `qa`.")
    return [_sample(sample, number) for number, sample in enumerate(samples)]


def _sample(sample: dict[str, Any], number: int) -> Conversation:
    turns = list(_turns(sample["conversation"]))
    said = {turn.id: turn.text for turn in turns}
    questions = []
    for asked in sample.get("qa") or ():
        text = str(asked.get("question") or "").strip()
        ids = tuple(one for one in _evidence(asked.get("evidence")) if one in said)
        if not text or not ids:
            continue
        crossing = script_of(text) != script_of(" ".join(said[one] for one in ids))
        counted = str(asked.get("category")) != "5"
        group = f"category {asked.get('category')}{', asked in another language' if crossing else ''}"
        questions.append(Question(text, ids, group if counted else ADVERSARIAL, counted))
    return Conversation(str(sample.get("sample_id", number)), turns, questions)


def _turns(talk: dict[str, Any]) -> Iterator[Turn]:
    """The turns in order of time, those without a word left out, each under an id of its own."""
    sessions = sorted((int(found[1]), key) for key in talk if (found := _SESSION.fullmatch(key)))
    seen: set[str] = set()
    for number, key in sessions:
        at = _time(talk.get(f"{key}_date_time"), number)
        new = True
        for place, said in enumerate(talk[key] or (), start=1):
            caption = str(said.get("blip_caption") or "").strip()
            text = " ".join(filter(None, (str(said.get("text") or "").strip(), caption and f"[photo: {caption}]")))
            identity = next(iter(_evidence(said.get("dia_id"))), f"D{number}:{place}")
            if not text or identity in seen:
                continue
            seen.add(identity)
            yield Turn(identity, str(said.get("speaker") or "user"), text, at=at + 60 * place, new=new)
            new = False


def _evidence(value: Any) -> list[str]:
    """Ids of turns in whatever form they were written, each once, in order."""
    return list(dict.fromkeys(f"D{int(s)}:{int(t)}" for s, t in _EVIDENCE.findall(json.dumps(value))))


def _time(text: Any, number: int) -> float:
    try:
        return datetime.strptime(str(text).strip(), "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return _FIRST_SESSION + number * _WEEK_SECONDS


# ---- household talk ----


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
            turns.append(small_talk(source, len(turns), at))
        at += 120
        identity = f"fact{number}"
        turns.append(Turn(identity, "user", said, reply, at))
        questions += [Question(q, (identity,), f"{language}, same language") for q in same]
        questions += [Question(q, (identity,), f"{language}, asked in the other") for q in other]
    return Conversation("household", turns, questions)


def small_talk(source: random.Random, number: int, at: float) -> Turn:
    """A turn about nothing in particular, in either language."""
    language = source.choice(("en", "zh"))
    template = source.choice(household.EN_TALK if language == "en" else household.ZH_TALK)
    slots = {name: source.choice(values) for name, values in household.SLOTS[language].items()}
    return Turn(f"talk{number}", "user", template.format(**slots), source.choice(household.REPLIES[language]), at)
