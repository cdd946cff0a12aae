from __future__ import annotations

from collections.abc import Iterator

import pytest

from appliance.testing.local_service import LocalService, LocalUnavailableError, required


@pytest.fixture(scope="session")
def service() -> Iterator[LocalService]:
    """The real service with the small models; where it cannot run, a skip, or a failure when it is required."""
    try:
        found = LocalService()
    except LocalUnavailableError as error:
        if required():
            raise
        pytest.skip(f"no local model: {error}")
    yield found
    found.close()
