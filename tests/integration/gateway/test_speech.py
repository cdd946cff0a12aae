"""Voice messages: written down by a transcriber in the house, kept in their place, or refused in clear words."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from appliance.composition.speech import Listener
from appliance.messages import Attachment, Inbound, Person, Role, SessionKey
from appliance.settings.channels import SpeechSettings
from appliance.testing.anthropic_replies import Reply
from appliance.testing.fake_telegram import FakeTelegram
from tests.integration.gateway.conftest import OWNER, Home, until

OGG = b"OggS" + b"\0" * 60


class FakeTranscriber:
    """OpenAI's form of a transcriber; `say` is what it hears, `status` what it answers."""

    def __init__(self) -> None:
        self.url = ""
        self.said = "buy milk 買牛奶"
        self.status = 200
        self.error: dict[str, str] | None = None
        self.seen: list[tuple[str, bytes]] = []
        self.going = asyncio.Event()
        self.going.set()

    async def hear(self, request: web.Request) -> web.Response:
        form = await request.post()
        file = form["file"]
        assert isinstance(file, web.FileField)
        if not form.get("model"):
            return web.Response(status=422)
        self.seen.append((str(form["model"]), file.file.read()))
        await self.going.wait()
        return web.json_response({"text": f" {self.said} ", "error": self.error}, status=self.status)


@pytest.fixture
async def transcriber() -> AsyncIterator[FakeTranscriber]:
    fake = FakeTranscriber()
    app = web.Application()
    app.router.add_post("/v1/audio/transcriptions", fake.hear)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    fake.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield fake
    await runner.cleanup()


def voice(folder: Path, identity: str, text: str = "") -> Inbound:
    path = folder / f"{identity}.ogg"
    path.write_bytes(OGG)
    said = Attachment("audio", str(path), "audio/ogg", len(OGG), path.name)
    return Inbound(
        "web", "main", "main", "message", identity, text, Person("owner", role=Role.OWNER), SessionKey.main(), 0.0,
        attachments=(said,),
    )  # fmt: skip


async def answered(home: Any, row: int) -> str:
    return str((await home.house.replies.wait(row, 20)).text)


async def test_what_is_spoken_reaches_the_model_as_text(
    start: Any, transcriber: FakeTranscriber, tmp_path: Path
) -> None:
    home = await start(APPLIANCE_SPEECH__URL=transcriber.url, APPLIANCE_SPEECH__MODEL="small")
    home.provider.default(lambda body: Reply(text="noted"))
    receipt = await home.house.intake.accept(voice(tmp_path, "v1", "for later:"))
    assert await answered(home, receipt.row) == "noted"
    assert transcriber.seen == [("small", OGG)]
    assert "for later:\nbuy milk 買牛奶" in home.prompts()[0]


async def test_a_text_that_comes_while_speech_is_written_down_stays_behind_it(
    start: Any, transcriber: FakeTranscriber, tmp_path: Path
) -> None:
    home = await start(APPLIANCE_SPEECH__URL=transcriber.url, APPLIANCE_AGENT__MODE="followup")
    home.provider.default(lambda body: Reply(text="ok"))
    transcriber.going.clear()
    first = await home.house.intake.accept(voice(tmp_path, "v1"))
    await home.leave("written after it", "w1")
    async with asyncio.timeout(20):
        while not transcriber.seen:
            await asyncio.sleep(0.01)
    assert home.prompts() == []
    transcriber.going.set()
    await answered(home, first.row)
    await home.answered("w1")
    assert ["buy milk" in home.prompts()[0], "written after it" in home.prompts()[1]] == [True, True]


async def test_without_a_transcriber_the_person_is_told_and_no_model_is_asked(start: Any, tmp_path: Path) -> None:
    home = await start()
    receipt = await home.house.intake.accept(voice(tmp_path, "v1"))
    assert "local.transcriber" in await answered(home, receipt.row)
    assert home.prompts() == []
    home.provider.default(lambda body: Reply(text="I read it"))
    both = await home.house.intake.accept(voice(tmp_path, "v2", "listen to this"))
    assert await answered(home, both.row) == "I read it"
    assert "nobody can write it down here" in home.prompts()[0]


async def test_a_voice_message_on_a_phone_is_answered_with_what_is_missing(
    household: Home, telegram: FakeTelegram
) -> None:
    before = len(telegram.texts(OWNER))
    telegram.people.send_file(OWNER, OGG, kind="voice", name="v.oga", mime="audio/ogg")
    await until(lambda: any("cannot hear voice" in text for text in telegram.texts(OWNER)[before:]))
    assert household.prompts() == []


async def test_trouble_with_the_transcriber_is_said_and_loses_no_message(
    start: Any, transcriber: FakeTranscriber, tmp_path: Path
) -> None:
    home = await start(APPLIANCE_SPEECH__URL=transcriber.url)
    home.provider.default(lambda body: Reply(text="ok"))
    transcriber.status = 500
    receipt = await home.house.intake.accept(voice(tmp_path, "v1"))
    assert await answered(home, receipt.row) == "ok"
    assert "could not be written down: the transcriber answered 500" in home.prompts()[0]


async def test_the_models_service_is_waited_for_while_it_loads_and_says_itself_what_is_wrong(
    transcriber: FakeTranscriber, tmp_path: Path
) -> None:
    class Service:
        token = "t0ken"
        asked = 0

        def base_url(self) -> str | None:
            self.asked += 1
            transcriber.status = 503 if self.asked == 2 else transcriber.status
            return f"{transcriber.url}/v1" if self.asked > 1 else None

    async def waited() -> None:
        while transcriber.status != 503:
            await asyncio.sleep(0.01)
        transcriber.status = 200

    listener = Listener(SpeechSettings(), Service())
    ready = asyncio.create_task(waited())
    heard = await listener.listen(voice(tmp_path, "v1"))
    await ready
    assert heard.text == "buy milk 買牛奶"
    transcriber.status, transcriber.error = 400, {"message": "The file is no sound that can be read."}
    heard = await listener.listen(voice(tmp_path, "v2"))
    assert heard.text == "[voice message: it could not be written down: The file is no sound that can be read.]"
