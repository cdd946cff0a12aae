"""Files that come with an answer, on the page: shown, had by a click, there again after a reload."""

from __future__ import annotations

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
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc000000301010018dd8db00000"
    "000049454e44ae426082"
)


async def test_a_file_and_a_picture_of_an_answer(whole: Whole, provider: FakeAnthropic) -> None:
    files = whole.house.workspace("main").files
    files.mkdir(parents=True, exist_ok=True)
    (files / "報告 <1>.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    (files / "plot.png").write_bytes(PNG)
    sent = {"files": ["報告 <1>.csv", "plot.png"]}
    provider.script(Reply(tools=[("send", sent)]), Reply(text="Here they are."))
    async with logged_in(whole) as (_, page, trouble):
        await page.fill("#text", "the report and the plot, please")
        await page.press("#text", "Enter")
        link = page.locator(".assistant .sent-files a", has_text="報告 <1>.csv")
        for _ in range(2):
            await link.wait_for(timeout=60_000)
            async with page.expect_download() as begun:
                await link.click()
            download = await begun.value
            assert download.suggested_filename.startswith("報告")  # Chromium keeps no < in a name
            assert Path(await download.path()).read_text(encoding="utf-8") == "a,b\n1,2\n"
            picture = page.locator(".assistant .sent-files img[alt='plot.png']")
            await picture.wait_for()
            assert await picture.evaluate("async image => { await image.decode(); return image.naturalWidth; }") == 1
            await page.reload()
            await page.wait_for_selector("#messages > *")
        assert trouble == []
