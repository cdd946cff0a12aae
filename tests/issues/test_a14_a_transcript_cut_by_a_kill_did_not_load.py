"""A14: a file cut short in the middle of a write, or empty, kept a session from loading."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from appliance.agent.transcript import Transcript

KEY = "agent:main:main"
WRITER = """
import sys
from pathlib import Path
from appliance.agent.transcript import Transcript
transcript = Transcript(Path(sys.argv[1]), "agent:main:main")
transcript.load()
number = len(transcript.records)
while True:
    content = [{"type": "text", "text": f"message {number} 你好 " + "x" * (number % 5000)}]
    identity = {"id": f"t{number}.0", "turn": f"t{number}", "seq": 0}
    transcript.append({**identity, "role": "user", "content": content, "rows": [number]})
    print(number, flush=True)
    number += 1
"""


def ids(path: Path) -> list[str]:
    transcript = Transcript(path, KEY)
    transcript.load()
    found = [record["id"] for record in transcript.records]
    transcript.close()
    return found


def test_after_50_kills_while_writing_every_record_that_was_reported_is_there(tmp_path: Path) -> None:
    path, chance, reported = tmp_path / "s.jsonl", random.Random(14), 0
    for _ in range(50):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
        assert writer.stdout is not None
        reported = int(writer.stdout.readline())
        time.sleep(chance.uniform(0, 0.02))
        writer.send_signal(signal.SIGKILL)
        rest = writer.communicate()[0].split()
        reported = int(rest[-1]) if rest else reported
        found = ids(path)
        assert found == [f"t{number}.0" for number in range(len(found))]
        assert reported < len(found) <= reported + 2


def test_any_cut_of_the_last_line_costs_at_most_the_last_record(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    transcript = Transcript(path, KEY)
    transcript.load()
    for number in range(3):
        content = [{"type": "text", "text": f"message {number} 你好"}]
        record = {"id": f"t{number}.0", "turn": f"t{number}", "seq": 0, "role": "user", "content": content}
        transcript.append({**record, "rows": [number]})
    transcript.close()
    whole = path.read_bytes()
    for cut in range(1, 41):
        path.write_bytes(whole[:-cut])
        assert ids(path)[:2] == ["t0.0", "t1.0"]


def test_an_empty_file_is_an_empty_session(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.touch()
    assert ids(path) == []
