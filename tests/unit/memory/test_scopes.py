"""Who may find what."""

from __future__ import annotations

import apsw
import pytest

from appliance.database import migrate
from appliance.memory.schema import ITEMS, MIGRATIONS, TALK
from appliance.memory.scopes import Label, Scope, allowed, label_id
from appliance.messages import Person, Role, SessionKey

LABELS = {
    "private": Label("private", "main"),
    "main talk": Label("session", "main", session="agent:main:main"),
    "web talk": Label("session", "main", session="agent:main:web:kitchen"),
    "cron talk": Label("session", "main", session="cron:morning"),
    "group talk": Label("session", "main", session="agent:main:telegram:group:-5"),
    "wife's talk": Label("session", "main", session="agent:main:telegram:dm:2"),
    "owner's item": Label("item", "main", person="owner", see="private"),
    "owner's household item": Label("item", "main", person="owner", see="household"),
    "wife's item": Label("item", "main", person="2", see="private"),
    "wife's household item": Label("item", "main", person="2", see="household"),
    "team item": Label("item", "other", person="owner", see="team"),
    "other agent's memory": Label("private", "other"),
    "team file": Label("team"),
}
TEAM = {"team item", "team file"}
HOUSEHOLD = {"owner's household item", "wife's household item"}


def visible(scope: Scope) -> set[str]:
    connection = apsw.Connection(":memory:")
    migrate(connection, {"memory": MIGRATIONS}, "index.db")
    ids = {label_id(connection, label): name for name, label in LABELS.items()}
    assert {label_id(connection, label) for label in LABELS.values()} == set(ids), "a label is one row"
    return {ids[number] for shelf in (TALK, ITEMS) for number in allowed(connection, scope, shelf)}


def test_the_owners_main_session_finds_everything_but_other_peoples_own() -> None:
    assert visible(Scope(SessionKey.main())) == {
        "private", "main talk", "web talk", "cron talk", "group talk", "owner's item", *HOUSEHOLD, *TEAM
    }  # fmt: skip


@pytest.mark.parametrize("key", ["agent:main:web:kitchen", "cron:morning", "heartbeat:main", "agent:main:web:new"])
def test_the_houses_other_sessions_find_themselves_and_the_team(key: str) -> None:
    own = {name for name, label in LABELS.items() if label.session == key}
    assert visible(Scope(SessionKey(key))) == own | TEAM


def test_a_direct_message_finds_its_persons_own_and_the_households() -> None:
    scope = Scope.of(SessionKey.dm("telegram", "2"), Person("2", role=Role.MEMBER))
    assert visible(scope) == {"wife's talk", "wife's item", *HOUSEHOLD, *TEAM}


@pytest.mark.parametrize("role", list(Role))
def test_in_a_group_nobody_finds_anybodys_own_not_even_the_owner(role: Role) -> None:
    scope = Scope.of(SessionKey.group("telegram", "-5"), Person("2", role=role))
    assert visible(scope) == {"group talk"} | (set() if role is Role.GUEST else TEAM)


def test_a_guest_finds_only_their_own_conversation_and_items() -> None:
    scope = Scope.of(SessionKey.dm("telegram", "2"), Person("2", role=Role.GUEST))
    assert visible(scope) == {"wife's talk", "wife's item", "wife's household item"}  # said by this person


def test_somebody_else_in_the_main_session_is_not_the_owner() -> None:
    scope = Scope.of(SessionKey.main(), Person("2", role=Role.GUEST))
    assert "private" not in visible(scope)
    assert "owner's item" not in visible(scope)


def test_an_agent_never_finds_another_agents_memory() -> None:
    assert visible(Scope(SessionKey.main("third"))) == TEAM
