"""T17: a configured secret comes out nowhere, however it is brought to the surface.

The real key, the bot's token and the bearer token are put where texts flow: into a provider's errors, into a file that
is read, into what the model says. Then everything that left the process or stands on the disk is searched for them.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from appliance.testing.anthropic_replies import Reply, bad_request
from appliance.testing.fake_anthropic import FakeAnthropic
from appliance.testing.fake_telegram import FakeTelegram
from appliance.testing.process import GatewayProcess

OWNER = 11
KEY = "sk-ant-api03-canary-6f1d7a2b9c"
_KEPT_ON_PURPOSE = {"token", "metrics_token", "alerts_token"}


def leaks(state: Path, secrets: dict[str, str]) -> list[str]:
    """Every place below STATE, and the log beside it, that holds one of the secrets in any usual spelling."""
    found = []
    files = [path for path in state.rglob("*") if path.is_file() and path.name not in _KEPT_ON_PURPOSE]
    for path in [*files, state.with_suffix(".log")]:
        raw = path.read_bytes()
        found += [f"{name} in {path.name}" for name, secret in secrets.items() if secret.encode() in raw]
    return found


@pytest.mark.timeout(180)
async def test_no_sink_holds_a_configured_secret(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    async with FakeAnthropic() as provider, FakeTelegram() as telegram:
        bot = telegram.world.token
        house = GatewayProcess(
            state, ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=provider.url, TELEGRAM_BOT_TOKEN=bot,
            TELEGRAM_API_BASE=telegram.url, APPLIANCE_LOGGING__LEVEL="debug",
        )  # fmt: skip
        try:
            await house.start()
            secrets = {"key": KEY, "bot token": bot, "bearer": (state / "token").read_text().strip()}
            everything = " ".join(secrets.values())
            telegram.people.user(OWNER, name="Sam")
            code = (await house.client.post(f"{house.url}/api/people/invite", json={})).json()["code"]
            telegram.people.say(OWNER, code)
            async with asyncio.timeout(30):
                while not telegram.texts(OWNER):
                    await asyncio.sleep(0.05)
            files = state / "agents" / "main" / "files"
            files.mkdir(parents=True, exist_ok=True)
            (files / "notes.txt").write_text(f"the secrets are {everything}\n", encoding="utf-8")
            provider.script(bad_request(f"x-api-key {KEY} may not do this"))
            await house.post("one", id="s1")
            provider.script(
                Reply(tools=[("read", {"path": "notes.txt"})]),
                Reply(tools=[("read", {"path": f"{bot}.txt"})]),
                Reply(text=f"They are {everything}, and again {everything}.", pieces=7),
            )
            shown = await house.post("two", id="s2")
            (files / "notes.txt").unlink()
            provider.script(Reply(text=f"Your key: {KEY}, token {bot}.", pieces=5, pace=0.3))
            before = len(telegram.texts(OWNER))
            telegram.people.say(OWNER, "three")
            async with asyncio.timeout(60):
                while not any("Your key" in text for text in telegram.texts(OWNER)[before:]):
                    await asyncio.sleep(0.05)
            metrics = (await house.client.get(f"{house.url}/metrics")).text
            status = json.dumps(await house.get("/api/sessions"))
            prompts = json.dumps([call.request["messages"] for call in provider.calls])
            edits = [call.params for call in telegram.calls("editMessageText")]
            chat = json.dumps([telegram.texts(OWNER), edits], default=str)
            await house.stop()
        finally:
            await house.close()
    places = {
        "reply": json.dumps(shown),
        "metrics": metrics,
        "status": status,
        "chat": chat,
        "prompt": "".join(prompts),
    }
    found = [f"{name} in {place}" for place, text in places.items() for name, it in secrets.items() if it in text]
    assert found + leaks(state, secrets) == []
