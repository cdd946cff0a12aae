"""The one table of roles, and that docs, commands and tools keep to it."""

from __future__ import annotations

from pathlib import Path

from appliance.gateway.commands import Commands
from appliance.gateway.everyday import Everyday
from appliance.messages import Role
from appliance.roles import RIGHTS, Right, may

NEEDED = {
    "help": Right.TALK,
    "new": Right.SEE_OWN,
    "stop": Right.SEE_OWN,
    "whoami": Right.SEE_OWN,
    "status": Right.SEE_HOUSE,
    "queue": Right.SEE_HOUSE,
    "compact": Right.RUN,
    "spend": Right.SET_MONEY,
    "budget": Right.SET_MONEY,
    "model": Right.SET_MONEY,
    "context": Right.SEE_PRIVATE,
    "doctor": Right.MANAGE,
}


def test_rights_only_grow_from_guest_to_owner() -> None:
    assert RIGHTS[Role.GUEST] < RIGHTS[Role.MEMBER] < RIGHTS[Role.OWNER] == frozenset(Right)
    for right in (Right.APPROVE, Right.SET_MONEY, Right.SEE_PRIVATE, Right.MANAGE):
        assert not may(Role.MEMBER, right)
    assert not may(Role.GUEST, Right.RUN)


def test_every_command_is_open_to_exactly_the_roles_of_the_table() -> None:
    commands = Commands()
    Everyday.add_to(_Anything(), commands)  # type: ignore[arg-type]
    offered = {role: {name for name, _ in commands.menu(role)} for role in Role}
    assert offered[Role.OWNER] == set(NEEDED)
    for role in Role:
        assert offered[role] == {name for name, right in NEEDED.items() if may(role, right)}


def test_the_page_prints_the_table_as_it_stands() -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "telegram.md").read_text(encoding="utf-8")
    for right in Right:
        marks = " | ".join("●" if may(role, right) else "" for role in (Role.OWNER, Role.MEMBER, Role.GUEST))
        row = f"| {right.value} | {marks} |".replace("|  |", "| |").replace("|  |", "| |")
        assert row in page, row


class _Anything:
    """Stands for Everyday where only its handlers' names matter."""

    def __getattr__(self, name: str) -> object:
        return name
