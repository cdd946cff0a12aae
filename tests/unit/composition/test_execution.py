"""What is told of the sandbox: an empty pool counts as a fault only where containers are wanted."""

from __future__ import annotations

import pytest

from appliance.composition.execution import pool_ready
from appliance.sandbox.client import SandboxHealth


@pytest.mark.parametrize(
    ("health", "expected"),
    [
        (SandboxHealth(False, "no engine"), 0.0),
        (SandboxHealth(True, facts={"ready": 0, "wanted": 1}), 0.0),
        (SandboxHealth(True, facts={"ready": 2, "wanted": 2}), 2.0),
        (SandboxHealth(True, facts={"ready": 0, "wanted": 0}), None),
        (SandboxHealth(True, facts={}), None),
    ],
)
def test_the_gauge_follows_the_last_look(health: SandboxHealth, expected: float | None) -> None:
    assert pool_ready(health) == expected
