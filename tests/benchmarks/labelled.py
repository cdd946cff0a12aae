"""The labelled messages of tests/corpora that capture is learned from and tested on."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

Rows = list[dict[str, Any]]

CORPORA = Path(__file__).parents[1] / "corpora"
_HAN = re.compile("[\u4e00-\u9fff]")
_AROUND_ENGLISH = (
    "||hi! |hello, |ok. |hey, |btw |oh and |so, |just so you know, |good morning. |it rains again. |back now. "
    "|what a day today. |done for tonight. ",
    "|| thanks|, thanks| thank you| please| ok?|!| :)|. cheers|, ta|. What is the weather?|. Now play some music"
    "|. Where were we?|. It is hot today|. I'm tired now|. See you tonight|. Tomorrow will be better",
)
_AROUND_CHINESE = (
    "||你好，|嗨，|好的。|对了，|另外，|那个，|跟你说，|早上好。|嗯，|今天好热。|刚到家。|又下雨了。|今晚好累。",
    "||，谢谢|，拜托了|。谢谢|哦|啊|！|，好吗？|。明天天气怎么样？|。放首歌|。我们说到哪了？|。今天真冷"
    "|。刚刚公交又晚点了|。今晚早点睡|。现在好困|。明天再说吧",
)
_MARKED = re.compile(r"\{([WBO]):(.*?)\}", re.DOTALL)


def read_rows(path: Path) -> Rows:
    """Messages as capture.jsonl has them, one JSON object a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def read_marked(path: Path) -> Rows:
    r"""Messages written `kind|text`, each item marked as {W:span}; `\n` is a line break. Only kinds p- have marks."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [_row(path.stem, *line.split("|", 1)) for line in lines if line.strip()]


def _row(writer: str, kind: str, marked: str) -> dict[str, Any]:
    text = marked.replace("\\n", "\n")
    items = []
    if kind.startswith("p-"):
        items = [{"tag": tag, "span": span} for tag, span in _MARKED.findall(text)]
        text = _MARKED.sub(r"\2", text)
    return {"batch": writer, "kind": kind, "text": text, "items": items}


def fresh() -> Rows:
    """Messages by writers who saw no rule, by `batch`: numbered while there were patterns to be tried on them."""
    written = [row for path in sorted((CORPORA / "capture-written").glob("*.txt")) for row in read_marked(path)]
    return read_rows(CORPORA / "capture-fresh.jsonl") + written


def phrases() -> Rows:
    """Plain sentences of one tag each, or of none: `tag|text`."""
    lines = (CORPORA / "capture-phrases.txt").read_text(encoding="utf-8").splitlines()
    plain = [line.split("|", 1) for line in lines if line.strip()]
    return [{"text": text, "items": [{"span": text, "tag": tag}] if tag != "-" else []} for tag, text in plain]


def paired(rows: Rows, seed: int) -> Rows:
    """Messages of two sentences, put together of plain ones at random: what is said stays what it is beside another."""
    made: Rows = []
    for chinese in (True, False):
        alike = [row for row in rows if bool(_HAN.search(row["text"])) == chinese]
        random.Random(seed).shuffle(alike)
        for one, two in zip(alike[::2], alike[1::2], strict=False):
            text = one["text"].rstrip(".。!！") + ("。" if chinese else ". ") + two["text"]
            made.append({"text": text, "items": one["items"] + two["items"]})
    return made


def dressed(rows: Rows, seed: int) -> Rows:
    """Plain sentences with what people put around them: what is said stays what it is."""
    chance = random.Random(seed)
    made: Rows = []
    for row in rows:
        before, behind = _AROUND_CHINESE if _HAN.search(row["text"]) else _AROUND_ENGLISH
        text = chance.choice(before.split("|")) + row["text"].rstrip(".。!！") + chance.choice(behind.split("|"))
        made.append({"text": text, "items": row["items"]})
    return made


def talk() -> Rows:
    """What a household says in half a month."""
    said = [row for row in read_rows(CORPORA / "fifteen-days.jsonl") if row["role"] == "user"]
    return [{"text": row["text"], "items": row["expected_items"]} for row in said]


def handed() -> Rows:
    """The open rows of the corpus that capture is judged on."""
    return read_rows(CORPORA / "capture.jsonl")
