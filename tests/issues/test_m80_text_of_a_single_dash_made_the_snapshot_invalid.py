"""A text of a single dash made the snapshot of a page invalid YAML."""

import pytest
import yaml

from tests.integration.browser.conftest import Hand, World, hand, world  # noqa: F401 - fixtures by name

pytestmark = pytest.mark.chromium


@pytest.mark.parametrize("full", [False, True])
async def test_it_stays_yaml_and_has_the_text(hand: Hand, world: World, full: bool) -> None:  # noqa: F811
    await hand("open", url=world.page("a.example/", "<section><h2>Title</h2><p>-</p><p>a: b # c</p></section>"))
    text = (await hand("snapshot", full=full)).text.partition("\n")[2]
    assert '"-"' in text
    parsed = yaml.safe_load(text)
    assert isinstance(parsed, list)
    assert "'-'" in repr(parsed)
    assert "a: b # c" in repr(parsed)
