"""What `appliance memory ...`, `/memory` and the HTTP API ask of memory, as plain data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from appliance.clock import iso
from appliance.memory.embeddings import Embedder, HttpEmbedder, Meter
from appliance.memory.house import Memory
from appliance.memory.items import Item, Placed
from appliance.memory.reranker import HttpReranker
from appliance.memory.scopes import Scope
from appliance.memory.search import LIMIT, Reranker
from appliance.messages import SessionKey
from appliance.settings import MemorySettings


def make_embedder(
    settings: MemorySettings, local_url: Callable[[], str | None], *, local_token: str = "", wanted: bool = True,
    meter: Meter | None = None,
) -> Embedder | None:  # fmt: skip
    """The embedder that the settings name: another server, or the local service; None when none is wanted.

    `local_url` gives the address of the local models service while it runs; `meter` pays for another server's calls.
    """
    if settings.embedder_url:
        return HttpEmbedder(
            lambda: settings.embedder_url,
            model=settings.embedder_model or "default",
            multilingual=settings.embedder_multilingual,
            api_key=settings.embedder_key.get_secret_value(),
            meter=meter,
        )
    return HttpEmbedder(local_url, api_key=local_token) if wanted else None


def make_reranker(settings: MemorySettings, meter: Meter | None = None) -> Reranker | None:
    """The reranking server that the settings name, or None; `meter` pays for its calls."""
    if not settings.reranker_url:
        return None
    key = settings.reranker_key.get_secret_value()
    return HttpReranker(settings.reranker_url, settings.reranker_model, api_key=key, meter=meter)


async def search(memory: Memory, query: str, limit: int = LIMIT, agent: str = "main") -> list[dict[str, Any]]:
    """`memory search QUERY --json`: what the owner's main session would find."""
    hits = await memory.search(query, Scope(SessionKey.main(agent)), limit)
    return [hit.as_json() for hit in hits]


async def reindex(memory: Memory) -> dict[str, Any]:
    """`memory reindex`: every file read anew, parts compared and repaired."""
    return await memory.reindex()


async def tidy(memory: Memory, agent: str = "main") -> dict[str, Any]:
    """`memory tidy`: near repeats merged, older notes digested, repeated lines taken out of files over 5 KB."""
    return await memory.tidy(agent)


async def forget(memory: Memory, what: str, *, erase: bool = False, agent: str = "main") -> dict[str, Any]:
    """`memory forget WHAT [--erase]`. Raises NotFoundError, InputError."""
    if erase:
        return {"erased": await memory.erase(what, agent=agent)}
    return {"forgotten": [_item(item) for item in await memory.forget(what, agent=agent)]}


async def undo(memory: Memory, agent: str = "main") -> dict[str, Any]:
    """`memory undo`: the newest forgetting is taken back. Raises NotFoundError."""
    return {"restored": [_item(item) for item in await memory.undo(agent=agent)]}


def history(memory: Memory, what: str = "", agent: str = "main") -> list[dict[str, Any]]:
    """`memory history [WHAT]`: items and marks in order of time."""
    return [_placed(one) for one in memory.history(what, agent=agent)]


def _item(item: Item) -> dict[str, Any]:
    return {
        "id": item.id,
        "tag": item.tag,
        "text": item.text,
        "at": iso(item.at),
        "person": item.person,
        "see": item.see,
    }


def _placed(one: Placed) -> dict[str, Any]:
    place = {"path": one.path, "line": one.line}
    if isinstance(one.entry, Item):
        where = {"session": one.entry.session, "message": one.entry.message}
        return {"kind": "item", **_item(one.entry), **where, **place}
    mark = one.entry
    return {
        "kind": mark.kind,
        "id": mark.id,
        "of": mark.of,
        "text": mark.text,
        "at": iso(mark.at),
        "by": mark.by,
        **place,
    }
