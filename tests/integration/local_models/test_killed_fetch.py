"""A fetch that is killed at its narrowest place: the file is there, its record not yet."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

CODE = """
import sys
from pathlib import Path
from appliance.local_models.catalogue import Entry, FromUrls
from appliance.local_models.fetch import fetch
from appliance.local_models.progress import Stop, ignore
from appliance.local_models.store import Store
folder, url, sha256, size = sys.argv[1:]
entry = Entry(name="m", kind="chat", file="m.gguf", size=int(size), licence="MIT", context=1,
              source=FromUrls((url,)), sha256=sha256)
print(fetch(entry, Store(Path(folder)), ignore, Stop()))
"""


class _Counting(SimpleHTTPRequestHandler):
    book: list[str] = []  # noqa: RUF012 - one test, one book

    def do_GET(self) -> None:
        self.book.append(self.path)
        super().do_GET()

    def log_message(self, *_: object) -> None:
        """Quiet."""


def test_the_file_is_not_fetched_twice(tmp_path: Path) -> None:
    site, state = tmp_path / "site", tmp_path / "state"
    site.mkdir()
    data = os.urandom(300_000)
    (site / "m.gguf").write_bytes(data)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Counting, directory=str(site))) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{server.server_address[1]}/m.gguf"
        command = [sys.executable, "-c", CODE, str(state), url, hashlib.sha256(data).hexdigest(), str(len(data))]
        environment = {**os.environ, "APPLIANCE_CRASH_AT": "model-file-placed"}
        killed = subprocess.run(command, env=environment, timeout=60, check=False)
        assert killed.returncode == -signal.SIGKILL
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        server.shutdown()
        thread.join(5)
    assert Path(done.stdout.strip()).read_bytes() == data
    assert _Counting.book == ["/m.gguf"]
