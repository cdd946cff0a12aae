"""The models service: a small OpenAI-compatible server in a process of its own.

GET /status and /healthz answer in about a second; building, fetching and loading go on behind. A crash in native code
or a prompt that takes minutes stays in this process.
"""

from __future__ import annotations

import argparse
import asyncio
import hmac
import ipaddress
import json
import os
import socket
import sys
import threading
from dataclasses import asdict
from pathlib import Path
from typing import Any

import uvicorn
from litestar import Litestar, Request, Response, get, post
from litestar.datastructures import State, UploadFile
from litestar.exceptions import HTTPException
from litestar.response import Stream

from appliance.errors import ApplianceError, InputError, NotFoundError
from appliance.lifeline import die_with_parent, first_to_go
from appliance.local_models import wire
from appliance.local_models.errors import ContextLengthError, LocalModelError
from appliance.local_models.node import Node, NodeOptions, Part
from appliance.local_models.streaming import collect, events
from appliance.local_models.worker import BusyError
from appliance.tasks import GoneError, unless

TOKEN_VARIABLE = "APPLIANCE_LOCAL__TOKEN"  # noqa: S105 - the name of a variable, not a token
MOST_BODY_BYTES = 32 * 1024 * 1024
MOST_TEXTS = 2048
NICE = 5
AnyRequest = Request[Any, Any, Any]


class NotReadyError(LocalModelError):
    """The model is still being built, fetched or loaded; `phase` says which."""

    def __init__(self, what: str, phase: str, *, fix: str = "") -> None:
        super().__init__(what, fix=fix)
        self.phase = phase


def build_app(node: Node, *, token: str = "", loopback: bool = True) -> Litestar:
    """The application over `node`.

    With a `token` every route but /healthz wants it as bearer. Without one and on loopback, Host and Origin must be
    loopback's, so that no web page uses the service, be it by its address or under a name of its own.
    """

    def guard(request: AnyRequest) -> Response[Any] | None:
        if request.url.path == "/healthz":
            return None
        if token:
            given = request.headers.get("authorization", "").removeprefix("Bearer ").strip()
            if not hmac.compare_digest(given.encode(), token.encode()):
                return _error("The token is missing or wrong.", "authentication_error", 401)
        elif loopback and not all(map(_is_loopback, _claimed_hosts(request))):
            return _error("This address is for this machine only.", "permission_error", 403)
        return None

    return Litestar(
        route_handlers=[healthz, status, models, pull, chat, embeddings, transcriptions],
        before_request=guard,
        state=State({"node": node}),
        on_shutdown=[node.close],  # before the signal that ends us is raised again: a build must not outlive us
        openapi_config=None,
        request_max_body_size=MOST_BODY_BYTES,
        exception_handlers={ApplianceError: _appliance_error, HTTPException: _http_error, Exception: _unforeseen},
    )


@get("/healthz", sync_to_thread=False)
def healthz() -> dict[str, str]:
    """The process lives."""
    return {"status": "ok"}


@get("/status", sync_to_thread=True)
def status(request: AnyRequest) -> dict[str, Any]:
    """Where the models stand."""
    return _node(request).status()


@get("/v1/models", sync_to_thread=False)
def models(request: AnyRequest) -> dict[str, Any]:
    """The models that answer now, each with its true window."""
    node = _node(request)
    return wire.model_list(node.chat, node.embedder, node.started)


@post("/pull", status_code=202)
async def pull(request: AnyRequest) -> dict[str, Any]:
    """Begin to fetch a model of the catalogue; /status tells how far it is."""
    begun = _node(request).begin_pull(str((await _body(request)).get("name", "")))
    return {"name": begun.name, "phase": begun.phase}


