"""T17: a configured secret comes out nowhere, however it is brought to the surface and however it is spelt.

Twelve secrets, plain, in base64 and as part of an address, are put where texts flow: into a provider's errors, into a
file that is read, into what the model says in pieces. Then everything that left the process or stands on the disk is
searched for them.
"""

from __future__ import annotations

import asyncio
import base64
import json
from pathlib import Path
from urllib.parse import quote

import pytest

from appliance.testing.anthropic_replies import Reply, bad_request
from appliance.testing.fake_anthropic import FakeAnthropic
from appliance.testing.fake_telegram import FakeTelegram
from appliance.testing.process import GatewayProcess

OWNER = 11
KEY = "sk-ant-api03-canary-6f1d7a2b9c"
FURTHER = {
    "APPLIANCE_BACKUP__PASSPHRASE": "canary+correct/horse battery",
    "APPLIANCE_CHECKS__MAIL_PASSWORD": "canary-mail-abcd-efgh",
    "APPLIANCE_CHECKS__MENTIONS_TOKEN": "canary-mentions-5f0c",
    "APPLIANCE_LOCAL__TOKEN": "canary-models-service-77",
    "APPLIANCE_MEMORY__EMBEDDER_KEY": "canary-embedder-19ab",
    "APPLIANCE_MEMORY__RERANKER_KEY": "canary-reranker-20cd",
    "APPLIANCE_NOTICES__NTFY_TOKEN": "canary_tk_ntfy_31ef",
    "APPLIANCE_WEB__BROWSER_TOKEN": "canary-browser-service-42",
}
SPARE = "canary-spare-server-53"
_KEPT_ON_PURPOSE = {"token", "metrics_token", "alerts_token"}


def spellings(secret: str) -> set[str]:
    raw = secret.encode()
    return {secret, quote(secret, safe=""), base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode()}


def leaks(state: Path, secrets: dict[str, str]) -> list[str]:
    """Every place below STATE, and the log beside it, that holds one of the secrets in one of its spellings."""
    files = [path for path in state.rglob("*") if path.is_file() and path.name not in _KEPT_ON_PURPOSE]
    return [
        f"{name} in {path.name}"
        for path in [*files, state.with_suffix(".log")]
        for raw in [path.read_bytes()]
        for name, secret in secrets.items()
        if any(form.encode() in raw for form in spellings(secret))
    ]


@pytest.mark.timeout(180)
async def test_no_sink_holds_a_configured_secret(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    async with FakeAnthropic() as provider, FakeTelegram() as telegram:
        bot = telegram.world.token
        house = GatewayProcess(
            state, ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=provider.url, TELEGRAM_BOT_TOKEN=bot,
            TELEGRAM_API_BASE=telegram.url, APPLIANCE_LOGGING__LEVEL="debug", **FURTHER,
            APPLIANCE_OPENAI_COMPATIBLE=json.dumps({"spare": {"base_url": "http://127.0.0.1:9/v1", "api_key": SPARE}}),
        )  # fmt: skip
        try:
            await house.start()
            secrets = {"key": KEY, "bot token": bot, "bearer": (state / "token").read_text().strip()}
            secrets |= {**FURTHER, "spare": SPARE}
            everything = " ".join(form for secret in secrets.values() for form in spellings(secret))
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
                Reply(text=f"They are {everything}, and again {everything}.", pieces=97),
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
    found = [
        f"{name} in {place}"
        for place, text in places.items()
        for name, secret in secrets.items()
        if any(form in text for form in spellings(secret))
    ]
    assert len(secrets) == 12
    assert found + leaks(state, secrets) == []
