"""Twenty kinds of pages: their snapshot is small beside their picture, and enough to finish the task."""

from __future__ import annotations

import pytest

from tests.integration.browser.conftest import Hand, World
from tests.integration.browser.shapes import SHAPES, Shape

pytestmark = pytest.mark.chromium
MOST_SHARE = 0.03


def test_there_are_twenty() -> None:
    assert len({shape.name for shape in SHAPES}) == 20


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
async def test_the_task_is_finished_by_references(hand: Hand, world: World, shape: Shape) -> None:
    await hand("open", url=world.page("shop.example/", shape.page))
    window = await hand.browser.window(hand.session.value)
    picture = await window.tab.page.screenshot(full_page=True, timeout=60_000)
    share = len(hand.text.encode()) / len(picture)
    assert share <= MOST_SHARE, f"{len(hand.text.encode())} of {len(picture)} bytes are {share:.1%}"
    for action, pattern, text in shape.steps:
        arguments = {"ref": hand.ref(pattern)} if pattern else {}
        await hand(action, **arguments, **({"text": text} if text else {}))
    assert "DONE" in (await hand("snapshot", text="DONE")).text
