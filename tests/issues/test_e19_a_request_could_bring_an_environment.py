"""The name of an environment variable was used as code. Here no request can bring a variable at all."""

from __future__ import annotations

import asyncio
import json

import pytest

from tests.integration.sandbox.conftest import House, config, house, image  # noqa: F401 - fixtures

pytestmark = [pytest.mark.docker]


@pytest.mark.parametrize("field", ["env", "environment", "Env", "P_$(touch x)#"])
async def test_a_request_with_a_variable_is_refused_and_nothing_runs(house: House, field: str) -> None:  # noqa: F811
    await house.client.health()
    reader, writer = await asyncio.open_unix_connection(str(house.config.socket))
    request = {"op": "run", "work": "main", "command": "touch ran", field: {"P_$(touch x)#": "1"}}
    writer.write(json.dumps(request).encode() + b"\n")
    answer = json.loads(await asyncio.wait_for(reader.readline(), 20))
    writer.close()
    assert (answer["ok"], answer["refused"]) == (False, True)
    assert "unknown field" in answer["error"]
    assert list(house.files.iterdir()) == []