@post("/v1/chat/completions", status_code=200)
async def chat(request: AnyRequest) -> Response[Any] | Stream:
    """Answer a conversation, whole or as server-sent events."""
    node = _node(request)
    body = await _body(request)
    job = wire.chat_job(body)
    engine = node.chat_engine
    if engine is None:
        raise _not_ready(node.chat)
    # Known before the first byte, so that it is a plain 400 and not an error inside a stream.
    await asyncio.to_thread(engine.measure, job)
    if body.get("stream"):
        usage = bool((body.get("stream_options") or {}).get("include_usage"))
        return Stream(events(node, job, usage=usage), media_type="text/event-stream")
    return Response(await _until_gone(request, collect(node, job)))


@post("/v1/embeddings", status_code=200)
async def embeddings(request: AnyRequest) -> Response[Any]:
    """Turn texts into unit vectors. A model that is named must be the one that is here: vectors of two do not mix."""
    node = _node(request)
    body = await _body(request)
    texts, query = wire.embedding_texts(body, most=MOST_TEXTS)
    wanted = str(body.get("model") or "")
    as_base64 = body.get("encoding_format") == "base64"

    def work(cancelled: threading.Event) -> dict[str, Any]:
        current = node.embed_engine
        if current is None:
            raise _not_ready(node.embedder)
        if wanted not in ("", "auto", "local", current.name):
            raise NotFoundError(f"The embedder here is {current.name}, not {wanted}.")
        return wire.embedding_answer(current.embed(texts, query=query, cancelled=cancelled), current.name, as_base64)

    return Response(await _until_gone(request, node.embed_worker.call(work)))


@post("/v1/audio/transcriptions", status_code=200)
async def transcriptions(request: AnyRequest) -> Response[Any]:
    """Write down what is said in a sound file, in the form of OpenAI's API."""
    node = _node(request)
    form = await request.form()
    file, language = form.get("file"), str(form.get("language") or "")
    if not isinstance(file, UploadFile):
        raise InputError("The sound is missing: send it as the form's `file`.")
    data = await file.read()

    def work(cancelled: threading.Event) -> dict[str, Any]:
        if node.speech_engine is None:
            raise _not_ready(node.transcriber)
        return asdict(node.speech_engine.transcribe(data, language=language, cancelled=cancelled))

    return Response(await _until_gone(request, node.speech_worker.call(work)))


def _node(request: AnyRequest) -> Node:
    node: Node = request.app.state["node"]
    return node


async def _body(request: AnyRequest) -> dict[str, Any]:
    try:
        body = json.loads(await request.body())
    except (ValueError, RecursionError) as error:
        raise InputError(f"The body is not JSON: {error}") from None
    if not isinstance(body, dict):
        raise InputError("The body must be a JSON object.")
    return body


async def _until_gone(request: AnyRequest, work: Any) -> Any:
    """Await `work`, and cancel it when the client hangs up."""
    try:
        return await unless(_hung_up(request), work)
    except GoneError:
        raise HTTPException(status_code=499, detail="The client hung up.") from None


async def _hung_up(request: AnyRequest) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        continue


def _not_ready(part: Part) -> NotReadyError:
    said = f"The local model is not ready ({part.phase}): {part.detail}".rstrip(": ")
    return NotReadyError(said, part.phase, fix=part.fix)


def _error(message: str, kind: str, status: int, **more: Any) -> Response[Any]:
    headers = {"retry-after": "2"} if status == 503 else {}
    content = {"error": {"message": message, "type": kind, "code": kind, **more}}
    return Response(content, status_code=status, headers=headers)


def _appliance_error(_: AnyRequest, error: ApplianceError) -> Response[Any]:
    match error:
        case ContextLengthError():
            return _error(str(error), "context_length_exceeded", 400, prompt_tokens=error.prompt, window=error.window)
        case NotFoundError():
            return _error(str(error), "model_not_found", 404)
        case InputError():
            return _error(str(error), "invalid_request_error", 400)
        case NotReadyError():
            return _error(str(error), "model_not_ready", 503, phase=error.phase)
        case BusyError():
            return _error(str(error), "overloaded_error", 503)
    return _error(str(error), "server_error", 500)


