"""The tables of faults and attacks are whole, and the tests that they name exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("page", "letter"), [("tests/faults/README.md", "F"), ("tests/attacks/README.md", "T")])
def test_every_row_is_there_and_names_what_exists(page: str, letter: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    rows = re.findall(rf"^\| ({letter}\d\d) \|", text, re.MULTILINE)
    assert rows == [f"{letter}{number:02}" for number in range(1, 31)]
    named = set(re.findall(r"(?:tests|scripts)/[\w./-]+\w", text))
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []
