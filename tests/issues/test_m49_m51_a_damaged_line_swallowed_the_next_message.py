"""M49, M51: after a cut tail the next append was glued to it; a line of a wrong kind crashed every load."""

from pathlib import Path

from appliance.agent.transcript import Transcript

KEY = "agent:main:main"


def loaded(path: Path) -> Transcript:
    transcript = Transcript(path, KEY)
    transcript.load()
    return transcript


def message(number: int) -> dict[str, object]:
    content = [{"type": "text", "text": f"message {number}"}]
    return {"id": f"t{number}.0", "turn": f"t{number}", "seq": 0, "role": "user", "content": content, "rows": [number]}


def test_a_message_after_half_a_utf8_character_is_there(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    first = loaded(path)
    first.append(message(1))
    first.close()
    with path.open("ab") as file:
        file.write(b'{"text":"caf\xc3')
    second = loaded(path)
    second.append(message(2))
    second.close()
    assert [r["id"] for r in loaded(path).records] == ["t1.0", "t2.0"]
    assert b"caf\xc3" in path.with_suffix(".damaged").read_bytes()


def test_a_foreign_line_is_skipped_once_and_kept_aside(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    first = loaded(path)
    first.append(message(1))
    first.close()
    with path.open("ab") as file:
        file.write(b'{"cursor":"2026-04-10T00:00:00Z"}\n')
    assert loaded(path).damaged == 1
    assert [r["id"] for r in loaded(path).records] == ["t1.0"]
