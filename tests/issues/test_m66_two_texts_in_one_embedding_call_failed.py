"""M66: two texts in one embedding call raised an error."""

from __future__ import annotations

import pytest

from appliance.testing.local_service import LocalService, similarity

pytestmark = [pytest.mark.local, pytest.mark.timeout(1800)]


def test_two_texts_at_once_give_two_vectors_equal_to_one_by_one(service: LocalService) -> None:
    together = service.embed("Hello", "World")
    assert len(together) == 2
    for text, vector in zip(("Hello", "World"), together, strict=True):
        assert similarity(vector, service.embed(text)[0]) >= 0.999
