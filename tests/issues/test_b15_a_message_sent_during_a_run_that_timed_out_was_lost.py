"""B15: what was said while a run was under way was lost when the run was stopped or ran out of time."""

import anthropic
import pytest

from appliance.testing.anthropic_replies import Reply
from tests.integration.gateway.conftest import Home, Start


@pytest.mark.parametrize("mode", ["steer", "followup", "collect"])
async def test_it_is_answered_after_a_run_that_ran_out_of_time(start: Start, mode: str) -> None:
    assert anthropic.__version__  # loaded before, so that the wall time measures the run alone
    home = await start(APPLIANCE_AGENT__WALL_SECONDS="3.0", APPLIANCE_AGENT__MODE=mode)
    home.provider.script(Reply(text="never heard", delay=30.0), Reply(text="B is answered"))
    await home.leave("A", "a")
    await home.asked(left=1)
    await home.leave("B", "b")
    assert await home.answered("a", "b") == [["a"], ["b"]]
    replies = [row for row in await home.rows() if row.get("in_reply_to")]
    assert replies[1]["text"] == "B is answered"


async def test_it_is_answered_after_a_run_that_was_stopped(home: Home) -> None:
    home.provider.script(Reply(text="never heard", delay=30.0), Reply(text="B is answered"))
    await home.leave("A", "a")
    await home.asked(left=1)
    await home.leave("B", "b", mode="followup")
    await home.say("/stop")
    assert ["b"] in await home.answered("b")
    assert [row["text"] for row in await home.rows() if row.get("in_reply_to")][-1] == "B is answered"
