"""#27018, #67196, #15692: an announcement, and a turn of the main session about it."""

from __future__ import annotations

from typing import Any

from appliance.testing.anthropic_replies import Reply


async def test_an_isolated_job_with_a_fixed_text_is_one_message_and_one_call(automation: Any) -> None:
    home = await automation()
    await home.schedule('"0 9 * * *" Say: bins out')
    home.provider.default(lambda body: Reply(text="Bins out."))
    for second in ("00", "20", "59"):
        await home.at(f"2026-11-30T09:00:{second}Z")
    assert home.pocket.got == ["Bins out."]
    assert len(home.provider.calls) == 1
    await home.command("hello")
    assert "Bins out" not in str(home.provider.calls[-1].request["messages"])
