"""The real service with the small models; where it cannot run, a skip, or a failure when it is required."""

from collections.abc import Iterator
from typing import Any

import pytest

from appliance.testing.local_service import LocalService, LocalUnavailableError, required


def running(**models: Any) -> Iterator[LocalService]:
    """The service with these models, for a fixture to yield from."""
    try:
        found = LocalService(**models)
    except LocalUnavailableError as error:
        if required():
            raise
        pytest.skip(f"no local model: {error}")
    yield found
    found.close()


class Supervised:
    """The running service as the gateway's supervisor shows it."""

    def __init__(self, service: LocalService) -> None:
        self.token = service.token
        self._url = f"{service.url}/v1"
        self._state = service.status()

    def base_url(self) -> str | None:
        return self._url

    def status(self) -> dict[str, Any]:
        return self._state


@pytest.fixture(scope="session")
def service() -> Iterator[LocalService]:
    """With a chat model and an embedder."""
    yield from running()
