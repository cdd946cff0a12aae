"""M70: texts over 512 tokens gave HTTP 500, or the input back."""

from __future__ import annotations

import pytest

from appliance.testing.local_service import LocalService

pytestmark = [pytest.mark.local, pytest.mark.timeout(1800)]


def test_a_text_of_992_tokens_gets_a_vector_of_the_right_size(service: LocalService) -> None:
    answer = service.client.post("/v1/embeddings", json={"input": "tree " * 990})
    assert answer.status_code == 200
    assert len(answer.json()["data"][0]["embedding"]) == 384
    assert answer.json()["usage"]["prompt_tokens"] >= 992
