"""The downloader against a small HTTP server on loopback that can cut, lie and change its mind."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from appliance.local_models.catalogue import Entry, FromUrls
from appliance.local_models.download import ATTEMPTS, Download
from appliance.local_models.errors import FetchError, StoppedError
from appliance.local_models.fetch import fetch
from appliance.local_models.progress import Phase, Stop, ignore
from appliance.local_models.store import Store

DATA = bytes(range(256)) * 4096  # 1 MiB
DIGEST = hashlib.sha256(DATA).hexdigest()


@dataclass
class Site:
    """A server with one file. `cuts`: bytes after which each answer in turn breaks off."""

    url: str
    data: bytes = DATA
    etag: str = '"one"'
    ranges: bool = True
    status: int = 200
    cuts: list[int] = field(default_factory=list)
    book: list[tuple[str, str]] = field(default_factory=list)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    site: Site

    def do_GET(self) -> None:
        site = self.site
        wanted, tag = self.headers.get("Range", ""), self.headers.get("If-Range", "")
        site.book.append((wanted, tag))
        if site.status != 200:
            self.send_response(site.status)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
        partial = bool(wanted) and site.ranges and tag in ("", site.etag)
        if partial and start >= len(site.data):
            self.send_response(416)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        body = site.data[start:] if partial else site.data
        self.send_response(206 if partial else 200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", site.etag)
        self.end_headers()
        cut = site.cuts.pop(0) if site.cuts else len(body)
        self.wfile.write(body[:cut])
        if cut < len(body):
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Quiet."""


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """A client that breaks off is what these tests are about."""


@pytest.fixture
def site() -> Iterator[Site]:
    handler = type("Handler", (_Handler,), {})
    with _Server(("127.0.0.1", 0), handler) as server:
        found = Site(f"http://127.0.0.1:{server.server_address[1]}/model.gguf")
        handler.site = found
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield found
        server.shutdown()
        thread.join(5)


def _download(site: Site, tmp_path: Path, **more: object) -> Download:
    given = {"size": len(DATA), "sha256": DIGEST, "pause": lambda _: None, "free": lambda _: 10**12, **more}
    return Download(site.url, tmp_path / "model.gguf", tmp_path / ".incoming", **given)  # type: ignore[arg-type]


def test_a_whole_file_arrives_with_its_hash_and_nothing_is_left_over(site: Site, tmp_path: Path) -> None:
    assert _download(site, tmp_path).run() == DIGEST
    assert (tmp_path / "model.gguf").read_bytes() == DATA
    assert list((tmp_path / ".incoming").iterdir()) == []


def test_a_cut_download_goes_on_where_it_was(site: Site, tmp_path: Path) -> None:
    site.cuts = [300_000, 200_000]
    assert _download(site, tmp_path).run() == DIGEST
    assert [wanted for wanted, _ in site.book] == ["", "bytes=300000-", "bytes=500000-"]
    assert site.book[1][1] == '"one"'


def test_a_killed_download_goes_on_in_the_next_process(site: Site, tmp_path: Path) -> None:
    (tmp_path / ".incoming").mkdir()
    (tmp_path / ".incoming" / "model.gguf.part").write_bytes(DATA[:400_000])
    assert _download(site, tmp_path).run() == DIGEST
    assert [wanted for wanted, _ in site.book] == ["bytes=400000-"]


def test_a_file_that_changed_meanwhile_is_fetched_anew(site: Site, tmp_path: Path) -> None:
    site.cuts = [300_000]
    download = _download(site, tmp_path, pause=lambda _: setattr(site, "etag", '"two"'))
    assert download.run() == DIGEST
    assert (tmp_path / "model.gguf").read_bytes() == DATA


def test_a_server_without_ranges_is_read_from_the_start(site: Site, tmp_path: Path) -> None:
    site.ranges = False
    site.cuts = [300_000]
    assert _download(site, tmp_path).run() == DIGEST


def test_a_part_longer_than_the_file_is_thrown_away(site: Site, tmp_path: Path) -> None:
    (tmp_path / ".incoming").mkdir()
    (tmp_path / ".incoming" / "model.gguf.part").write_bytes(DATA + b"more")
    assert _download(site, tmp_path).run() == DIGEST


def test_a_wrong_checksum_is_refused_and_leaves_nothing(site: Site, tmp_path: Path) -> None:
    site.data = DATA[:-1] + b"\0"
    with pytest.raises(FetchError, match="sha256") as caught:
        _download(site, tmp_path).run()
    assert not caught.value.retry
    assert not (tmp_path / "model.gguf").exists()
    assert list((tmp_path / ".incoming").iterdir()) == []


def test_a_file_of_another_size_is_refused_before_it_is_fetched(site: Site, tmp_path: Path) -> None:
    site.data = DATA + b"x"
    with pytest.raises(FetchError, match="another file"):
        _download(site, tmp_path).run()


def test_no_room_is_said_before_the_first_byte(site: Site, tmp_path: Path) -> None:
    with pytest.raises(FetchError, match="free space"):
        _download(site, tmp_path, free=lambda _: 1000).run()
    assert site.book == []


def test_what_is_there_already_counts_as_room(site: Site, tmp_path: Path) -> None:
    (tmp_path / ".incoming").mkdir()
    (tmp_path / ".incoming" / "model.gguf.part").write_bytes(DATA[:-10])
    assert _download(site, tmp_path, free=lambda _: 200 * 1024 * 1024 + 10).run() == DIGEST


