"""Slash commands: answered without a model, from every channel alike.

A command exists only when something stands behind it: handlers are added by app.py. Each says which role may use it.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from appliance.errors import ApplianceError
from appliance.gateway.buttons import Buttons, Refusal
from appliance.messages import Button, Inbound, Person, Received, Reply, Role, SessionKey
from appliance.texts import language_of, say
from appliance.texts.sentences import told

_COMMAND = re.compile(r"/([a-z_]{1,32})(?:@\w+)?(?:\s+(.*))?", re.DOTALL)
_RANK = {Role.GUEST: 0, Role.MEMBER: 1, Role.OWNER: 2}


@dataclass(frozen=True, slots=True)
class Ask:
    """A command as its handler gets it. `words` are the arguments."""

    session: SessionKey
    person: Person
    channel: str
    language: str
    argument: str

    @property
    def words(self) -> list[str]:
        return self.argument.split()


@dataclass(frozen=True, slots=True)
class Choice:
    """A button that will run a command when pressed."""

    label: str
    command: str


@dataclass(frozen=True, slots=True)
class Said:
    """What a handler answers: Markdown, and choices to press."""

    text: str
    choices: tuple[Choice, ...] = ()


def with_commands(text: str, choices: Iterable[tuple[str, str]]) -> str:
    """A text with choices (label, command), for a place without buttons: the commands are written out."""
    return "\n".join([text, *(f"{label}: {command}" for label, command in choices)])


Handler = Callable[[Ask], Awaitable[Said | str]]


@dataclass(frozen=True, slots=True)
class Command:
    """`help` is a key of texts.TEXTS; `private`: what it says is not for a group."""

    name: str
    run: Handler
    role: Role
    help: str
    private: bool


class Commands:
    """Given handlers, answer what starts with a slash, and presses of buttons. `written`: channels without buttons."""

    def __init__(self, buttons: Buttons | None = None, written: Collection[str] = ()) -> None:
        self._commands: dict[str, Command] = {}
        self._buttons = buttons
        self._written = frozenset(written)
        self.add("help", self._help, Role.GUEST)

    def add(
        self, name: str, run: Handler, role: Role = Role.OWNER, *, alias: Sequence[str] = (), private: bool = False
    ) -> None:
        command = Command(name, run, role, f"help_{name}", private)
        for known in (name, *alias):
            self._commands[known] = command

    def handles(self, inbound: Inbound) -> bool:
        """True for slash commands and button presses. A path such as `/etc/hosts is odd` is no command."""
        if inbound.kind == "callback":
            return True
        return inbound.kind in ("message", "command") and _COMMAND.fullmatch(inbound.text.strip()) is not None

    def menu(self, role: Role, language: str = "en") -> list[tuple[str, str]]:
        """(name, description) of the commands a role may use, for help and for platforms' command menus."""
        unique = {c.name: c for c in self._commands.values() if _RANK[c.role] <= _RANK[role]}
        return [(name, say(command.help, language)) for name, command in sorted(unique.items())]

    async def run(self, received: Received) -> Reply:
        """Answer a command. Raises what handlers raise beyond ApplianceError."""
        inbound = received.inbound
        language = inbound.person.language or language_of(inbound.text)
        text = inbound.text
        if inbound.kind == "callback":
            pressed = await self._pressed(received, language)
            if isinstance(pressed, Reply):
                return pressed
            text = pressed
        said = await self._answer(text.strip(), inbound, language)
        buttons = await self._make_buttons(said.choices, inbound)
        written = [(c.label, c.command) for c in said.choices] if inbound.channel in self._written else []
        shown = with_commands(said.text, written)
        return Reply(received.turn, inbound.session, shown, (received.row,), f"{received.turn}.0", buttons=buttons)

    async def _pressed(self, received: Received, language: str) -> Reply | str:
        """The command behind a button, or the reply that refuses the press."""
        inbound = received.inbound
        if self._buttons is None:
            return Reply(received.turn, inbound.session, say("button_unknown", language), (received.row,))
        press = await self._buttons.take(
            inbound.text, inbound.person, channel=inbound.channel, claim=f"inbox-{received.row}"
        )
        if isinstance(press, Refusal):
            return Reply(received.turn, inbound.session, say(f"button_{press.reason}", language), (received.row,))
        return str(press.payload["command"])

    async def _answer(self, text: str, inbound: Inbound, language: str) -> Said:
        match = _COMMAND.fullmatch(text)
        command = self._commands.get(match[1]) if match else None
        if match is None or command is None:
            return Said(say("unknown_command", language, command=text.split()[0][:40]))
        if _RANK[inbound.person.role] < _RANK[command.role]:
            return Said(say("not_allowed", language, command=f"/{match[1]}", role=command.role.value))
        if command.private and inbound.session.is_group:
            return Said(say("only_private", language, command=f"/{match[1]}"))
        ask = Ask(inbound.session, inbound.person, inbound.channel, language, (match[2] or "").strip())
        try:
            said = await command.run(ask)
        except ApplianceError as error:
            return Said(told(error, language))
        return Said(said) if isinstance(said, str) else said

    async def _make_buttons(self, choices: Sequence[Choice], inbound: Inbound) -> tuple[Button, ...]:
        return await self.buttons_for(choices, inbound.person, inbound.channel) if inbound.place else ()

    async def buttons_for(self, choices: Sequence[Choice], person: Person, channel: str) -> tuple[Button, ...]:
        """Buttons that run commands when this person presses them on this channel; alternatives of one another."""
        if not choices or self._buttons is None or channel in self._written:
            return ()
        made = []
        row = ""
        for choice in choices:
            identity = await self._buttons.create(
                "command", {"command": choice.command}, person, channel=channel, row=row
            )
            row = row or identity
            made.append(Button(choice.label, identity))
        return tuple(made)

    async def _help(self, ask: Ask) -> str:
        lines = [f"/{name} — {text}" for name, text in self.menu(ask.person.role, ask.language)]
        return "\n".join(lines)
