"""The whole house with its browser: a task given in chat is done on a page, and the window goes with the house."""

from __future__ import annotations

import re
from typing import Any

import pytest

from appliance.browser import chromium
from appliance.composition.web_tools import WebTools
from appliance.testing.anthropic_replies import Reply
from tests.integration.browser.conftest import World
from tests.integration.gateway.conftest import Home, Start, start  # noqa: F401 - a fixture by name

pytestmark = pytest.mark.chromium


async def test_a_form_is_filled_for_a_person_and_nothing_else_is_typed(
    start: Start,  # noqa: F811 - a fixture by name
    world: World,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if why := chromium.missing(""):
        pytest.skip(why)
    url = world.page(
        "shop.example/",
        "<title>Order</title><form onsubmit=\"event.preventDefault();o.textContent='Ordered for '+n.value\">"
        "<label>Name <input id=n></label><button>Send</button></form><p id=o></p>",
    )
    defaults: Any = WebTools.__init__.__kwdefaults__
    monkeypatch.setitem(defaults, "resolve", world.wall()._resolve)
    home: Home = await start(APPLIANCE_WEB__ALLOWED_HOSTS=f'["shop.example:{world.port}"]')
    assert home.house.health.get("browser") is not None
    (home.house.workspace("main").files.parent / "MEMORY.md").write_text("The code is kestrel7391.\n")
    home.provider.script(
        Reply(tools=[("browser", {"action": "open", "url": url})]),
        Reply(tools=[("browser", {"action": "type", "ref": "e4", "text": "kestrel7391"})]),
        Reply(tools=[("browser", {"action": "type", "ref": "e4", "text": "Ada Lovelace"})]),
        Reply(tools=[("browser", {"action": "click", "ref": "e5"})]),
        Reply(text="Ordered."),
    )
    answer = await home.say(f"Order at {url} for Ada Lovelace")
    assert answer["reply"] == "Ordered."
    seen = home.prompts()
    refs = re.findall(r"\[ref=(e\d+)\]", seen[1])
    assert {"e4", "e5"} <= set(refs), seen[1]
    assert "Not typed: 'kestrel7391'" in seen[2]
    assert "Ordered for Ada Lovelace" in seen[4]
    assert seen[4].count("<outside ") == seen[4].count("</outside ") == 1


async def test_the_first_request_stays_small_with_every_tool(start: Start) -> None:  # noqa: F811
    home: Home = await start(APPLIANCE_WEB__SEARCH_URL="http://searxng.example")
    home.provider.script(Reply(text="hi"))
    await home.say("hello")
    names = {tool["name"] for tool in home.provider.calls[0].request["tools"]}
    assert {"fetch", "web_search"} <= names
    context = (await home.client.get("/api/context")).json()
    assert context["total_tokens"] <= 3_000
