"""Tidying in the running house: what a prompt holds of it, why, and what a kill in the middle leaves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from appliance.memory.items import Item, Items, line_of
from appliance.memory.tidy import without_repeats
from appliance.memory.workspace import Workspace
from appliance.testing.anthropic_replies import Reply
from tests.integration.gateway.conftest import Home, Start, home, start

__all__ = ["home", "start"]  # fixtures
DAY = 86_400.0


def remember(home: Home, text: str, days_ago: float, tag: str = "W") -> None:
    workspace, at = home.house.workspace("main"), home.house.clock.now() - days_ago * DAY
    workspace.append_day(line_of(Item(tag, text, at, "agent:main:main", "m")), at)  # type: ignore[arg-type]


def system(home: Home) -> str:
    return str(home.provider.calls[-1].request["system"])


async def test_a_wish_of_last_month_is_in_the_prompt_of_the_owner_and_in_no_other(home: Home) -> None:
    remember(home, "always answer in British English", 40)
    await home.say("hello")
    assert "[W] always answer in British English" in system(home)
    await home.say("hello", session="kitchen")
    assert "British" not in system(home)


async def test_the_overview_comes_only_with_a_question_about_the_past_once_and_is_traced(home: Home) -> None:
    remember(home, "the boiler was replaced by Mr Okafor", 40, "O")
    await home.house.tidying.idle().look()
    await home.say("turn on the light")
    assert "[memory, L2" not in str(home.provider.calls[-1].request["messages"])
    await home.say("who did we talk about last month?")
    await home.say("and what else did we do last month?")
    sent = str(home.provider.calls[-1].request["messages"])
    assert sent.count("[memory, L2: memory/tiers/overview.md") == 1
    assert "Mr Okafor" in sent
    trace = (await home.say("/memory trace"))["reply"]
    assert "L0" in trace
    assert "L1 items" in trace
    assert "L2 memory/tiers/overview.md" in trace
    assert "names the past: 'did we talk'" in trace
    context = (await home.client.get("/api/context?session=main")).json()
    assert context["recalled"][0]["tier"] == "L2"


async def test_the_model_can_read_the_overview_itself(home: Home) -> None:
    remember(home, "the boiler was replaced by Mr Okafor", 40, "O")
    await home.house.tidying.idle().look()
    home.provider.script(
        Reply(tools=[("memory_get", {"path": "memory/tiers/overview.md"})]), Reply(text="It was Mr Okafor.")
    )
    await home.say("who was it?")
    assert "Mr Okafor" in str(home.provider.calls[-1].request["messages"][-1])


async def test_idle_work_asks_no_paid_model_unless_memory_has_a_budget(start: Start, tmp_path: Path) -> None:
    home = await start(tmp_path / "one")
    remember(home, "likes tea", 40)
    await home.house.tidying.idle().look()
    assert home.provider.calls == []
    rich = await start(tmp_path / "two", APPLIANCE_BUDGET__PURPOSE_USD='{"memory": "0.05"}')
    remember(rich, "likes tea", 40)
    rich.provider.script(Reply(text="## People\n- x\n## Wishes and limits\n- x\n## Going on\n- x\n## Earlier\n- x"))
    await rich.house.tidying.idle().look()
    assert len(rich.provider.calls) == 1
    assert "## Going on" in rich.house.workspace("main").read_tier("overview.md")


async def test_a_proposal_is_shown_as_inferred_and_kept_by_a_button(home: Home) -> None:
    home.house.memory.quarantine.hold(
        "blinds down in the sun", at=1.0, session="agent:main:main", agent="main", person="owner",
        origin="inferred", tag="W",
    )  # fmt: skip
    shown = (await home.say("/memory"))["reply"]
    assert "(inferred)" in shown
    [held] = home.house.memory.quarantine.list()
    await home.say(f"/memory keep {held.id}")
    [item] = home.house.memory.items().active()
    assert (item.tag, item.text) == ("W", "blinds down in the sun")


async def test_tidying_by_hand_says_what_it_did_and_the_counts_are_metrics(home: Home) -> None:
    remember(home, "no notifications after ten at night", 40, "B")
    remember(home, "no notifications after ten at night please", 39, "B")
    home.house.workspace("main").write("MEMORY.md", "- the printer is upstairs\n" * 300)
    done = (await home.client.post("/api/memory/tidy")).json()
    assert done["merged"] == 1
    assert done["days"] == 2
    assert done["shortened"]["MEMORY.md"] > 5_000
    metrics = home.house.metrics.render().decode()
    assert "appliance_memory_items 1.0" in metrics
    assert "appliance_memory_waiting 0.0" in metrics


WORK = """
import sys
from pathlib import Path
from zoneinfo import ZoneInfo
from appliance.memory import tidy
from appliance.memory.items import Item, line_of
from appliance.memory.workspace import Workspace

workspace = Workspace(Path(sys.argv[1]), ZoneInfo("UTC"))
workspace.create()
if not workspace.days():
    for number in range(6):
        at = 1_775_000_000.0 + number * 86_400 * 20
        workspace.append_day(line_of(Item("W", f"likes thing {number}", at, "s", "m")), at)
    workspace.write("MEMORY.md", "- the printer is upstairs\\n" * 300 + "- last\\n")
now = 1_795_000_000.0
tidy.merge(workspace, now)
tidy.digest_days(workspace, now)
tidy.shorten(workspace, now)
tidy.write_overview(workspace, tidy.overview_by_rules(workspace), "h")
"""


@pytest.mark.parametrize("place", ["tier-before:1", "tier-written:1", "tier-before:3", "tier-written:4", "tidy-kept:1"])
def test_a_kill_while_tidying_leaves_files_old_or_new_and_the_next_run_ends_the_work(
    tmp_path: Path, place: str
) -> None:
    def run(crash_at: str) -> int:
        environment = {**os.environ, "APPLIANCE_CRASH_AT": crash_at}
        command = [sys.executable, "-c", WORK, str(tmp_path)]
        return subprocess.run(command, env=environment, timeout=60, capture_output=True, check=False).returncode

    whole = "- the printer is upstairs\n" * 300 + "- last\n"
    assert run(place) == -signal.SIGKILL, "the place was reached"
    assert (tmp_path / "MEMORY.md").read_text() in (whole, without_repeats(whole))
    assert run("") == 0
    workspace = Workspace(tmp_path, ZoneInfo("UTC"))
    assert len(Items(workspace).active()) == 6
    assert (tmp_path / "MEMORY.md").read_text() == without_repeats(whole)
    assert whole in [path.read_text() for path in (tmp_path / "before-tidy").iterdir()]
    assert sorted(path.name for path in workspace.tiers.iterdir())[-1] == "overview.md"
    assert all("likes thing" in workspace.read_tier(path.name) for path in workspace.tiers.iterdir())
