"""D9: a MEMORY.md of 50 KB filled the prompt, and the session died at its first tools."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo

from appliance.agent.prompt import PromptBuilder
from appliance.memory.workspace import Workspace
from appliance.messages import SessionKey
from appliance.settings import AgentSettings
from appliance.testing.manual_clock import ManualClock


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
