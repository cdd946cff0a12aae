"""A transcript is append-only, and whatever happened to the file, what is whole in it is read."""

import tempfile
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.agent.transcript import RECENT, Transcript
from appliance.errors import StateError
from appliance.memory.chunks import read_transcript

KEY = "agent:main:main"


def record(number: int, text: str = "hello") -> dict[str, object]:
    content = [{"type": "text", "text": text}]
    return {"id": f"t.{number}", "turn": "t", "seq": number, "role": "user", "content": content, "rows": [number]}


def opened(path: Path) -> Transcript:
    transcript = Transcript(path, KEY)
    transcript.load()
    return transcript


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


def filled(path: Path, count: int = 3, text: str = "你好 🙂 café") -> bytes:
    transcript = opened(path)
    for number in range(count):
        transcript.append(record(number, text))
    transcript.close()
    return path.read_bytes()


def test_a_record_is_appended_once_whatever_is_tried(path: Path) -> None:
    transcript = opened(path)
    assert transcript.append(record(0))
    assert not transcript.append(record(0))
    again = opened(path)
    assert not again.append(record(0))
    assert [r["id"] for r in opened(path).records] == ["t.0"]


def test_the_first_line_names_the_session_and_another_session_is_refused(path: Path) -> None:
    filled(path, 1)
    assert msgspec.json.decode(path.read_bytes().split(b"\n")[0]) == {"type": "session", "key": KEY}
    with pytest.raises(StateError, match="holds the session"):
        Transcript(path, "agent:main:web:other").load()


def test_every_cut_of_the_last_record_loses_at_most_that_record_and_the_next_append_is_whole(tmp_path: Path) -> None:
    whole = filled(tmp_path / "whole.jsonl")
    last = len(whole.rstrip(b"\n")) - whole.rstrip(b"\n").rfind(b"\n")
    for cut in range(1, last + 1):
        path = tmp_path / f"cut-{cut}.jsonl"
        path.write_bytes(whole[:-cut])
        transcript = opened(path)
        transcript.append(record(9, "after"))
        transcript.close()
        ids = [r["id"] for r in opened(path).records]
        assert ids in (["t.0", "t.1", "t.9"], ["t.0", "t.1", "t.2", "t.9"])


@pytest.mark.parametrize(
    ("damage", "kept"),
    [
        (b"\x00" * 4096, ["t.0", "t.1", "t.2"]),
        (b'{"text":"caf\xc3', ["t.0", "t.1", "t.2"]),
        (b"not json at all\n", ["t.0", "t.1", "t.2"]),
        (b'{"id":"x","role":"user"}\n', ["t.0", "t.1", "t.2"]),
        (b"\n\n\r\n", ["t.0", "t.1", "t.2"]),
    ],
)
def test_damage_at_the_end_is_set_aside_and_the_rest_stands(path: Path, damage: bytes, kept: list[str]) -> None:
    whole = filled(path)
    path.write_bytes(whole + damage)
    transcript = opened(path)
    assert [r["id"] for r in transcript.records] == kept
    transcript.append(record(9))
    transcript.close()
    assert [r["id"] for r in opened(path).records] == [*kept, "t.9"]
    assert path.read_bytes().startswith(whole + damage[:3])  # nothing was rewritten


@pytest.mark.parametrize("cut", [0, 1, 8, 20])
def test_a_first_line_that_the_power_took_is_written_again(path: Path, cut: int) -> None:
    path.write_bytes(filled(path)[:cut])
    transcript = opened(path)
    transcript.append(record(7))
    transcript.close()
    assert path.read_bytes().count(KEY.encode()) == 1
    assert read_transcript(path).session == KEY, "search would not find what was said here"
    assert [r["id"] for r in opened(path).records] == ["t.7"]


def test_two_records_on_one_line_are_both_read(path: Path) -> None:
    lines = filled(path).split(b"\n")
    path.write_bytes(lines[0] + b"\n" + lines[1] + lines[2] + b"\n" + lines[3] + b"\n")
    assert [r["id"] for r in opened(path).records] == ["t.0", "t.1", "t.2"]


def test_bom_and_crlf_and_duplicates_are_no_damage(path: Path) -> None:
    raw = filled(path)
    lines = raw.rstrip(b"\n").split(b"\n")
    path.write_bytes(b"\xef\xbb\xbf" + b"\r\n".join([*lines, lines[-1]]) + b"\r\n")
    transcript = opened(path)
    assert [r["id"] for r in transcript.records] == ["t.0", "t.1", "t.2"]
    assert transcript.damaged == 0


