"""What the service says when a model does not fit, and what the converter says of files that are not what they seem."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from appliance.local_models import runtime
from appliance.local_models.errors import LocalModelError
from appliance.local_models.progress import Stop, ignore
from appliance.local_models.store import Store
from appliance.testing.local_service import LocalService, LocalUnavailableError, models_folder

pytestmark = [pytest.mark.local, pytest.mark.timeout(1800)]


@pytest.fixture
def with_runtime(service: LocalService) -> None:
    """numpy and gguf in this process, from where the service has them."""
    runtime.ensure(Store(models_folder()), ignore, Stop())


def test_a_file_that_is_no_model_is_a_clear_failure_and_the_service_stays(
    tmp_path: Path, service: LocalService
) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + bytes(1000))
    with pytest.raises(LocalUnavailableError, match="cannot be loaded"):
        LocalService(chat=str(broken), embedder="off")


def test_a_chat_model_is_refused_as_embedder(service: LocalService) -> None:
    path = models_folder() / "SmolLM2-135M-Instruct.Q4_1.gguf"
    with pytest.raises(LocalUnavailableError, match="not an embedding model"):
        LocalService(chat="off", embedder=str(path))


def test_a_file_of_ones_own_answers(service: LocalService, tmp_path: Path) -> None:
    mine = tmp_path / "mine.gguf"
    mine.symlink_to(models_folder() / "SmolLM2-135M-Instruct.Q4_1.gguf")
    own = LocalService(chat=str(mine), embedder="off")
    try:
        assert own.status()["model"] == "mine"
        assert own.status()["window"] == 8192
        assert own.chat("Say hello.", max_tokens=8).status_code == 200
        assert own.client.post("/v1/embeddings", json={"input": "a"}).status_code == 503
    finally:
        own.close()


def test_the_status_answers_long_before_a_model_is_there(tmp_path: Path) -> None:
    begun = time.monotonic()
    empty = LocalService(chat="off", embedder="off", folder=tmp_path)
    try:
        assert empty.status()["phase"] == "off"
        assert time.monotonic() - begun < 15  # about one on a quiet machine
        answer = empty.chat("hello")
        assert (answer.status_code, answer.json()["error"]["type"]) == (503, "model_not_ready")
    finally:
        empty.close()


def _write(folder: Path, config: dict[str, Any], header: dict[str, Any], data: bytes) -> Path:
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "vocab.txt").write_text("[PAD]\n[UNK]\n")
    raw = json.dumps(header).encode()
    path = folder / "model.safetensors"
    path.write_bytes(len(raw).to_bytes(8, "little") + raw + data)
    return path


def test_a_cut_safetensors_file_is_said_to_be_cut(with_runtime: None, tmp_path: Path) -> None:
    from appliance.local_models.convert import read_safetensors

    header = {"a": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}}
    whole = read_safetensors(_write(tmp_path, {}, header, bytes(16)))
    assert whole["a"].shape == (4,)
    with pytest.raises(LocalModelError, match="cut short"):
        read_safetensors(_write(tmp_path, {}, header, bytes(15)))
    (tmp_path / "model.safetensors").write_bytes((10**6).to_bytes(8, "little"))
    with pytest.raises(LocalModelError, match="not a whole"):
        read_safetensors(tmp_path / "model.safetensors")


def test_another_kind_of_model_is_not_converted(with_runtime: None, tmp_path: Path) -> None:
    from appliance.local_models.convert import bert_to_gguf

    source = _write(tmp_path, {"model_type": "roberta"}, {}, b"")
    with pytest.raises(LocalModelError, match="not a BERT model"):
        bert_to_gguf(source, tmp_path / "out.gguf", name="x")
    assert not (tmp_path / "out.gguf").exists()


def test_a_damaged_model_file_is_found_and_fetched_again(service: LocalService, tmp_path: Path) -> None:
    from appliance.local_models import commands

    for name in ("SmolLM2-135M-Instruct.Q4_1.gguf", "models.json"):
        shutil.copy(models_folder() / name, tmp_path / name)
    path = tmp_path / "SmolLM2-135M-Instruct.Q4_1.gguf"
    with path.open("r+b") as stream:
        stream.seek(50_000_000)
        stream.write(b"damage")
    rows = {row["name"]: row["status"] for row in commands.verify(tmp_path, ignore)}
    assert rows["smollm2-135m-instruct"] == "damaged"
    commands.pull(tmp_path, "smollm2-135m-instruct", confirm=lambda _: False, progress=ignore)
    rows = {row["name"]: row["status"] for row in commands.verify(tmp_path, ignore)}
    assert rows["smollm2-135m-instruct"] == "good"


def test_the_service_gives_way_to_the_gateway_and_has_a_limit(service: LocalService) -> None:
    process = Path(f"/proc/{service.process.pid}")
    limits = {line[:26].strip(): line[26:].split()[0] for line in (process / "limits").read_text().splitlines()[1:]}
    assert 256 * 2**20 < int(limits["Max data size"]) < 16 * 2**30
    assert int((process / "oom_score_adj").read_text()) == 500
    assert int((process / "stat").read_text().rsplit(") ", 1)[1].split()[16]) >= 5


def test_a_taken_port_is_said_with_its_address(service: LocalService, tmp_path: Path) -> None:
    from appliance.local_models import commands
    from appliance.settings import LocalModelSettings

    port = int(service.url.rsplit(":", 1)[1])
    with pytest.raises(LocalModelError, match=f"127.0.0.1:{port}"):
        commands.serve(LocalModelSettings(enabled=False, embedder="off"), tmp_path, port=port)
