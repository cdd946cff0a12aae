"""Under `auto` a better model takes over when it is there: fetched over HTTP, checked, loaded beside the old one."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from appliance.local_models import catalogue
from appliance.local_models import node as node_module
from appliance.local_models.catalogue import FromUrls, entry
from appliance.local_models.node import Node, NodeOptions
from appliance.local_models.streaming import collect
from appliance.local_models.wire import chat_job
from appliance.testing.local_service import LocalService, models_folder

pytestmark = [pytest.mark.local, pytest.mark.timeout(1800)]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def address(service: LocalService) -> Iterator[str]:
    handler = functools.partial(_Quiet, directory=str(models_folder()))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join(5)


@pytest.fixture
def node(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Node]:
    small = entry("smollm2-135m-instruct")
    url = FromUrls((f"{address}/{small.file}",))
    bigger = replace(small, name="bigger", file="bigger.gguf", rank=9, source=url)
    models = (replace(small, source=url), bigger)
    monkeypatch.setattr(catalogue, "CATALOGUE", models)
    monkeypatch.setattr(node_module, "CATALOGUE", models)
    monkeypatch.setattr("resource.setrlimit", lambda *_: None)  # this process is the test's own
    # llama.cpp comes from the folder of the other tests; only the models are fetched anew
    (tmp_path / "runtime").symlink_to(models_folder() / "runtime")
    found = Node(NodeOptions(tmp_path, chat="auto", embedder="off"))
    yield found
    found.close()
    if found.chat_engine is not None:
        found.chat_engine.close()


async def _until(node: Node, model: str) -> None:
    async with asyncio.timeout(90):
        while node.chat.model != model:
            assert node.chat.phase != "failed", node.chat.detail
            await asyncio.sleep(0.02)


async def test_the_better_model_takes_over_and_no_answer_is_lost_on_the_way(node: Node) -> None:
    node.start()
    await _until(node, "smollm2-135m-instruct")
    body: dict[str, Any] = {
        "messages": [
            {"role": "system", "content": "You are a helpful assistant."},
            {"role": "user", "content": "What is the capital of France?"},
        ],
        "temperature": 0, "max_tokens": 30,
    }  # fmt: skip
    answers = []
    while node.chat.model != "bigger" or len(answers) < 3:
        answers.append(await collect(node, chat_job(body)))
        assert len(answers) < 500
    assert all("Paris" in answer["choices"][0]["message"]["content"] for answer in answers)
    assert node.chat.phase == "ready"
    assert node.status()["pulls"][0]["phase"] == "done"
    assert (await collect(node, chat_job(body)))["model"] == "bigger"
