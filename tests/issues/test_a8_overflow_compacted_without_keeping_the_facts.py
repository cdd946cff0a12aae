"""A8: the overflow path summarised before anything was written down; a door code was gone."""

from typing import Any

from appliance.testing.anthropic_replies import Reply
from tests.integration.gateway.conftest import Home


async def test_the_fact_is_in_the_day_note_before_the_cut(home: Home) -> None:
    seen: list[str] = []
    workspace = home.house.workspace("main")

    def answer(body: dict[str, Any]) -> Reply:
        if "Summarise the conversation" in str(body.get("system", "")):
            seen.append(workspace.read_day(workspace.day(home.house.clock.now())))
            return Reply(text="rubbish that forgets everything")
        return Reply(text="ok")

    home.provider.default(answer)
    await home.say("Our door code is 4711.")
    await home.say("x " * 3_000)
    home.provider.script(
        Reply(status=400, error="invalid_request_error", message="prompt is too long: 210000 tokens > 200000 maximum")
    )
    assert (await home.say("go on"))["reply"].endswith("ok")
    assert seen
    assert all("4711" in note for note in seen)
