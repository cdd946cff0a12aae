"""Roles that change and people who leave: what they may, hear and had scheduled goes with them."""

from __future__ import annotations

import asyncio
import json

import pytest
from click.testing import Result
from typer.testing import CliRunner

from appliance.cli import app
from appliance.testing.anthropic_replies import Reply
from appliance.testing.fake_telegram import FakeTelegram
from tests.integration.gateway.conftest import ANN, OWNER, Home, until

REMIND = ("schedule", {"action": "add", "when": "0 7 * * *", "text": "water the plants"})


async def change(home: Home, action: str, user: int, **more: str) -> int:
    body = {"channel": "telegram", "id": str(user), **more}
    return (await home.client.post(f"/api/people/{action}", json=body)).status_code


def states(home: Home) -> list[str]:
    return [row["state"] for row in home.house.automation.schedules()]


async def test_whoever_is_removed_is_unknown_and_has_nothing_that_runs(household: Home, telegram: FakeTelegram) -> None:
    household.provider.script(Reply(tools=[REMIND]), Reply(text="Every morning."))
    telegram.people.say(ANN, "remind me to water the plants every morning at 7")
    await until(lambda: "Every morning." in telegram.texts(ANN))
    (job,) = household.house.automation.schedules()
    await household.client.post(f"/api/schedules/{job['id']}", json={"action": "approve"})
    assert states(household) == ["active"]
    assert await change(household, "remove", ANN) == 200
    assert states(household) == ["paused"]
    asked, told = len(household.provider.calls), len(telegram.texts(ANN))
    telegram.people.say(ANN, "你好？")
    await until(lambda: len(telegram.texts(ANN)) > told)
    assert "appliance pair" in telegram.texts(ANN)[-1]
    assert len(household.provider.calls) == asked
    assert await change(household, "remove", ANN) == 404
    await household.house.audit.flush()
    rows = [json.loads(line) for line in household.house.audit.export()]
    assert [r["fields"]["role"] for r in rows if r["kind"] == "person"] == ["owner", "member", "removed"]


async def test_a_former_owner_hears_no_notices(household: Home, telegram: FakeTelegram) -> None:
    assert await change(household, "role", ANN, role="owner") == 200
    for user in (OWNER, ANN):
        telegram.people.say(user, "/whoami")
        await until(lambda user=user: any("owner" in text for text in telegram.texts(user)))  # type: ignore[misc]
    assert await change(household, "role", OWNER, role="guest") == 200
    assert await change(household, "remove", ANN) == 400  # the last owner
    await household.house.owner.tell("The disk is nearly full.")
    await until(lambda: "The disk is nearly full." in telegram.texts(ANN))
    assert "The disk is nearly full." not in telegram.texts(OWNER)
    assert await change(household, "role", ANN, role="king") == 400


async def test_the_command_line_lists_changes_and_removes(household: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APPLIANCE_STATE_DIR", str(household.house.state))

    async def run(*words: str) -> Result:
        return await asyncio.to_thread(CliRunner().invoke, app, ["people", *words])

    assert f"telegram {ANN} Ann: member" in (await run("list")).output
    changed = json.loads((await run("role", "telegram", str(ANN), "guest", "--json")).output)
    assert [person["role"] for person in changed["people"]] == ["owner", "guest"]
    assert str(ANN) not in (await run("remove", "telegram", str(ANN))).output
    refused = await run("remove", "telegram", str(OWNER))
    assert refused.exit_code
    assert "only owner" in str(refused.exception)
