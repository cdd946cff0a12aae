"""The web channel: what the page, the API, the terminal and other chat clients say becomes an Inbound.

`main` is the owner's own conversation, shared with every private channel; any other name is a conversation of its own.
Whoever got past the server's door holds the token or a login, and so speaks as the owner.
"""

from __future__ import annotations

import asyncio
import mimetypes
import re
import secrets
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import IO, Literal

from appliance.clock import Clock, SystemClock
from appliance.errors import InputError, NotFoundError, TooLargeError
from appliance.messages import WEB_NAME, Attachment, Inbound, Mode, Person, Role, SessionKey, Source

CHANNEL = "web"
TEXT_LIMIT = 64 * 1024  # bytes of UTF-8
FILE_LIMIT = 20 * 1024 * 1024  # bytes
ID_LIMIT = 200  # characters
MOST_ATTACHMENTS = 10
_FILE_ID = re.compile(r"[0-9a-f]{24}")
_UNSAFE = re.compile(r"[^\w.\- ]+")
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"OggS", "audio/ogg"),
    (b"ID3", "audio/mpeg"),
)


def media_type_of(head: bytes, claimed: str) -> str:
    """Given the first bytes and what the sender claims, return the type; content wins for what it can show."""
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            return kind
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    base = claimed.partition(";")[0].strip().lower()
    if base.startswith("image/") or not re.fullmatch(r"[a-z0-9.+-]+/[a-z0-9.+-]+", base):
        return "application/octet-stream"  # says image, is none that we know
    return base


def kind_of(media_type: str) -> Literal["image", "document", "audio", "video", "other"]:
    """The attachment's kind by its media type."""
    top = media_type.partition("/")[0]
    if top == "image":
        return "image"
    if top == "audio":
        return "audio"
    if top == "video":
        return "video"
    return "document" if top in ("text", "application") and media_type != "application/octet-stream" else "other"


def safe_name(name: str) -> str:
    """A file name without folders, control characters or tricks; letters of any script stay."""
    base = name.replace("\\", "/").rpartition("/")[2]
    return _UNSAFE.sub("_", base).strip(" .")[-80:] or "file"


class WebChat:
    """Given the work folder (agents/<id>/files), make Inbounds and keep attachments in its inbox/web."""

    def __init__(self, files: Path, *, agent: str = "main", clock: Clock | None = None, language: str = "") -> None:
        self._folder = files / "inbox" / CHANNEL
        self._agent = agent
        self._clock = clock or SystemClock()
        self._language = language

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
        self._folder.mkdir(parents=True, exist_ok=True)
        file_id = secrets.token_hex(12)
        target = self._folder / f"{file_id}-{safe_name(name)}"
        partial = target.with_name(f".{file_id}.part")
        size, head = 0, b""
        try:
            with partial.open("xb") as out:
                async for chunk in chunks:
                    size += len(chunk)
                    if size > FILE_LIMIT:
                        raise TooLargeError(f"The file is over {FILE_LIMIT // (1024 * 1024)} MB.")
                    if len(head) < 16:
                        head += chunk[:16]
                    await asyncio.to_thread(_write, out, chunk)
            if size == 0:
                raise InputError("The file is empty.")
            partial.rename(target)
        finally:
            partial.unlink(missing_ok=True)
        return file_id, self._attachment(target, media_type_of(head, media_type), size, name)

    def attachment(self, id: str) -> Attachment:  # noqa: A002 - the API's word
        """The stored file as an attachment. Raises InputError for a malformed id, NotFoundError for an unknown one."""
        path = self.file(id)
        with path.open("rb") as opened:
            head = opened.read(16)
        guess = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        return self._attachment(path, media_type_of(head, guess), path.stat().st_size, path.name.partition("-")[2])

    def file(self, id: str) -> Path:  # noqa: A002 - the API's word
        """Where the file of that id lies. Raises as `attachment`."""
        if not isinstance(id, str) or not _FILE_ID.fullmatch(id):
            raise InputError("This is not an attachment id.", fix="Use the id that POST /api/attachments returned.")
        for path in self._folder.glob(f"{id}-*"):
            if path.is_file() and not path.is_symlink():
                return path
        raise NotFoundError("There is no such attachment.", fix="Upload it again; attachments expire.")

    def _attachment(self, path: Path, media_type: str, size: int, name: str) -> Attachment:
        # Outside, whoever handed it over: the owner did not write what a file says.
        return Attachment(kind_of(media_type), str(path), media_type, size, safe_name(name), Source.OUTSIDE)


def _write(out: IO[bytes], chunk: bytes) -> None:
    out.write(chunk)
