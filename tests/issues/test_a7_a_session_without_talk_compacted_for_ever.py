"""A7: a transcript with only tool results and markers, over the line, called the summariser again and again."""

from tests.integration.gateway.conftest import Start


async def test_results_alone_are_cut_without_a_model_call(start: Start) -> None:
    home = await start(APPLIANCE_MODELS__WORKING_WINDOW="20000", APPLIANCE_BUDGET__DAILY_USD="50")
    await home.say("hello")
    before = len(home.provider.calls)
    key = home.house.sessions.require("main")
    transcript = home.house.sessions.transcript(key)
    home.house.sessions.start_anew(key)
    for number in range(12):
        block = {"type": "tool_result", "tool_use_id": f"x{number}", "content": "result " * 2_000, "is_error": False}
        transcript.append(
            {
                "id": f"old.{number}",
                "turn": f"old{number}",
                "seq": 0,
                "role": "user",
                "kind": "tool",
                "content": [block],
            }
        )
    reply = await home.say("and now?")
    assert reply["reply"].startswith("You said")
    assert len(home.provider.calls) == before + 1
