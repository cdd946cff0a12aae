"""A stand-in for the models service: it answers /status and /pull at once, and dies or stays on command."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

PARSER = argparse.ArgumentParser()
PARSER.add_argument("--die", default="")
PARSER.add_argument("--deaf", action="store_true")
PARSER.add_argument("--loading", action="store_true")
GIVEN = PARSER.parse_args()
TOKEN = os.environ["APPLIANCE_LOCAL__TOKEN"]
PULLS: list[dict[str, object]] = []


class Handler(BaseHTTPRequestHandler):
    def _answer(self, status: int, body: object) -> None:
        raw = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def do_GET(self) -> None:
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            self._answer(401, {"error": {"message": "no token"}})
            return
        state = {
            "phase": "loading" if GIVEN.loading else "ready", "percent": 50.0, "detail": "half way",
            "model": "stand-in", "window": 8192, "embedder": {"phase": "ready"},
            "pulls": [dict(pull) for pull in PULLS], "environment": sorted(os.environ), "token_given": TOKEN,
        }  # fmt: skip
        for pull in PULLS:
            pull.update(percent=100.0, phase="done" if pull["phase"] == "fetching" else pull["phase"])
        self._answer(200, state)

    def do_POST(self) -> None:
        name = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["name"]
        if name == "nothing":
            self._answer(404, {"error": {"message": "No local model is called 'nothing'."}})
            return
        phase = "failed" if name == "full" else "fetching"
        PULLS.append(
            {"name": name, "phase": phase, "percent": 50.0, "detail": "no room" if name == "full" else "going"}
        )
        self._answer(202, {"name": name})

    def log_message(self, *_: object) -> None:
        """Quiet."""


if GIVEN.die:
    sys.exit(GIVEN.die)
if GIVEN.deaf:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
SERVER = HTTPServer(("127.0.0.1", 0), Handler)
print(SERVER.server_address[1], flush=True)
SERVER.serve_forever()
