"""D9: a MEMORY.md of 50 KB filled the prompt, and the session died at its first tools."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo

from appliance.agent.prompt import PromptBuilder
from appliance.memory.workspace import Workspace
from appliance.messages import SessionKey
from appliance.settings import AgentSettings
from appliance.testing.anthropic_replies import Reply
from appliance.testing.manual_clock import ManualClock
from appliance.testing.tools import Says
from tests.integration.gateway.conftest import Start


def test_the_part_in_the_prompt_is_capped_with_a_notice_and_the_file_is_untouched(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "main", ZoneInfo("UTC"))
    workspace.create()
    text = "\n".join(f"- fact {number} " + "x" * 40 for number in range(1_200))
    assert len(text) > 60_000
    workspace.write("MEMORY.md", text)
    settings = AgentSettings()
    prompt = PromptBuilder(workspace, lambda: settings, ManualClock()).build(SessionKey.main())
    whole = "".join(part.text for part in prompt.parts)
    assert len(whole) < 32_000
    [section] = [section for section in prompt.sections if section.name == "MEMORY.md"]
    assert section.cut
    assert section.chars <= settings.prompt_file_chars + 300
    assert "only 20,000 fit here" in whole
    assert workspace.read("MEMORY.md") == text


async def test_in_a_window_of_32_000_the_first_tools_still_run(start: Start) -> None:
    home = await start(APPLIANCE_MODELS__WORKING_WINDOW="32000", APPLIANCE_BUDGET__DAILY_USD="50")
    workspace = home.house.workspace("main")
    workspace.write("MEMORY.md", "x" * 60_000)
    home.house.tools.add(Says(lambda n: "result " * 3_000))
    home.provider.script(*(Reply(tools=[("say_it", {"n": n})]) for n in range(4)), Reply(text="done"))
    assert (await home.say("look four times"))["reply"] == "done"
    assert all(len(str(seen.request)) < 32_000 * 4 for seen in home.provider.calls)
    assert workspace.read("MEMORY.md") == "x" * 60_000
