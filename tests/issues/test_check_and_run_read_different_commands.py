"""The fault behind most published holes of this kind: the check read one thing, the shell ran another.

Every command that the policy allows is run as text in two shells, in an empty folder with canaries: nothing may be
created, changed or printed. The appliance itself runs the words without a shell, which is stricter still.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from appliance.sandbox import policy

CORPUS = Path(__file__).parents[1] / "corpora" / "exec-policy.jsonl"
CANARY = "canary-7f3a"


def allowed() -> list[str]:
    rows = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
    return [r["command"] for r in rows if not r.get("context") and policy.check(r["command"]).verdict == "allow"]


@pytest.mark.parametrize("shell", ["bash", "dash"])
def test_no_allowed_command_touches_files_or_prints_the_environment_in_a_shell(shell, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    home = tmp_path / "home"
    home.mkdir()
    commands = allowed()
    assert len(commands) > 40
    for number, command in enumerate(commands):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "x").write_text(CANARY)
        done = subprocess.run(
            [shell, "-c", command],
            cwd=folder,
            input=b'{"a": 1}\nx\n',
            capture_output=True,
            timeout=10,
            env={"PATH": "/usr/bin:/bin", "HOME": str(home), "SECRET": CANARY},
            check=False,
        )
        assert [path.name for path in folder.iterdir()] == ["x"], command
        assert (folder / "x").read_text() == CANARY, command
        assert CANARY.encode() not in done.stdout + done.stderr, command
    assert list(home.iterdir()) == []
