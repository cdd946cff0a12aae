"""The pictures in docs/images are of the pages as they are: each page that is shown can be brought up, and is there.

`scripts/screenshots` sets PICTURES_INTO and so writes them anew.
"""

from __future__ import annotations

import asyncio
import io
import os
import time
from pathlib import Path

import pytest

from appliance.testing.anthropic_replies import Reply
from appliance.testing.fake_anthropic import FakeAnthropic

from .conftest import Whole
from .test_deciding_page import logged_in
from .test_web_page import CHROMIUM, REQUIRED

if not REQUIRED:
    pytest.importorskip("playwright")

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.skipif(CHROMIUM is None and not REQUIRED, reason="no Chromium on this machine"),
]
IMAGES = Path(__file__).parents[3] / "docs" / "images"
PAGES = {
    "chat": "/",
    "approvals": "/approvals",
    "memory": "/memory?q=allergic",
    "schedules": "/schedules",
    "spend": "/spend",
}
MOST_BYTES = 100_000


async def lived_in(whole: Whole) -> asyncio.Task[object]:
    """A morning in the house."""
    for text in (
        "Good morning! My daughter is allergic to peanuts.",
        "我們家的貓叫 Mia 🐈，請記住。",
        "What should I cook on Friday?",
        '/cron add --name "Bins" "0 19 * * 2" Remind me to put the bins out.',
        '/cron add --name "Weather" "0 7 * * *" What will the weather be?',
    ):
        assert (await whole.client.post("/api/messages", json={"session": "main", "text": text})).status_code == 200
    whole.house.memory.quarantine.hold(
        "The school closes at noon on Thursday.",
        at=time.time(), session="agent:main:main", agent="main", person="owner", origin="https://school.example/news",
    )  # fmt: skip
    task, _ = await whole.ask("git", "push", "origin", "main")
    return task


def small(picture: bytes) -> bytes:
    from PIL import Image

    out = io.BytesIO()
    Image.open(io.BytesIO(picture)).convert("RGB").quantize(96).save(out, "PNG", optimize=True)
    return out.getvalue()


async def test_every_page_that_the_docs_show_comes_up_and_is_shown(
    whole: Whole, provider: FakeAnthropic, tmp_path: Path
) -> None:
    provider.script(
        Reply(text="Good morning! Noted: no peanuts for her."),
        Reply(text="記住了：你們家的貓叫 Mia 🐈。"),
        Reply(text="A vegetable curry: **no peanuts**, half an hour.\n\n- chickpeas\n- spinach\n- coconut milk"),
    )
    task = await lived_in(whole)
    into = Path(os.environ.get("PICTURES_INTO") or tmp_path)
    async with logged_in(whole, viewport={"width": 1100, "height": 760}) as (_, page, trouble):
        for name, path in PAGES.items():
            await page.goto(path)
            await page.wait_for_selector("#messages > *, #live section, main section")
            await page.wait_for_timeout(300)  # fonts and charts settle; nothing is decided by it
            (into / f"{name}.png").write_bytes(small(await page.screenshot()))
        assert trouble == []
    task.cancel()
    made = {path.name: path.stat().st_size for path in into.glob("*.png")}
    assert set(made) == {f"{name}.png" for name in PAGES}
    assert all(2_000 < size < MOST_BYTES for size in made.values()), made
    kept = {path.name for path in IMAGES.glob("*.png")}
    assert kept == set(made), "run scripts/screenshots"
    docs = "".join(path.read_text(encoding="utf-8") for path in IMAGES.parent.rglob("*.md"))
    assert all(f"images/{name}" in docs for name in kept), "a picture that no page shows"
