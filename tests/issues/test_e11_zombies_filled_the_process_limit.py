"""Zombies filled a container's process limit, and then nothing more could be started in it."""

from __future__ import annotations

import pytest

from tests.integration.sandbox.conftest import House, config, house, image  # noqa: F401 - fixtures

pytestmark = [pytest.mark.docker]

# Each round leaves an orphan whose parent has gone; whoever is pid 1 must reap it. The limit is 128.
SCRIPT = "for n in $(seq 300); do (sleep 0.01 &) ; done; sleep 1; ls / > /dev/null && echo still works"


async def test_three_hundred_orphans_leave_room_for_more(house: House) -> None:  # noqa: F811
    result = await house.client.run("main", SCRIPT.replace("(sleep", "sleep 0.01; (sleep"), limit=60)
    assert result.stdout == b"still works\n", result
    assert result.code == 0


async def test_in_the_background_too(house: House) -> None:  # noqa: F811
    script = SCRIPT.replace("(sleep", "sleep 0.01; (sleep")
    job = await house.client.start("main", script + "; ps -e -o stat= | grep -c Z")
    state, data = await house.client.poll(job["id"], wait=60)
    assert data.startswith(b"still works\n"), (state, data)
    assert int(data.split()[-1]) < 20
