"""M70: texts over 512 tokens gave HTTP 500, or the input back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from appliance.testing.local_service import LocalService, LocalUnavailableError, required

pytestmark = [pytest.mark.local, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def service() -> Iterator[LocalService]:
    try:
        found = LocalService(chat="off")
    except LocalUnavailableError as error:
        if required():
            raise
        pytest.skip(f"no local model: {error}")
    yield found
    found.close()


def test_a_text_of_992_tokens_gets_a_vector_of_the_right_size(service: LocalService) -> None:
    answer = service.client.post("/v1/embeddings", json={"input": "tree " * 990})
    assert answer.status_code == 200
    assert len(answer.json()["data"][0]["embedding"]) == 384
    assert answer.json()["usage"]["prompt_tokens"] >= 992
