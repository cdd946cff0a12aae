"""A secret's mask was read back by the model and written into a configuration file, in the place of the value."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.errors import ToolError
from appliance.messages import Person, Role, SessionKey
from appliance.observability.redaction import MASK, Redactor
from appliance.sandbox.client import SandboxClient
from appliance.tools.base import ToolContext
from appliance.tools.processes import Process
from appliance.tools.shell import Exec
from tests.integration.sandbox.conftest import House, config, house, image  # noqa: F401 - fixtures


def context(files: Path) -> ToolContext:
    return ToolContext(SessionKey.main(), "main", Person("owner", role=Role.OWNER), "t", "c", files)


@pytest.mark.docker
async def test_an_id_beside_a_secret_comes_through_and_is_written_as_it_is(house: House) -> None:  # noqa: F811
    tool = Exec(house.client)
    shown = await tool.run({"command": 'KEY=abc123secret; echo "KEY=$KEY tool id-77"'}, context(house.files))
    masked = Redactor(["abc123secret"]).redact(shown.text)
    assert "abc123secret" not in masked
    assert "id-77" in masked
    await tool.run({"command": "echo id-77 > settings.txt"}, context(house.files))
    assert (house.files / "settings.txt").read_text() == "id-77\n"


async def test_a_command_that_holds_a_mask_is_not_run(tmp_path: Path) -> None:
    class Never(SandboxClient):
        def __init__(self) -> None: ...

        async def run(self, *words: object, **more: object) -> object:  # type: ignore[override]
            raise AssertionError("it ran")

    with pytest.raises(ToolError, match="is not the value"):
        await Exec(Never()).run({"command": f"echo KEY={MASK} > settings.txt"}, context(tmp_path))


async def test_a_mask_is_not_typed_into_a_program_either(tmp_path: Path) -> None:
    class Jobs:
        async def list(self) -> list[dict[str, object]]:
            return [{"id": "j1", "label": "agent:main:main\n", "command": "x"}]

    with pytest.raises(ToolError, match="is not the value"):
        await Process(Jobs()).run(  # type: ignore[arg-type]
            {"action": "write", "id": "j1", "text": f"password {MASK}\n"}, context(tmp_path)
        )
