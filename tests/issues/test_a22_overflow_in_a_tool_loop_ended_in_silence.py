"""A22: an overflow at step six of eight ended with a silent reset, or with no reply at all."""

from appliance.testing.anthropic_replies import Reply
from tests.integration.gateway.conftest import Home


async def test_the_user_gets_a_reply_in_the_same_session(home: Home) -> None:
    (home.house.workspace("main").files / "a.txt").write_text("a " * 2_000)
    overflow = Reply(
        status=400, error="invalid_request_error", message="prompt is too long: 210000 tokens > 200000 maximum"
    )
    steps = [Reply(tools=[("read", {"path": "a.txt", "from": number})]) for number in range(1, 6)]
    home.provider.script(*steps, overflow)
    home.provider.default(lambda body: Reply(text="finished"))
    reply = await home.say("work", id="m1")
    assert reply["reply"] == "finished"
    assert reply["session"] == "agent:main:main"
    assert [row["in_reply_to"] for row in await home.rows() if row.get("in_reply_to")] == [["m1"]]
