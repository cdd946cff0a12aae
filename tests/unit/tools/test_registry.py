"""Every failure, refusal and unknown tool becomes a result that the model can read."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from appliance.errors import ToolError
from appliance.messages import Person, SessionKey, Source
from appliance.models.base import ToolSpec
from appliance.tools.base import ToolContext, ToolResult
from appliance.tools.outputs import Outputs, ReadOutput
from appliance.tools.registry import Registry

OWNER = Person("owner")
MAIN = SessionKey.main()


class Plain:
    def __init__(self, name: str = "plain", error: BaseException | None = None) -> None:
        schema = {
            "type": "object",
            "properties": {"n": {"type": "integer"}, "how": {"enum": ["a", "b"]}},
            "required": ["n"],
        }
        self.spec = ToolSpec(name, "", schema)
        self.error = error

    def available(self, session: SessionKey, person: Person) -> bool:
        return session.is_main

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        if self.error:
            raise self.error
        return ToolResult(str(arguments["n"]))


def context(session: SessionKey = MAIN) -> ToolContext:
    return ToolContext(session, "main", OWNER, "t", "c", Path("/nowhere"))


def call(name: str = "plain", **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": "c", "name": name, "input": arguments}


@pytest.mark.parametrize(
    ("block", "said"),
    [
        (call("nope", n=1), "There is no tool 'nope'"),
        (call(), "needs: n"),
        (call(n="1"), "must be of type integer"),
        (call(n=True), "must be of type integer"),
        (call(n=1, other=2), "no parameter 'other'"),
        (call(n=1, how="c"), "one of a, b"),
        ({**call(n=1), "invalid": '{"n": '}, "not valid JSON"),
    ],
)
async def test_a_call_that_does_not_fit_is_answered_and_not_run(block: dict[str, Any], said: str) -> None:
    result = await Registry([Plain(error=AssertionError("it ran"))]).run(block, context())
    assert not result.ok
    assert said in result.text


@pytest.mark.parametrize(
    ("error", "said"),
    [(ToolError("no such file"), "no such file"), (OSError(28, "disk full"), "disk full"), (KeyError("x"), "KeyError")],
)
async def test_an_error_of_a_tool_is_its_result(error: Exception, said: str) -> None:
    result = await Registry([Plain(error=error)]).run(call(n=1), context())
    assert not result.ok
    assert said in result.text


async def test_a_cancelled_tool_stays_cancelled() -> None:
    noted: list[str] = []
    registry = Registry([Plain(error=asyncio.CancelledError())], lambda name, c, a, result: noted.append(result.text))
    with pytest.raises(asyncio.CancelledError):
        await registry.run(call(n=1), context())
    assert noted == ["(cancelled)"]


async def test_a_tool_that_a_session_may_not_use_is_not_there_for_it() -> None:
    registry = Registry([Plain()])
    group = SessionKey.group("telegram", "-1")
    assert registry.specs(group, OWNER) == ()
    assert not (await registry.run(call(n=1), context(group))).ok
    assert (await registry.run(call(n=1), context())).text == "1"


def test_tools_come_in_a_fixed_order() -> None:
    names = [spec.name for spec in Registry([Plain("b"), Plain("a")]).specs(MAIN, OWNER)]
    assert names == ["a", "b"]


async def test_a_cut_output_can_be_read_on_by_its_session_only(tmp_path: Path) -> None:
    outputs = Outputs(tmp_path)
    identity = outputs.keep(("x" * 20_000 + "END").encode(), "cmd", MAIN, Source.OUTSIDE)
    tool = ReadOutput(outputs)
    page = await tool.run({"id": identity, "from": 19_000}, context())
    assert page.text.endswith("END")
    assert page.source is Source.OUTSIDE
    for asked, where in ((identity, SessionKey.web("other")), ("../../core", MAIN), ("0" * 12, MAIN)):
        with pytest.raises(ToolError, match="no output"):
            await tool.run({"id": asked}, context(where))
