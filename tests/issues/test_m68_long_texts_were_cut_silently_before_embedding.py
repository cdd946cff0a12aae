"""M68: a text over the batch size was cut silently, so two texts with one beginning got one vector."""

from __future__ import annotations

import pytest

from appliance.testing.local_service import LocalService, similarity

pytestmark = [pytest.mark.local, pytest.mark.timeout(1800)]


def test_texts_equal_in_the_first_512_tokens_differ(service: LocalService) -> None:
    beginning = "cat dog sun tree " * 150  # 600 tokens
    bread, server = service.embed(beginning + "banana bread recipe " * 60, beginning + "server failure alarm " * 60)
    assert similarity(bread, server) < 0.99
    assert similarity(bread, service.embed(beginning)[0]) < 0.99
