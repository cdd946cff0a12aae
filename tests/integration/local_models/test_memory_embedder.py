"""The memory's embedder over the real models service."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from appliance.memory.embeddings import HttpEmbedder
from appliance.testing.local_service import LocalService, similarity

pytestmark = [pytest.mark.local, pytest.mark.timeout(1800)]


@pytest.fixture
async def embedder(service: LocalService) -> AsyncIterator[HttpEmbedder]:
    found = HttpEmbedder(lambda: f"{service.url}/v1", api_key=service.token)
    yield found
    await found.close()


async def test_it_learns_which_vectors_these_are(embedder: HttpEmbedder) -> None:
    identity = await embedder.identity()
    assert identity is not None
    assert (identity.name, identity.dimensions, identity.multilingual) == ("all-minilm-l6-v2", 384, False)


async def test_query_and_passage_come_back_as_near_as_they_mean(embedder: HttpEmbedder) -> None:
    query = await embedder.embed(["login issues with auth"], "query")
    bug, bread = await embedder.embed(["authentication bug", "banana bread recipe"], "passage")
    assert similarity(list(query[0]), list(bug)) > 0.6 > 0.2 > similarity(list(query[0]), list(bread))


async def test_without_an_embedder_there_is_no_identity_and_no_exception(service: LocalService) -> None:
    embedder = HttpEmbedder(lambda: "http://127.0.0.1:9/v1", api_key=service.token)
    assert await embedder.identity() is None
    await embedder.close()
