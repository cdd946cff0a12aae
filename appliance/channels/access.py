"""Who may speak: people by their numeric id, codes that pair them, the session each one gets.

Names never identify: they are kept for display only. There are two kinds of code, both of 8 characters without
look-alikes, valid for an hour and used once:

- an *invitation* is shown on the machine (`appliance pair`) and sent to the bot by the person; the first one makes
  the owner;
- a *request* is shown to an unknown person by the bot and approved on the machine (`appliance pair CODE`).

Only hashes of codes are stored. What an unknown person wrote is not processed, then or later.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import apsw

from appliance.clock import Clock, iso
from appliance.database import Database, Migration
from appliance.errors import InputError, NotFoundError
from appliance.messages import Person, Role, SessionKey
from appliance.roles import Right, may

MIGRATIONS: list[Migration] = [
    (
        "people and pairing codes",
        """CREATE TABLE people(
            channel TEXT NOT NULL, id TEXT NOT NULL, role TEXT NOT NULL, name TEXT NOT NULL, language TEXT NOT NULL,
            paired_at REAL NOT NULL, PRIMARY KEY (channel, id)
        ) WITHOUT ROWID;
        CREATE TABLE pairing_codes(
            hash TEXT PRIMARY KEY, kind TEXT NOT NULL, role TEXT NOT NULL, channel TEXT NOT NULL, id TEXT NOT NULL,
            name TEXT NOT NULL, language TEXT NOT NULL, expires_at REAL NOT NULL
        ) WITHOUT ROWID;""",
    )
]
ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # no 0 O 1 I L
CODE_LENGTH = 8
CODE_SECONDS = 3600.0
MAX_PENDING = 3
MAX_GUESSES = 5  # wrong codes per person and hour
_NUMERIC = re.compile(r"[1-9][0-9]{0,19}", re.ASCII)
# What an id looks like where it is not a number.
_FORMS = {
    "slack": re.compile(r"[UW][A-Z0-9]{2,20}", re.ASCII),
    "email": re.compile(r"[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9.-]{1,190}", re.ASCII),
}
_CODE = re.compile(f"[{ALPHABET}]{{{CODE_LENGTH}}}")
_REMEMBERED = 4096
PairedListener = Callable[[str, Person], Awaitable[None]]
ChangedListener = Callable[[str, str, Role | None], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Meeting:
    """What became of an unknown person's message.

    paired: `person` is known from now on. wrong: a code that does not count. request: tell them `code`. no_owner: tell
    them how the first pairing goes. silent: say nothing (told within the hour, too many guesses, too many requests).
    """

    outcome: Literal["paired", "wrong", "request", "no_owner", "silent"]
    person: Person | None = None
    code: str = ""


@dataclass(frozen=True, slots=True)
class PendingRequest:
    """Someone who waits for approval. `expires_at` is Unix seconds."""

    channel: str
    id: str
    name: str
    expires_at: float


def valid_id(user: object, channel: str = "") -> bool:
    """True for a platform id as it must be: decimal digits, no sign, no blank, no leading zero, not 0; where the
    channel's ids are no numbers, its own form."""
    return isinstance(user, str) and _FORMS.get(channel, _NUMERIC).fullmatch(user) is not None


def session_for(
    person: Person, channel: str, chat: str, *, private: bool, topic: str | None = None, agent: str = "main"
) -> SessionKey:
    """The owner's private chats are the main session; everyone else and every group has its own."""
    if not private:
        return SessionKey.group(channel, chat, topic, agent)
    return SessionKey.main(agent) if may(person.role, Right.SEE_PRIVATE) else SessionKey.dm(channel, person.id, agent)