def test_a_missing_file_is_final_and_names_the_way_out(site: Site, tmp_path: Path) -> None:
    site.status = 404
    with pytest.raises(FetchError, match="404") as caught:
        _download(site, tmp_path).run()
    assert "local.model" in caught.value.fix
    assert len(site.book) == 1


def test_a_broken_server_is_tried_a_few_times(site: Site, tmp_path: Path) -> None:
    site.status = 503
    with pytest.raises(FetchError, match="503") as caught:
        _download(site, tmp_path).run()
    assert caught.value.retry
    assert len(site.book) == ATTEMPTS


def test_nobody_at_the_address_is_a_network_error(tmp_path: Path) -> None:
    site = Site("http://127.0.0.1:9/model.gguf")
    with pytest.raises(FetchError, match="could not be reached") as caught:
        _download(site, tmp_path).run()
    assert caught.value.retry


def test_stop_keeps_what_has_come(site: Site, tmp_path: Path) -> None:
    stop = Stop()

    def progress(phase: Phase, percent: float | None, detail: str) -> None:
        stop.set()

    with pytest.raises(StoppedError):
        _download(site, tmp_path, stop=stop, progress=progress).run()
    assert (tmp_path / ".incoming" / "model.gguf.part").stat().st_size > 0


def test_progress_ends_at_a_hundred(site: Site, tmp_path: Path) -> None:
    seen: list[float] = []
    _download(site, tmp_path, progress=lambda _p, percent, _d: seen.append(percent or 0.0)).run()
    assert seen[-1] == pytest.approx(100.0)


def test_progress_is_told_once_a_percent_and_not_once_a_block(site: Site, tmp_path: Path) -> None:
    seen: list[int] = []
    _download(site, tmp_path, progress=lambda _p, percent, _d: seen.append(int(percent or 0))).run()
    assert 2 <= len(seen) <= 102


def _entry(site: Site, sha256: str = "") -> Entry:
    source = FromUrls(("http://127.0.0.1:9/dead", site.url))
    return Entry(
        name="m", kind="chat", file="model.gguf", size=len(DATA), licence="MIT", context=1, source=source, sha256=sha256
    )


def test_the_second_address_is_used_when_the_first_is_dead(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("appliance.local_models.download.ATTEMPTS", 1)
    monkeypatch.setattr("time.sleep", lambda _: None)
    store = Store(tmp_path)
    path = fetch(_entry(site, DIGEST), store, ignore, Stop())
    assert path.read_bytes() == DATA
    record = store.record("m")
    assert record is not None
    assert (record.sha256, record.trust) == (DIGEST, "published")


def test_a_second_download_must_match_the_first_when_no_hash_is_published(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("appliance.local_models.download.ATTEMPTS", 1)
    store = Store(tmp_path)
    path = fetch(_entry(site), store, ignore, Stop())
    path.unlink()
    site.data = DATA[::-1]
    with pytest.raises(FetchError, match="sha256"):
        fetch(_entry(site), store, ignore, Stop())


def test_a_model_that_is_here_is_not_fetched_again(site: Site, tmp_path: Path) -> None:
    store = Store(tmp_path)
    (tmp_path / "model.gguf").write_bytes(DATA)
    store.remember(_entry(site), DIGEST, len(DATA))
    fetch(_entry(site), store, ignore, Stop())
    assert site.book == []


def test_a_file_that_was_put_there_by_hand_is_taken_when_it_is_the_right_one(site: Site, tmp_path: Path) -> None:
    store = Store(tmp_path)
    (tmp_path / "model.gguf").write_bytes(DATA)
    fetch(_entry(site, DIGEST), store, ignore, Stop())
    assert site.book == []
    assert store.present(_entry(site, DIGEST))


def test_a_wrong_file_in_its_place_is_set_aside_and_the_right_one_fetched(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("appliance.local_models.download.ATTEMPTS", 1)
    (tmp_path / "model.gguf").write_bytes(DATA[::-1])
    path = fetch(_entry(site, DIGEST), Store(tmp_path), ignore, Stop())
    assert path.read_bytes() == DATA
    assert [kept.read_bytes() == DATA[::-1] for kept in tmp_path.glob("model.gguf.damaged-*")] == [True]


def test_a_model_of_two_files_is_here_when_both_are(site: Site, tmp_path: Path) -> None:
    store = Store(tmp_path)
    model = replace(_entry(site, DIGEST), source=FromUrls((site.url,)))
    eyes = replace(model, name="tiny-projector", kind="projector", file="eyes.gguf")
    seeing = replace(model, projector=eyes)
    site.cuts = [len(DATA), 300_000]  # the second file's first try breaks off
    fetch(seeing, store, ignore, Stop())
    assert site.book == [("", ""), ("", ""), ("bytes=300000-", site.etag)]
    assert store.path(eyes).read_bytes() == DATA
    assert store.present(seeing)
    store.path(eyes).unlink()
    assert not store.present(seeing)
    fetch(seeing, store, ignore, Stop())
    assert len(site.book) == 4, "the file that was here is not fetched again"
    wrong = replace(seeing, projector=replace(eyes, name="other", file="other.gguf", sha256="0" * 64))
    with pytest.raises(FetchError, match="thrown away"):
        fetch(wrong, store, ignore, Stop())
