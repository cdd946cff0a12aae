"""POST /api/messages: say something and get the answer, at once, as a stream, or later. Attachments beside it."""

from __future__ import annotations

import base64
import binascii
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

import msgspec
from litestar import Response, get, post
from litestar.datastructures import UploadFile
from litestar.response import Stream

from appliance.errors import InputError
from appliance.gateway.api.http import (
    KEEP_ALIVE,
    AnyRequest,
    agent_of,
    body_pieces,
    decode,
    error_body,
    principal_of,
    read_body,
    reply,
    sse,
    stream,
)
from appliance.gateway.api.watching import event_json, follow, reply_json
from appliance.gateway.services import Services, WebChat
from appliance.messages import MAIN, Attachment, Event, Inbound, Mode

MESSAGE_BODY_LIMIT = 28 * 1024 * 1024  # bytes: 20 MB of files in base64, and the text
_SHOWN = ("image/png", "image/jpeg", "image/gif", "image/webp")  # everything else is only ever downloaded
UPLOAD_BODY_LIMIT = 21 * 1024 * 1024  # bytes: one file of 20 MB and its form


class GivenAttachment(msgspec.Struct, forbid_unknown_fields=True):
    """Either the `id` of an upload, or `data` in base64 with a `name`."""

    id: str = ""
    name: str = ""
    media_type: str = ""
    data: str = ""


class GivenMessage(msgspec.Struct, forbid_unknown_fields=True):
    """The body of POST /api/messages."""

    text: str = ""
    session: str = "main"
    agent: str = MAIN
    id: str | None = None
    attachments: list[str | GivenAttachment] = []
    mode: Mode | None = None
    language: str = ""


def routes(services: Services) -> list[Any]:
    """The handlers of this module."""

    @post("/api/messages", status_code=200)
    async def send(request: AnyRequest) -> Response[Any]:
        given = decode(await read_body(request, MESSAGE_BODY_LIMIT), GivenMessage)
        wait = _flag(request.query_params.get("wait"))
        inbound = await _inbound(services, given)
        if not wait:
            await services.intake.accept(inbound)
            return reply({"message_id": inbound.id, "session": inbound.session.value, "accepted": True}, 202)
        if "text/event-stream" in request.headers.get("accept", ""):
            return stream(_lines(await follow(services, principal_of(request), inbound)))
        receipt = await services.intake.accept(inbound)
        with services.closing.waiting():
            answer = await services.replies.wait(receipt.row)
        if answer.error and not answer.text:
            return reply({**reply_json(answer, inbound), **error_body(answer.error, kind="turn_failed")}, 502)
        return reply(reply_json(answer, inbound))

    @post("/api/attachments", status_code=201)
    async def upload(request: AnyRequest) -> Response[Any]:
        web, content_type = services.web_of(agent_of(request)), request.headers.get("content-type", "")
        if content_type.startswith("multipart/form-data"):
            found = [part for _, part in (await request.form()).multi_items() if isinstance(part, UploadFile)]
            if len(found) != 1:
                raise InputError("Send exactly one file in the form.")
            name, media_type = found[0].filename, found[0].content_type
            file_id, attachment = await web.save(name, media_type, _parts(found[0]))
        else:
            name = request.query_params.get("name", "file")
            file_id, attachment = await web.save(name, content_type, body_pieces(request, UPLOAD_BODY_LIMIT))
        return reply({"id": file_id, **_shown(attachment)}, 201)

    @get("/api/attachments/{day:str}/{name:str}")
    async def download(request: AnyRequest, day: str, name: str) -> Stream:
        web = services.web_of(agent_of(request))
        attachment = web.attachment(f"{day}/{name}")
        picture = attachment.media_type in _SHOWN
        way = "inline" if picture else "attachment"
        return Stream(
            web.read(f"{day}/{name}"),
            media_type=attachment.media_type if picture else "application/octet-stream",
            headers={
                "content-disposition": f"{way}; filename*=UTF-8''{quote(name, safe='')}",
                "cache-control": "private, max-age=3600",
            },
        )

    return [send, upload, download]


def _flag(raw: str | None) -> bool:
    if raw is None or raw.lower() in ("true", "1", "yes"):
        return True
    if raw.lower() in ("false", "0", "no"):
        return False
    raise InputError("wait must be true or false.")


async def _inbound(services: Services, given: GivenMessage) -> Inbound:
    web = services.web_of(given.agent)
    web.inbound(given.session, given.text or "-", id=given.id)  # refuse before any file is written
    attachments = [await _attachment(web, item) for item in given.attachments]
    language = given.language if given.language in ("en", "zh-Hant", "zh-Hans") else ""
    return web.inbound(
        given.session, given.text, id=given.id, attachments=attachments, mode=given.mode, language=language
    )


async def _attachment(web: WebChat, item: str | GivenAttachment) -> Attachment:
    if isinstance(item, str):
        return web.attachment(item)
    if item.id:
        return web.attachment(item.id)
    try:
        raw = base64.b64decode(item.data, validate=True)
    except (binascii.Error, ValueError):
        raise InputError("An attachment's data is not base64.") from None
    _, attachment = await web.save(item.name or "file", item.media_type, _once(raw))
    return attachment


def _shown(attachment: Attachment) -> dict[str, Any]:
    return {
        "name": attachment.name,
        "kind": attachment.kind,
        "media_type": attachment.media_type,
        "size": attachment.size,
    }


async def _once(raw: bytes) -> AsyncIterator[bytes]:
    yield raw


async def _parts(part: UploadFile) -> AsyncIterator[bytes]:
    while chunk := await part.read(256 * 1024):
        yield chunk


async def _lines(events: AsyncIterator[Event | None]) -> AsyncIterator[bytes]:
    async for event in events:
        yield KEEP_ALIVE if event is None else sse(event.type, event_json(event))