class Access:
    """Give it core.db, a clock and, per channel, the ids that the settings make members."""

    def __init__(self, database: Database, clock: Clock, members: dict[str, Iterable[int | str]] | None = None) -> None:
        self._database = database
        self._clock = clock
        self._members = {channel: {str(user) for user in users} for channel, users in (members or {}).items()}
        self._told: OrderedDict[tuple[str, str], float] = OrderedDict()
        self._guesses: OrderedDict[tuple[str, str], list[float]] = OrderedDict()
        self._listeners: list[PairedListener] = []
        self._changed: list[ChangedListener] = []

    def on_paired(self, listener: PairedListener) -> None:
        """Call `listener(channel, person)` after each pairing (a channel greets the person)."""
        self._listeners.append(listener)

    def on_changed(self, listener: ChangedListener) -> None:
        """Call `listener(channel, id, role)` after somebody's role changed; the role is None when they were removed."""
        self._changed.append(listener)

    # --- who is it ------------------------------------------------------------------------------------------------

    def check(self, channel: str, user: object, *, name: str = "") -> Person | None:
        """The person with this id on this channel, or None for somebody unknown. `name` is only for display."""
        if not valid_id(user, channel):
            return None
        rows = self._database.read(
            f"SELECT role, language FROM people WHERE id = :id AND {_KNOWN_ON} ORDER BY channel = :channel DESC",  # noqa: S608 - constant text
            {"id": user, **_place(channel)},
        )
        if rows:
            return Person(str(user), name, Role(rows[0][0]), rows[0][1])
        if user in self._members.get(channel, ()):
            return Person(str(user), name, Role.MEMBER)
        return None

    def people(self) -> list[tuple[str, Person]]:
        """Everyone who is paired, as (channel, person), owners first."""
        rows = self._database.read(
            "SELECT channel, id, role, name, language FROM people ORDER BY role = 'owner' DESC, paired_at"
        )
        return [(channel, Person(user, name, Role(role), language)) for channel, user, role, name, language in rows]

    def known_on(self, channel: str) -> list[Person]:
        """Everyone who is paired on a channel, and the owner of the house, who is known to all bots of a platform."""
        rows = self._database.read(
            f"SELECT id, role, name, language FROM people WHERE {_KNOWN_ON}"  # noqa: S608 - constant text
            " ORDER BY channel != :channel DESC, paired_at",
            _place(channel),
        )
        # What stands for this very channel comes last and so counts.
        known = {user: Person(user, name, Role(role), language) for user, role, name, language in rows}
        return list(known.values())

    def owners(self, channel: str | None = None) -> list[tuple[str, Person]]:
        """The owner's identities, as (channel, person); empty before the first pairing."""
        return [(of, person) for of, person in self.people() if person.role is Role.OWNER and channel in (None, of)]

    def pending(self) -> list[PendingRequest]:
        """Requests that wait for approval, soonest to expire first."""
        rows = self._database.read(
            "SELECT channel, id, name, expires_at FROM pairing_codes WHERE kind = 'request' AND expires_at > ? "
            "ORDER BY expires_at",
            (self._clock.now(),),
        )
        return [PendingRequest(*row) for row in rows]

    # --- pairing --------------------------------------------------------------------------------------------------

    def listed(self) -> dict[str, Any]:
        """People and waiting requests as plain data, for the API and the command line."""
        return {
            "people": [{"channel": c, "id": p.id, "name": p.name, "role": p.role} for c, p in self.people()],
            "waiting": [
                {"channel": w.channel, "id": w.id, "name": w.name, "expires_at": iso(w.expires_at)}
                for w in self.pending()
            ],
        }

    async def invite(self, role: Role | None = None) -> str:
        """Make a code to be shown on the machine; whoever sends it to a channel gets `role`.

        Without a role it is owner while there is none, then member. A new code for a role replaces the older one.
        """
        chosen = role or (Role.MEMBER if self.owners() else Role.OWNER)
        code = _new_code()
        expires = self._clock.now() + CODE_SECONDS

        def work(connection: apsw.Connection) -> None:
            connection.execute("DELETE FROM pairing_codes WHERE kind = 'invite' AND role = ?", (str(chosen),))
            connection.execute(
                "INSERT INTO pairing_codes VALUES (?, 'invite', ?, '', '', '', '', ?)",
                (_hash(code), str(chosen), expires),
            )

        await self._database.write(work)
        return code

    async def meet(self, channel: str, user: object, *, text: str, name: str = "", language: str = "") -> Meeting:
        """An unknown person wrote `text` in private: pair them, give them a code, or keep silent."""
        if not valid_id(user, channel):
            return Meeting("silent")
        who = (channel, str(user))
        code = _normal(text)
        if _CODE.fullmatch(code):
            if self._guessed_too_often(who):
                return Meeting("silent")
            person = await self._redeem(code, channel, Person(who[1], name, Role.GUEST, language))
            if person is not None:
                await self._announce(channel, person)
                return Meeting("paired", person)
            self._guesses.setdefault(who, []).append(self._clock.now())
            return Meeting("wrong")
        if self._told_lately(who):
            return Meeting("silent")
        if not self.owners():
            return Meeting("no_owner")
        made = await self._request(channel, Person(who[1], name, Role.GUEST, language))
        return Meeting("request", code=made) if made else Meeting("silent")

    async def approve(self, code: str, role: Role | None = None) -> tuple[str, Person]:
        """Approve the request with this code; return (channel, person).

        The role is member by default, and owner for the first person of all. Raises NotFoundError for a wrong, used
        or expired code.
        """
        normal, now = _normal(code), self._clock.now()
        chosen = role or (Role.MEMBER if self.owners() else Role.OWNER)

        def work(connection: apsw.Connection) -> tuple[str, Person] | None:
            found = connection.execute(
                "DELETE FROM pairing_codes WHERE hash = ? AND kind = 'request' AND expires_at > ? "
                "RETURNING channel, id, name, language",
                (_hash(normal), now),
            ).fetchall()
            if not found:
                return None
            channel, user, name, language = (str(value) for value in found[0])
            person = Person(user, name, chosen, language)
            _store(connection, channel, person, now)
            return channel, person

        paired = await self._database.write(work)
        if paired is None:
            raise NotFoundError(
                "No request has this code, or it is more than an hour old.",
                fix="Let the person write to the bot again; it shows them a new code.",
            )
        await self._announce(*paired)
        return paired

    async def set_role(self, channel: str, user: str, role: Role) -> None:
        """Change a paired person's role. Raises NotFoundError, or InputError for the last owner."""
        await self._change(channel, user, "UPDATE people SET role = :role WHERE channel = :channel AND id = :id", role)

    async def remove(self, channel: str, user: str) -> None:
        """Forget a person, so that they are unknown again. Raises NotFoundError, or InputError for the last owner and
        for somebody whom the settings make a member."""
        if user in self._members.get(channel, ()):
            raise InputError(
                f"{user} is a member by {channel}.members in the settings.", fix="Take the id out of that list."
            )
        await self._change(channel, user, "DELETE FROM people WHERE channel = :channel AND id = :id", None)

    async def _change(self, channel: str, user: str, sql: str, role: Role | None) -> None:
        def work(connection: apsw.Connection) -> None:
            found = connection.execute(
                "SELECT role FROM people WHERE channel = ? AND id = ?", (channel, user)
            ).fetchone()
            if found is None:
                raise NotFoundError(f"Nobody with this id is paired on {channel}.", fix="`appliance people list`")
            owners = connection.execute("SELECT count(*) FROM people WHERE role = 'owner'").fetchone()
            if found[0] == "owner" and role is not Role.OWNER and owners is not None and owners[0] == 1:
                raise InputError("This is the only owner.", fix="Pair another owner first: appliance pair --role owner")
            arguments: dict[str, Any] = {"channel": channel, "id": user}
            connection.execute(sql, arguments | ({"role": str(role)} if role else {}))

        await self._database.write(work)
        for listener in self._changed:
            await listener(channel, user, role)

    async def _redeem(self, code: str, channel: str, person: Person) -> Person | None:
        now = self._clock.now()

        def work(connection: apsw.Connection) -> Person | None:
            found = connection.execute(
                "DELETE FROM pairing_codes WHERE hash = ? AND kind = 'invite' AND expires_at > ? RETURNING role",
                (_hash(code), now),
            ).fetchall()
            if not found:
                return None
            known = Person(person.id, person.name, Role(str(found[0][0])), person.language)
            _store(connection, channel, known, now)
            return known

        return await self._database.write(work)

    async def _request(self, channel: str, person: Person) -> str:
        """A new request's code, or an empty text when this person has one or too many people wait."""
        code, now = _new_code(), self._clock.now()

        def work(connection: apsw.Connection) -> str:
            connection.execute("DELETE FROM pairing_codes WHERE expires_at <= ?", (now,))
            waiting = connection.execute(
                "SELECT id FROM pairing_codes WHERE kind = 'request' AND channel = ?", (channel,)
            ).fetchall()
            if len(waiting) >= MAX_PENDING or (person.id,) in waiting:
                return ""
            connection.execute(
                "INSERT INTO pairing_codes VALUES (?, 'request', '', ?, ?, ?, ?, ?)",
                (_hash(code), channel, person.id, person.name[:80], person.language, now + CODE_SECONDS),
            )
            return code

        return await self._database.write(work)

    async def _announce(self, channel: str, person: Person) -> None:
        for listener in self._listeners:
            await listener(channel, person)

    def _told_lately(self, who: tuple[str, str]) -> bool:
        """Whether this person was told something within the hour; remembers that they are told now."""
        now = self._clock.now()
        if now - self._told.get(who, float("-inf")) < CODE_SECONDS:
            return True
        self._told[who] = now
        self._told.move_to_end(who)
        if len(self._told) > _REMEMBERED:
            self._told.popitem(last=False)
        return False

    def _guessed_too_often(self, who: tuple[str, str]) -> bool:
        now = self._clock.now()
        recent = [at for at in self._guesses.get(who, []) if now - at < CODE_SECONDS]
        if recent:
            self._guesses[who] = recent
        else:
            self._guesses.pop(who, None)
        if len(self._guesses) > _REMEMBERED:
            self._guesses.popitem(last=False)
        return len(recent) >= MAX_GUESSES


# A person's id is the same with every bot of a platform. The owner is known to all of them, others where they paired.
_KNOWN_ON = "(channel = :channel OR (role = 'owner' AND (channel = :platform OR channel GLOB :platform || '-*')))"


def _place(channel: str) -> dict[str, str]:
    return {"channel": channel, "platform": channel.partition("-")[0]}


def _store(connection: apsw.Connection, channel: str, person: Person, now: float) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO people VALUES (?, ?, ?, ?, ?, ?)",
        (channel, person.id, str(person.role), person.name[:80], person.language, now),
    )


def _new_code() -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))


def _normal(text: str) -> str:
    """A code as typed (lower case, blanks, hyphens, after /start) in its one form."""
    bare = re.sub(r"^/start(@\w+)?\s+", "", text.strip())[:40]
    return re.sub(r"[\s-]", "", bare).upper()


def _hash(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()