def _http_error(_: AnyRequest, error: HTTPException) -> Response[Any]:
    kind = "not_found_error" if error.status_code == 404 else "invalid_request_error"
    return _error(error.detail, kind, error.status_code)


def _unforeseen(_: AnyRequest, error: Exception) -> Response[Any]:
    """The service's edge: a client gets an error in the API's form, whatever broke."""
    sys.stderr.write(f"models service: {type(error).__name__}: {error}\n")
    return _error(f"{type(error).__name__}: {error}", "server_error", 500)


def _claimed_hosts(request: AnyRequest) -> list[str]:
    """The hosts that a request names: where it thinks it goes, and the page that it comes from."""
    origin = request.headers.get("origin", "")
    return [request.headers.get("host", ""), *([origin.split("://", 1)[-1]] if origin else [])]


def _is_loopback(host: str) -> bool:
    name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
    name = name.strip("[]")
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def give_way() -> None:
    """Let the gateway go first: for the processor, and when memory runs out."""
    os.nice(NICE)
    first_to_go(os.getpid())


def serve(
    options: NodeOptions, *, host: str = "127.0.0.1", port: int = 0, token: str = "", announce: bool = False
) -> None:
    """Run the service until SIGTERM or SIGINT. Port 0 is chosen by the kernel; `announce` prints it on standard output.

    Raise LocalModelError when the address cannot be listened on.
    """
    node = Node(options)
    try:
        listener = socket.create_server((host, port), backlog=128)
    except OSError as error:
        raise LocalModelError(
            f"The models service cannot listen on {host}:{port}: {error.strerror}.", fix="Choose another --port."
        ) from error
    with listener:
        if announce:
            sys.stdout.write(f"{listener.getsockname()[1]}\n")
            sys.stdout.flush()
            os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nobody reads on: a full pipe would block us
        else:
            sys.stderr.write(f"The models service listens on http://{host}:{listener.getsockname()[1]}/v1\n")
            if not token and not _is_loopback(host):
                sys.stderr.write("Whoever reaches it may use it: it has no token (APPLIANCE_LOCAL__TOKEN).\n")
        node.start()
        app = build_app(node, token=token, loopback=_is_loopback(host))
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, timeout_graceful_shutdown=2, lifespan="on", server_header=False
        )
        uvicorn.Server(config).run(sockets=[listener])


def main(arguments: list[str] | None = None) -> None:
    """`python -m appliance.local_models.service`: what the supervisor and the container start."""
    parser = argparse.ArgumentParser(prog="appliance models serve")
    parser.add_argument("--folder", type=Path, required=True, help="where the model files lie")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--chat", default="auto", help="auto, off, a catalogue name or a GGUF path")
    parser.add_argument("--embedder", default="auto", help="auto, off, a catalogue name or a GGUF path")
    parser.add_argument("--transcriber", default="off", help="off or a catalogue name")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--context", type=int, default=0)
    parser.add_argument("--memory-limit-mb", type=int, default=0)
    parser.add_argument("--no-upgrade", action="store_true", help="fetch nothing better than what is in use by itself")
    parser.add_argument("--parent", type=int, default=0, help="end when this process ends")
    given = parser.parse_args(arguments)
    if given.parent:
        die_with_parent(given.parent)
        give_way()
    options = NodeOptions(
        folder=given.folder, chat=given.chat, embedder=given.embedder,
        transcriber=given.transcriber, threads=given.threads, context=given.context,
        memory_limit=given.memory_limit_mb * 1024 * 1024, upgrade=not given.no_upgrade,
    )  # fmt: skip
    serve(
        options, host=given.host, port=given.port, token=os.environ.get(TOKEN_VARIABLE, ""), announce=bool(given.parent)
    )
    # A thread may still be inside native code; there is nothing of ours left to finish.
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
