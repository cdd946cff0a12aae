from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from appliance.errors import NotFoundError
from appliance.local_models.catalogue import (
    ASK_ABOVE_BYTES,
    CATALOGUE,
    MEMORY_SHARE,
    PICTURE_BYTES,
    FromUrls,
    best_fit,
    entry,
    machine_memory,
    resolve,
)

GIB = 1024**3
FILES = [file for item in CATALOGUE for file in item.files]


def test_every_file_by_address_has_a_published_hash_and_a_fixed_revision() -> None:
    by_url = [item for item in FILES if isinstance(item.source, FromUrls)]
    assert len(by_url) >= 4
    for item in by_url:
        assert len(item.sha256) == 64
        assert all("/resolve/main/" not in url and url.endswith(item.file) for url in item.source.urls)  # type: ignore[union-attr]


def test_names_and_files_are_unique_and_licences_are_known() -> None:
    assert len({item.name for item in FILES}) == len(FILES) == len({item.file for item in FILES})
    assert {item.licence for item in FILES} <= {"Apache-2.0", "MIT"}


def test_a_model_that_sees_counts_both_files_and_room_for_a_picture() -> None:
    seeing = entry("smolvlm2-500m")
    assert seeing.projector is not None
    assert seeing.whole_size == seeing.size + seeing.projector.size
    blind = replace(seeing, projector=None)
    assert seeing.memory(8192) == blind.memory(8192) + seeing.projector.size + PICTURE_BYTES


def test_a_file_of_ones_own_sees_with_the_projector_beside_it(tmp_path: Path) -> None:
    mine, eyes = tmp_path / "mine.gguf", tmp_path / "mmproj-mine.gguf"
    mine.write_bytes(b"GGUF")
    assert resolve(str(mine), "chat").projector is None
    eyes.write_bytes(b"GGUF")
    found = resolve(str(mine), "chat").projector
    assert found is not None
    assert found.file == str(eyes)
    assert resolve(str(mine), "embedding").projector is None


@pytest.mark.parametrize(
    ("memory", "name"),
    [
        (1 * GIB, "smollm2-135m-instruct"),
        (4 * GIB, "smollm2-135m-instruct"),
        (6 * GIB, "qwen3-1.7b"),
        (8 * GIB, "qwen3-4b-instruct"),
        (24 * GIB, "qwen3-4b-instruct"),
        (64 * GIB, "qwen3-30b-a3b-instruct"),
    ],
)
def test_the_best_chat_model_that_fits_half_the_memory_is_chosen(memory: int, name: str) -> None:
    found = best_fit(memory)
    assert found.name == name
    assert found.name == "smollm2-135m-instruct" or found.memory(8192) <= memory * MEMORY_SHARE


def test_the_default_embedder_is_multilingual_and_small_enough_not_to_ask() -> None:
    found = best_fit(8 * GIB, "embedding", 512)
    assert found.multilingual
    assert found.size < ASK_ABOVE_BYTES
    assert found.dimensions == 384


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(NotFoundError, match="qwen3-4b-instruct"):
        entry("qwen3-4b")


def test_a_file_of_ones_own_is_a_model(tmp_path: Path) -> None:
    path = tmp_path / "mine.gguf"
    path.write_bytes(b"x" * 10)
    found = resolve(str(path), "chat")
    assert (found.name, found.size, Path(found.file)) == ("mine", 10, path)


def test_a_path_without_a_file_says_so() -> None:
    with pytest.raises(NotFoundError, match="no model file"):
        resolve("/nowhere/model.gguf", "chat")


def test_an_embedder_cannot_chat() -> None:
    with pytest.raises(NotFoundError, match="embedding"):
        resolve("bge-m3", "chat")


def test_the_machine_has_memory() -> None:
    assert machine_memory() > 256 * 1024**2