def test_damaged_bytes_are_kept_in_a_side_file_once(path: Path) -> None:
    path.write_bytes(filled(path) + b"garbage \xff\xfe\n")
    opened(path).close()
    opened(path).close()
    assert path.with_suffix(".damaged").read_bytes() == b"garbage \xff\xfe\n"


@given(st.binary(max_size=200), st.integers(min_value=0, max_value=400))
def test_random_bytes_anywhere_never_stop_a_load_or_an_append(
    tmp_path_factory: pytest.TempPathFactory, noise: bytes, at: int
) -> None:
    path = tmp_path_factory.mktemp("noise") / "s.jsonl"
    whole = filled(path)
    position = len(whole) - min(at, len(whole) - whole.index(b"\n") - 1)
    path.write_bytes(whole[:position] + noise + whole[position:])
    transcript = opened(path)
    transcript.append(record(77))
    transcript.close()
    assert "t.77" in [r["id"] for r in opened(path).records]


def test_a_new_window_starts_at_the_last_marker(path: Path) -> None:
    transcript = opened(path)
    transcript.append(record(0))
    transcript.append({"type": "marker", "kind": "new", "at": "2026-11-30T00:00:00Z"})
    transcript.append(record(1))
    assert [r["id"] for r in opened(path).window()] == ["t.1"]


def test_after_a_compaction_the_summary_and_what_was_kept_come_first(path: Path) -> None:
    transcript = opened(path)
    for number in range(4):
        transcript.append(record(number))
    transcript.append({"type": "marker", "kind": "compaction", "summary": "s", "kept": ["t.3"], "at": "x"})
    transcript.append(record(4))
    window = opened(path).window()
    assert window[0]["summary"] == "s"
    assert [r.get("id") for r in window[1:]] == ["t.3", "t.4"]


def marker(number: int, kind: str, kept: list[int]) -> dict[str, object]:
    return {
        "type": "marker", "kind": kind, "summary": "short" if kind == "compaction" else None,
        "kept": [f"t.{one}" for one in kept], "at": str(number),
    }  # fmt: skip


@given(st.lists(st.sampled_from(["say", "say", "say", "new", "compaction"]), max_size=60), st.integers(0, 4))
def test_the_end_of_a_large_file_gives_the_window_that_the_whole_gives(steps: list[str], keep: int) -> None:
    with pytest.MonkeyPatch.context() as patched, tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "session.jsonl"
        written: list[dict[str, object]] = []
        transcript = opened(path)
        for number, step in enumerate(steps):
            said = [int(str(r["seq"])) for r in written if "seq" in r]
            entry = record(number) if step == "say" else marker(number, step, said[len(said) - min(keep, len(said)) :])
            written.append(entry)
            transcript.append(entry)
        transcript.close()
        whole = opened(path).window()
        patched.setattr("appliance.agent.transcript._WHOLE_BYTES", 0)
        patched.setattr("appliance.agent.transcript._LOOK_LINES", 1)
        patched.setattr("appliance.agent.transcript.RECENT", 3)
        assert opened(path).window() == whole


def test_a_long_life_is_not_kept_in_memory(path: Path) -> None:
    transcript = opened(path)
    for number in range(4 * RECENT):
        transcript.append(record(number))
        if number % 100 == 99:
            transcript.append(marker(number, "compaction", [number - 1, number]))
    assert len(transcript.records) < 3 * RECENT
    assert not transcript.whole
    assert [r.get("id") for r in transcript.window()] == [None, f"t.{4 * RECENT - 2}", f"t.{4 * RECENT - 1}"]
    transcript.append(record(9999))
    assert opened(path).records[-1]["id"] == "t.9999"


def test_what_a_large_file_ends_with_is_mended_like_a_small_one(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("appliance.agent.transcript._WHOLE_BYTES", 100)
    raw = filled(path, 5)
    path.write_bytes(raw[:-20])
    transcript = opened(path)
    assert [r["id"] for r in transcript.records] == [f"t.{n}" for n in range(4)]
    assert transcript.damaged == 1
    transcript.append(record(7))
    assert [r["id"] for r in opened(path).records] == ["t.0", "t.1", "t.2", "t.3", "t.7"]
