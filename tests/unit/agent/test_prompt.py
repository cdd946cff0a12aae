"""The system prompt: small, stable to the byte, and private where it must be."""

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from appliance.agent.prompt import PromptBuilder
from appliance.agent.templates import NAMES, template
from appliance.memory.items import Item, line_of
from appliance.memory.workspace import Workspace
from appliance.messages import SessionKey
from appliance.models.estimate import tokens
from appliance.settings import AgentSettings
from appliance.testing.manual_clock import ManualClock

MAIN = SessionKey.main()
AT = 1_790_000_000.0
ZONE = ZoneInfo("Europe/Berlin")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = Workspace(tmp_path, ZONE)
    made.create({name: template(name) for name in NAMES})
    return made


def builder(workspace: Workspace, clock: ManualClock | None = None, **settings: int) -> PromptBuilder:
    return PromptBuilder(workspace, lambda: AgentSettings(**settings), clock or ManualClock())


def whole(prompts: PromptBuilder, session: SessionKey = MAIN) -> str:
    return "\n\n".join(part.text for part in prompts.build(session).parts)


def test_a_fresh_workspace_takes_less_than_1150_tokens(workspace: Workspace) -> None:
    assert sum(section.tokens for section in builder(workspace).build(MAIN).sections) <= 1_150


def test_the_small_profile_takes_less_than_400_tokens_before_tools(workspace: Workspace) -> None:
    assert sum(section.tokens for section in builder(workspace).build(MAIN, "small").sections) <= 400


def test_a_small_model_is_told_what_holds_in_few_tokens_and_only_for_the_owner(workspace: Workspace) -> None:
    for number in range(60):
        item = Item("O", f"花生過敏的事情第 {number} 條，記得", AT + number, "agent:main:main", str(number))
        workspace.append_day(line_of(item), AT)
    workspace.append_day(line_of(Item("B", "no calls after nine", AT, "agent:main:main", "b")), AT)
    rules, remembered = builder(workspace).build(MAIN, "small").parts
    assert "- [B] no calls after nine" in remembered.text
    assert 200 < tokens(remembered.text) < 350
    assert builder(workspace).build(MAIN, "small").sections[-1].cut
    assert builder(workspace).build(SessionKey("agent:main:telegram:group:7"), "small").parts == (rules,)


def test_comments_for_the_owner_are_not_sent(workspace: Workspace) -> None:
    assert "<!--" not in whole(builder(workspace))


async def test_the_prefix_is_the_same_byte_for_byte_with_a_note_between_and_across_midnight(
    workspace: Workspace,
) -> None:
    clock = ManualClock(1_796_000_000.0)
    prompts = builder(workspace, clock)
    workspace.append_day("- the cat is called Mia", clock.now())
    before = prompts.build(MAIN).parts
    workspace.append_day("- the dog is called Bo", clock.now())
    await clock.advance(5.0)
    assert prompts.build(MAIN).parts == before
    await clock.advance(200.0)
    assert prompts.build(MAIN).parts == before


async def test_after_a_pause_the_notes_of_today_are_read_again(workspace: Workspace) -> None:
    clock = ManualClock(1_796_000_000.0)
    prompts = builder(workspace, clock)
    prompts.build(MAIN)
    workspace.append_day("- the dog is called Bo", clock.now())
    await clock.advance(301.0)
    assert "Bo" in whole(prompts)


def test_an_edit_by_the_owner_is_noticed_at_once(workspace: Workspace) -> None:
    prompts = builder(workspace)
    whole(prompts)
    workspace.write("SOUL.md", "Speak like a pirate.")
    assert "pirate" in whole(prompts)


@pytest.mark.parametrize(
    "session",
    [
        SessionKey.group("telegram", "-100"),
        SessionKey.group("telegram", "-100", "7"),
        SessionKey.dm("telegram", "42"),
        SessionKey.web("kitchen"),
        SessionKey.cron("job"),
        SessionKey.heartbeat(),
    ],
)
def test_private_files_are_in_the_owners_main_session_and_nowhere_else(
    workspace: Workspace, session: SessionKey
) -> None:
    workspace.write("MEMORY.md", "CANARY-MEMORY")
    workspace.write("USER.md", "CANARY-USER")
    workspace.append_day("CANARY-NOTE", ManualClock().now())
    prompts = builder(workspace)
    assert all(c in whole(prompts) for c in ("CANARY-MEMORY", "CANARY-USER", "CANARY-NOTE"))
    assert "CANARY" not in whole(prompts, session)


def test_a_long_memory_file_is_cut_with_a_notice_and_left_alone_on_disk(workspace: Workspace) -> None:
    workspace.write("MEMORY.md", "x" * 60_000)
    prompt = builder(workspace).build(MAIN)
    section = next(s for s in prompt.sections if s.name == "MEMORY.md")
    assert section.cut
    assert section.chars < 21_000
    assert "only 20,000 fit here" in prompt.parts[-1].text
    assert len(workspace.read("MEMORY.md")) == 60_000


def test_all_files_together_keep_to_the_total(workspace: Workspace) -> None:
    for name in ("SOUL.md", "AGENTS.md", "TOOLS.md", "MEMORY.md"):
        workspace.write(name, "x" * 30_000)
    prompt = builder(workspace, prompt_total_chars=10_000).build(MAIN)
    assert sum(len(part.text) for part in prompt.parts[1:]) < 10_600
