from __future__ import annotations

import hashlib
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from appliance.local_models.catalogue import Entry, FromUrls
from appliance.local_models.errors import StoppedError
from appliance.local_models.progress import Stop
from appliance.local_models.store import Store, file_hash

MODEL = Entry(
    name="small", kind="chat", file="small.gguf", size=5, licence="MIT", context=512, source=FromUrls(("http://x/y",))
)


def _put(store: Store, data: bytes = b"hello") -> str:
    store.folder.mkdir(parents=True, exist_ok=True)
    store.path(MODEL).write_bytes(data)
    digest = hashlib.sha256(data).hexdigest()
    store.remember(MODEL, digest, len(data))
    return digest


def test_a_file_without_a_record_is_not_present(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.path(MODEL).write_bytes(b"hello")
    assert not store.present(MODEL)


def test_a_recorded_file_is_present_and_a_cut_one_is_not(tmp_path: Path) -> None:
    store = Store(tmp_path / "models")
    _put(store)
    assert store.present(MODEL)
    store.path(MODEL).write_bytes(b"hell")
    assert not store.present(MODEL)


def test_without_a_published_hash_the_first_download_is_held_to(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert store.expected_hash(MODEL) == ""
    digest = _put(store)
    assert store.expected_hash(MODEL) == digest
    record = store.record("small")
    assert record is not None
    assert record.trust == "first use"


def test_a_published_hash_wins_over_the_recorded_one(tmp_path: Path) -> None:
    store = Store(tmp_path)
    _put(store)
    assert store.expected_hash(replace(MODEL, sha256="a" * 64)) == "a" * 64


def test_damaged_records_are_set_aside_and_the_store_goes_on(tmp_path: Path) -> None:
    store = Store(tmp_path)
    (tmp_path / "models.json").write_text("{half")
    assert store.record("small") is None
    assert len(list(tmp_path.glob("models.json.damaged-*"))) == 1
    _put(store)
    assert store.present(MODEL)


def test_a_damaged_file_is_set_aside_and_never_deleted(tmp_path: Path) -> None:
    store = Store(tmp_path)
    _put(store)
    aside = store.set_aside(MODEL)
    assert aside.read_bytes() == b"hello"
    assert not store.present(MODEL)


def test_two_holders_of_a_lock_wait_for_each_other(tmp_path: Path) -> None:
    store = Store(tmp_path)
    order: list[str] = []
    inside = threading.Event()
    leave = threading.Event()

    def first() -> None:
        with store.exclusive("x"):
            inside.set()
            assert leave.wait(5)
            order.append("first")

    def second() -> None:
        assert inside.wait(5)
        with store.exclusive("x"):
            order.append("second")

    threads = [threading.Thread(target=first), threading.Thread(target=second)]
    for thread in threads:
        thread.start()
    assert inside.wait(5)
    leave.set()
    for thread in threads:
        thread.join(5)
    assert order == ["first", "second"]


def test_the_hash_of_a_folder_follows_its_files_and_not_its_byte_code(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("1")
    before = file_hash(tmp_path)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "a.pyc").write_text("2")
    assert file_hash(tmp_path) == before
    (tmp_path / "a.py").write_text("3")
    assert file_hash(tmp_path) != before


def test_hashing_stops_when_told(tmp_path: Path) -> None:
    path = tmp_path / "big"
    path.write_bytes(b"x" * 100)
    stop = Stop()
    stop.set()
    with pytest.raises(StoppedError):
        file_hash(path, stop=stop)
