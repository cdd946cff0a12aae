"""A picture that somebody sends: shown to a model that sees, kept and said to be unseen when a blind one answers."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from appliance.testing.fake_openai import FakeOpenAI
from tests.integration.gateway.conftest import Home


def drawn() -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (64, 64), "red").save(made, "PNG")
    return made.getvalue()


async def answer_to_picture(home: Home) -> tuple[str, Path]:
    """What is answered to a picture, and where that is kept."""
    sent = await home.client.post("/api/attachments", files={"file": ("red.png", drawn(), "image/png")})
    reply = await home.say("what is it?", attachments=[sent.json()["id"]])
    (kept,) = home.house.settings.state.glob("agents/main/files/inbox/*/red*.png")
    return str(reply["reply"]), kept


@pytest.mark.parametrize("vision", [True, False])
async def test_the_model_of_the_house_sees_it_or_the_person_is_told(start: Any, vision: bool) -> None:
    async with FakeOpenAI(window=32_768) as server:
        home = await start(
            APPLIANCE_MODELS__CHAIN='["nas"]',
            APPLIANCE_OPENAI_COMPATIBLE__NAS__BASE_URL=server.url,
            APPLIANCE_OPENAI_COMPATIBLE__NAS__MODEL="tiny",
            APPLIANCE_OPENAI_COMPATIBLE__NAS__VISION=str(vision).lower(),
        )
        said, kept = await answer_to_picture(home)
        assert ("nas sees no pictures" in said) is not vision
        assert ("data:image/png;base64," in str(server.calls[0].request["messages"])) is vision
        assert kept.read_bytes() == drawn()
