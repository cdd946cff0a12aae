"""`send{to?, text?, files?}`: files with the answer, or a message to somebody of the household.

Files are copied before they leave: commands write in the same folder and could swap one for a link in between.
"""

from __future__ import annotations

import asyncio
import mimetypes
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

from appliance.errors import ToolError
from appliance.messages import Attachment, Person, Role, SessionKey, Source
from appliance.models.base import ToolSpec
from appliance.storage import atomic_write
from appliance.texts import say
from appliance.tools.base import ToolContext, ToolResult, may_use_house
from appliance.tools.confirm import OwnersYes
from appliance.tools.files import read_file

_MOST_FILES = 10
_VOICE = "audio/ogg"  # shown as a voice message
_LARGEST = 45 * 1024 * 1024  # Telegram takes 50 MB from a bot
_MOST_CHARACTERS = 20_000


class Household(Protocol):
    """Who can be written to (channels.household.Household)."""

    def person(self, agent: str, to: str) -> Person:
        """Who is meant. Raises ToolError for somebody unknown to it."""
        ...

    async def send(self, agent: str, to: str, text: str, files: Sequence[Attachment]) -> str:
        """Put a message of an agent on its way; return to whom. Raises ToolError for somebody unknown to it."""
        ...

    def shows_files(self, channel: str) -> bool:
        """Whether an answer on this channel can carry files."""
        ...


class Send:
    """Given the household, who asks the owner, the folder for copies and the owner's language, offer `send`.

    `no_voice`: whether a person does not want voice messages, by a boundary of theirs.
    """

    spec = ToolSpec(
        "send",
        "Send files of the work folder with your answer; with to (owner, or a person's name) a message elsewhere.",
        {
            "type": "object",
            "properties": {
                "to": {"type": "string"},
                "text": {"type": "string"},
                "files": {"type": "array", "items": {"type": "string"}},
            },
        },
    )

    def __init__(
        self,
        household: Household,
        confirm: OwnersYes,
        copies: Path,
        language: Callable[[], str],
        no_voice: Callable[[Person], bool],
    ) -> None:
        self._household = household
        self._confirm = confirm
        self._copies = copies
        self._language = language
        self._no_voice = no_voice

    def available(self, session: SessionKey, person: Person) -> bool:
        return may_use_house(session, person)

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        to, text = str(arguments.get("to") or ""), str(arguments.get("text") or "")
        paths = [str(path) for path in arguments.get("files") or ()]
        if len(paths) > _MOST_FILES or len(text) > _MOST_CHARACTERS:
            raise ToolError(f"At most {_MOST_FILES} files and {_MOST_CHARACTERS:,} characters at once.")
        if not to:
            return await self._with_the_answer(paths, context)
        if context.person.role is not Role.OWNER:
            raise ToolError("Only the owner may have messages sent to others.")
        if not text and not paths:
            raise ToolError("Nothing to send: give text, files or both.")
        files = await self._copied(paths, context.files)
        self._heed(self._household.person(context.session.agent, to), files)
        if context.tainted:
            why = say("send_why", self._language(), to=to)
            await self._confirm("send", (to, text, *paths), why, context, "Not sent")
        whom = await self._household.send(context.session.agent, to, text, files)
        return ToolResult(f"On its way to {whom}.")

    async def _with_the_answer(self, paths: Sequence[str], context: ToolContext) -> ToolResult:
        if not paths:
            raise ToolError("Your answer itself is sent by itself; name files, or say to whom.")
        if not self._household.shows_files(context.channel):
            raise ToolError("Answers here carry no files: name their paths, or send them to a chat with `to`.")
        files = await self._copied(paths, context.files)
        self._heed(context.person, files)
        return ToolResult(f"{len(files)} files go with your answer.", attachments=tuple(files))

    def _heed(self, person: Person, files: Sequence[Attachment]) -> None:
        if any(file.media_type == _VOICE for file in files) and self._no_voice(person):
            raise ToolError("They said that they want no voice messages: write it instead.")

    async def _copied(self, paths: Sequence[str], root: Path) -> list[Attachment]:
        return [await asyncio.to_thread(self._copy, path, root) for path in paths]

    def _copy(self, path: str, root: Path) -> Attachment:
        data = read_file(root, path, largest=_LARGEST)
        name = path.rstrip("/").rpartition("/")[2]
        place = self._copies / secrets.token_hex(8) / name
        atomic_write(place, data, mode=0o600)
        media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
        return Attachment(_kind(media_type), str(place), media_type, len(data), name, Source.OWN)


def _kind(media_type: str) -> Literal["image", "document", "audio", "video"]:
    match media_type.partition("/")[0]:
        case "image" if media_type in ("image/png", "image/jpeg", "image/webp", "image/gif"):
            return "image"
        case "audio":
            return "audio"
        case "video":
            return "video"
        case _:
            return "document"
