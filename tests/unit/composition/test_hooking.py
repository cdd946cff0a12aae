"""Which things that happen are told to hooks, and what of them."""

from __future__ import annotations

from typing import Any

import pytest

from appliance.composition.hooking import Hooking
from appliance.gateway.outbox import Row
from appliance.messages import Event, Inbound, Person, Role, SessionKey
from appliance.spending.calls import BudgetEvent


class Told:
    """Hooks that only listen."""

    present = True

    def __init__(self) -> None:
        self.events: list[tuple[str, dict[str, Any]]] = []
        self.asked: list[str] = []

    def tell(self, name: str, data: dict[str, Any]) -> None:
        self.events.append((name, data))

    async def ask(self, name: str, data: dict[str, Any]) -> None:
        self.asked.append(name)

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.events]


class Empty:
    """Sessions without a word said."""

    def transcript(self, key: SessionKey) -> Empty:
        return self

    def window(self) -> list[dict[str, Any]]:
        return []


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def hooking(told: Told) -> Hooking:
    made = Hooking(told, lambda inbound: inbound.text.startswith("/"))  # type: ignore[arg-type]
    made.follow(Empty())  # type: ignore[arg-type]
    return made


def said(text: str, session: SessionKey = SessionKey.main(), kind: Any = "message") -> Inbound:  # noqa: B008
    return Inbound("telegram", "", "1", kind, "7", text, Person("9", "Sam", Role.OWNER), session, 1.0)


def done(session: SessionKey, **fields: Any) -> Event:
    data = {"turn": "t", "channel": "telegram", "reply": "hi", "model": "m", "usage": {}, "cost_usd": 0.1, **fields}
    return Event("done", session, data)


def test_a_conversation_starts_once_and_again_after_it_was_begun_anew(told: Told, hooking: Hooking) -> None:
    for text in ("hello", "again", "/new"):
        hooking.heard(said(text))
    hooking.renewed(SessionKey.main())
    hooking.heard(said("and now"))
    assert told.names == [
        "session:start", "message:received", "message:received", "message:received",
        "session:end", "session:start", "message:received",
    ]  # fmt: skip


def test_a_command_alone_starts_no_conversation(told: Told, hooking: Hooking) -> None:
    hooking.heard(said("/status"))
    assert told.names == ["message:received"]


@pytest.mark.parametrize("session", [SessionKey.cron("j1"), SessionKey.heartbeat()])
def test_what_runs_by_itself_is_no_conversation(told: Told, hooking: Hooking, session: SessionKey) -> None:
    hooking.heard(said("[due now]", session))
    hooking.renewed(session)
    assert told.events == []


def test_a_platforms_message_is_sent_when_it_has_it_and_the_webs_when_it_is_stored(
    told: Told, hooking: Hooking
) -> None:
    hooking.on_event(done(SessionKey.main()))
    assert told.names == ["turn:end"]
    hooking.sent(Row(1, "t", "telegram", {}, "agent:main:main", "reply", "sent", "hi"))
    assert told.events[-1] == (
        "message:sent", {"session": "agent:main:main", "channel": "telegram", "kind": "reply", "text": "hi"}
    )  # fmt: skip
    hooking.on_event(done(SessionKey.main(), channel="web"))
    assert told.names[2:] == ["message:sent", "turn:end"]


def test_a_command_ends_no_turn_and_a_failed_turn_ends_with_its_error(told: Told, hooking: Hooking) -> None:
    hooking.on_event(done(SessionKey.main(), model=""))
    assert told.events == []
    hooking.on_event(done(SessionKey.main(), model="", error="dead"))
    assert told.events[0][1]["error"] == "dead"


def test_a_heartbeat_that_had_something_due_is_told_as_one(told: Told, hooking: Hooking) -> None:
    hooking.on_event(done(SessionKey.heartbeat(), channel="heartbeat", reply="Reported."))
    assert told.names == ["turn:end", "heartbeat"]
    assert told.events[1][1]["text"] == "Reported."


def test_marks_are_told_in_dollars_and_overruns_are_not(told: Told, hooking: Hooking) -> None:
    hooking.on_budget(BudgetEvent("overrun", "model", "m", "2026-01-01", 0, 5, 4, 0.0))
    hooking.on_budget(BudgetEvent("mark", "day", "", "2026-01-01", 80, 16 * 10**11, 2 * 10**12, 0.0))
    assert told.events == [
        ("budget:mark", {"scope": "day", "percent": 80, "spent_usd": 1.6, "limit_usd": 2.0, "day": "2026-01-01"})
    ]


async def test_only_the_beginning_of_a_compaction_is_waited_for(told: Told, hooking: Hooking) -> None:
    await hooking.emit("session:compact:before", {})
    await hooking.emit("session:compact:after", {})
    assert (told.asked, told.names) == (["session:compact:before"], ["session:compact:after"])
