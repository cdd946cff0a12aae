"""What goes wrong is said, counted and survived."""

import asyncio
from collections.abc import AsyncIterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from appliance.app import Appliance
from appliance.errors import StateError
from appliance.gateway.delivery import Carrier
from appliance.messages import Attachment, Button, Event, SessionKey
from appliance.testing.anthropic_replies import Reply
from tests.integration.gateway.conftest import Home, Start


async def test_a_poison_message_is_set_aside_after_three_tries_and_the_next_one_is_answered(home: Home) -> None:
    told: list[str] = []
    home.house.events.listen(lambda e: told.append(e.data["text"]) if e.type == "notice" else None)
    real = home.house.agent.ask
    tries = 0

    def ask(asking: Any, messages: list[Any]) -> AsyncIterator[Any]:
        nonlocal tries
        if "poison" in str(messages[-1]) and "fine" not in str(messages[-1]):
            tries += 1
            raise KeyError("boom")
        return real(asking, messages)

    home.house.agent.ask = ask
    await home.leave("poison", "m1", mode="followup")
    await home.leave("fine", "m2", mode="followup")
    await home.answered("m2")
    await home.idle()  # the answer stands in the transcript before its inbox row says so
    assert tries == 3
    assert home.house.inbox.counts() == {"dead": 1, "answered": 1}
    assert len([t for t in told if "KeyError" in t]) == 1


async def test_a_turn_that_was_cut_is_resumed_and_its_open_call_is_not_run_again(start: Start, tmp_path: Path) -> None:
    home = await start()
    files = home.house.workspace("main").files
    home.provider.script(Reply(tools=[("write", {"path": "a.txt", "text": "1"})]), Reply(text="x", delay=60.0))
    await home.leave("write it", "m1")
    async with asyncio.timeout(10):
        while home.provider.left or len(home.provider.calls) < 1:
            await asyncio.sleep(0.01)
    (files / "a.txt").unlink()
    for lane in home.house.pool._lanes.values():
        await lane.close(0.0)  # what a stop does when a turn takes too long
    await home.house.stop()
    home.provider.script(Reply(text="done"))
    again = await start(provider=home.provider)
    assert await again.answered("m1") == [["m1"]]
    assert not (files / "a.txt").exists()
    last = home.provider.calls[-1].request["messages"]
    assert [m["role"] for m in last] == ["user", "assistant", "user"]


async def test_an_answer_that_reached_only_the_transcript_is_completed_at_start(start: Start) -> None:
    home = await start()
    await home.say("hello", id="m1")
    home.house.core.write_now(lambda c: c.execute("UPDATE inbox SET state='new', reply=NULL; DELETE FROM replies"))
    await home.house.stop()
    again = await start(provider=home.provider)
    reply = await again.say("hello", id="m1")
    assert reply["reply"].startswith("You said")
    assert len(home.provider.calls) == 1


async def test_a_second_house_on_the_same_state_is_refused_with_the_owners_process(home: Home) -> None:
    with pytest.raises(StateError, match="already uses"):
        await Appliance(home.house.settings).start()
    assert (await home.say("still here"))["status"] == 200


@pytest.mark.parametrize("harm", ["gone", "empty", "no database"])
async def test_without_its_books_a_house_that_was_lived_in_does_not_start(
    start: Start, tmp_path: Path, harm: str
) -> None:
    home = await start()
    await home.say("hello")
    core = home.house.state / "core.db"
    await home.house.stop()
    for path in home.house.state.glob("core.db*"):
        path.unlink()
    if harm != "gone":
        core.write_bytes(b"" if harm == "empty" else b"no database" * 1000)
    with pytest.raises(StateError, match="what was spent and answered is not known") as refused:
        await start()
    assert f"mv {home.house.state} " in refused.value.fix


class Recorder(Carrier):
    """A platform that can edit, in memory: what a person would see."""

    name = "fake"
    edits = True
    nonces = False

    def __init__(self) -> None:
        self.shown: dict[str, str] = {}
        self.placed = 0

    def split(self, text: str) -> list[dict[str, Any]]:
        return [{"text": text[i : i + 20]} for i in range(0, len(text), 20)]

    async def place(self, place: dict[str, Any]) -> str:
        self.placed += 1
        self.shown[str(self.placed)] = "…"
        return str(self.placed)

    async def edit(self, place: Any, message: str, part: Any, buttons: Any = ()) -> None:
        self.shown[message] = part["text"]

    async def send(self, place: Any, part: Any, nonce: str, buttons: tuple[Button, ...] = ()) -> str:
        raise AssertionError("an editing platform is never sent to")

    async def send_file(self, place: Any, attachment: Attachment) -> str:
        return "file"

    async def typing(self, place: Any) -> None: ...

    async def sweep(self, place: Any, after: str | None, before: str) -> int:
        return 0


async def test_a_reply_on_an_editing_platform_is_one_placeholder_then_its_parts(home: Home) -> None:
    from appliance.messages import Inbound, Person, Role

    carrier = Recorder()
    home.house.delivery.attach(carrier)
    home.provider.script(Reply(text="0123456789" * 5, pieces=5, pace=0.02))
    inbound = Inbound(
        "fake",
        "bot",
        "7",
        "message",
        "1",
        "hi",
        Person("7", role=Role.OWNER),
        SessionKey.main(),
        1.8e9,
        place={"chat": "7"},
    )
    await home.house.intake.accept(inbound)
    async with asyncio.timeout(10):
        while "".join(carrier.shown.values()) != "0123456789" * 5:
            await asyncio.sleep(0.01)
    assert carrier.placed == 3


async def test_events_of_a_turn_come_in_their_documented_order(home: Home) -> None:
    seen: list[Event] = []
    home.house.events.listen(seen.append)
    home.provider.script(Reply(tools=[("read", {"path": "."})]), Reply(text="two words", pieces=2))
    await home.say("look")
    kinds = [kind for kind, _ in groupby(e.type for e in seen)]
    assert kinds == ["accepted", "tool_start", "tool_end", "text", "done"]
    assert "".join(e.data["delta"] for e in seen if e.type == "text") == "two words"


async def test_at_the_limit_the_owner_gets_buttons_that_raise_it(start: Start) -> None:
    from appliance.messages import Inbound, Person, Role

    home = await start(APPLIANCE_BUDGET__DAILY_USD="0.001", APPLIANCE_BUDGET__AT_LIMIT="ask")
    shown: list[tuple[Button, ...]] = []

    class WithButtons(Recorder):
        async def edit(self, place: Any, message: str, part: Any, buttons: Any = ()) -> None:
            await super().edit(place, message, part)
            if buttons:
                shown.append(tuple(buttons))

    home.house.delivery.attach(WithButtons())
    owner = Person("7", role=Role.OWNER)

    async def send(text: str, identity: str, kind: Any = "message") -> None:
        inbound = Inbound(
            "fake", "bot", "7", kind, identity, text, owner, SessionKey.main(), 1.8e9, place={"chat": "7"}
        )
        await home.house.intake.accept(inbound)

    await send("hello", "1")
    async with asyncio.timeout(10):
        while not any(b.label == "+$1 today" for buttons in shown for b in buttons):
            await asyncio.sleep(0.01)
    raise_it = next(b for buttons in shown for b in buttons if b.label == "+$1 today")
    await send(raise_it.action, "2", "callback")
    async with asyncio.timeout(10):
        while home.house.budget.status()[0]["limit"] < 1:
            await asyncio.sleep(0.01)
    assert home.house.budget.status()[0]["limit"] == pytest.approx(1.001)
