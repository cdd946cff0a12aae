"""The web channel: what the page, the API, the terminal and other chat clients say becomes an Inbound.

`main` is the owner's own conversation, shared with every private channel; any other name is a conversation of its own.
Whoever got past the server's door holds the token or a login, and so speaks as the owner.
"""

from __future__ import annotations

import asyncio
import contextlib
import mimetypes
import os
import re
import secrets
import stat
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from appliance.channels.attachments import AttachmentStore, safe_name
from appliance.channels.media import kind_of, media_type_of
from appliance.clock import Clock, SystemClock
from appliance.errors import InputError, NotFoundError, TooLargeError
from appliance.messages import WEB_NAME, Attachment, Inbound, Mode, Person, Role, SessionKey, Source
from appliance.models.picture_size import HEAD_BYTES, MAX_PIXELS, pixel_size

CHANNEL = "web"
TEXT_LIMIT = 64 * 1024  # bytes of UTF-8
ID_LIMIT = 200  # characters
MOST_ATTACHMENTS = 10
_INBOX = "inbox"
_FILE_ID = re.compile(
    r"(\d{4}-\d{2}-\d{2}|[0-9a-f]{16})/([^/\x00]{1,255})"
)  # what came by its day, what went by a word
_PIECE = 256 * 1024


class WebChat:
    """Given the work folder (agents/<id>/files) and the folder of what was sent with answers, make Inbounds, keep
    attachments in the inbox and give both out again."""

    def __init__(
        self, files: Path, sent: Path, *, agent: str = "main", clock: Clock | None = None, language: str = ""
    ) -> None:
        self._files = files
        self._sent = sent
        self._agent = agent
        self._clock = clock or SystemClock()
        self._language = language
        self._store = AttachmentStore(files, self._clock)

    def session(self, name: str) -> SessionKey:
        """The session of a name. Raises InputError for anything but `[a-z0-9-]{1,64}`."""
        if not isinstance(name, str) or not WEB_NAME.fullmatch(name):
            raise InputError(
                "This is not a session name.", fix="Use `main`, or up to 64 of the letters a-z, digits and hyphens."
            )
        return SessionKey.main(self._agent) if name == "main" else SessionKey.web(name, self._agent)

    def inbound(
        self,
        session: str,
        text: str,
        *,
        id: str | None = None,  # noqa: A002 - the API's word
        attachments: Sequence[Attachment] = (),
        mode: Mode | None = None,
        language: str = "",
    ) -> Inbound:
        """Given what a client sent, return it as an Inbound; the same `id` in a session makes the same inbox key.

        Raises InputError (empty text, bad name or id) and TooLargeError (over TEXT_LIMIT).
        """
        key = self.session(session)
        if id is not None and not (0 < len(id) <= ID_LIMIT and id.isprintable()):
            raise InputError(f"The id must be 1 to {ID_LIMIT} printable characters.")
        try:
            size = len(text.encode())
        except UnicodeEncodeError:
            raise InputError("The text holds half a character (a lone surrogate).") from None
        if size > TEXT_LIMIT:
            raise TooLargeError(
                f"The message has {size} bytes; {TEXT_LIMIT} (64 KiB) is the most.", fix="Attach long text as a file."
            )
        if not text.strip() and not attachments:
            raise InputError("The message is empty.", fix="Write something, or attach a file.")
        if len(attachments) > MOST_ATTACHMENTS:
            raise TooLargeError(f"More than {MOST_ATTACHMENTS} attachments in one message.")
        return Inbound(
            channel=CHANNEL,
            account=self._agent,
            chat=session,
            kind="message",
            id=id or secrets.token_hex(12),
            text=text,
            person=Person(id="owner", role=Role.OWNER, language=language or self._language),
            session=key,
            at=self._clock.now(),
            attachments=tuple(attachments),
            source=Source.OWNER,
            place={"session": session},
            mode=mode,
        )

    async def save(self, name: str, media_type: str, chunks: AsyncIterator[bytes]) -> tuple[str, Attachment]:
        """Store a file while counting it; return its id and the attachment. Raises TooLargeError, InputError."""
        # Outside, whoever handed it over: the owner did not write what a file says.
        saved = await self._store.save(chunks, name=name, media_type=media_type, source=Source.OUTSIDE)
        path = Path(saved.path)
        if saved.size == 0:
            await asyncio.to_thread(path.unlink, missing_ok=True)
            raise InputError("The file is empty.")
        return saved.file_id, saved

    def attachment(self, id: str) -> Attachment:  # noqa: A002 - the API's word
        """The stored file as an attachment. Raises InputError for a malformed id, NotFoundError for an unknown one."""
        fd, folder, name = self._open(id)
        try:
            size = os.fstat(fd).st_size
            head = os.pread(fd, HEAD_BYTES, 0)
        finally:
            os.close(fd)
        found = media_type_of(head, mimetypes.guess_type(name)[0] or "")
        kind = kind_of(found)
        if kind == "image":
            width, height = pixel_size(head) or (0, 0)
            kind = "image" if 0 < width * height <= MAX_PIXELS else "document"  # as when it was stored
        return Attachment(kind, str(folder / name), found, size, name, Source.OUTSIDE)

    async def read(self, id: str) -> AsyncIterator[bytes]:  # noqa: A002 - the API's word
        """The file's bytes, piece by piece. Raises as `attachment`."""
        fd, _, _ = self._open(id)
        try:
            while piece := await asyncio.to_thread(os.read, fd, _PIECE):
                yield piece
        finally:
            os.close(fd)

    def _open(self, id: str) -> tuple[int, Path, str]:  # noqa: A002 - the API's word
        """Open a file without following any link (commands run over the work folder); also its folder and name."""
        found = _FILE_ID.fullmatch(id) if isinstance(id, str) else None
        came = found is not None and "-" in found[1]
        if found is None or (came and safe_name(found[2]) != found[2]):
            raise InputError("This is not an attachment id.", fix="Use the id that POST /api/attachments returned.")
        root, parts = (self._files, (_INBOX, found[1])) if came else (self._sent, (found[1],))
        here = -1
        try:
            here = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
            for part in parts:
                inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=here)
                os.close(here)
                here = inner
            fd = os.open(found[2], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=here)
        except (OSError, UnicodeEncodeError):
            raise NotFoundError("There is no such attachment.", fix="Upload it again; attachments expire.") from None
        finally:
            if here >= 0:
                with contextlib.suppress(OSError):
                    os.close(here)
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            raise NotFoundError("There is no such attachment.", fix="Upload it again; attachments expire.")
        return fd, root.joinpath(*parts), found[2]
