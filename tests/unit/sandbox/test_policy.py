"""The corpus row by row, then what its kinds have in common."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from appliance.sandbox import policy
from appliance.sandbox.words import RefusedError, split

CORPUS = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "corpora" / "exec-policy.jsonl").read_text(encoding="utf-8").splitlines()
]
STRICTNESS = {"allow": 0, "ask": 1, "deny": 2}


def judge(row: dict) -> str:
    return policy.check(row["command"], context=row.get("context")).verdict


@pytest.mark.parametrize("row", CORPUS, ids=lambda row: row["id"])
def test_no_verdict_is_weaker_than_the_corpus_allows(row):
    weakest = min(STRICTNESS[word] for word in (row["verdict"], *row.get("also_ok", [])))
    assert STRICTNESS[judge(row)] >= weakest


def test_at_most_two_percent_of_allowed_commands_are_judged_stricter():
    allowed = [row for row in CORPUS if row["verdict"] == "allow"]
    stricter = [row["id"] for row in allowed if judge(row) not in ("allow", *row.get("also_ok", []))]
    assert len(allowed) > 40
    assert len(stricter) <= 0.02 * len(allowed)


def test_nearly_every_verdict_equals_the_first_choice_of_the_corpus():
    exact = sum(judge(row) == row["verdict"] for row in CORPUS)
    assert exact / len(CORPUS) >= 0.97


@pytest.mark.parametrize("row", [row for row in CORPUS if judge(row) == "allow"], ids=lambda row: row["id"])
def test_a_shell_would_read_the_same_words_as_the_policy(row):
    """shlex is an independent reading of POSIX quoting; the runner passes our words, so both must agree."""
    segments = policy.check(row["command"], context=row.get("context")).segments
    lexer = shlex.shlex(row["command"], posix=True, punctuation_chars="|")
    lexer.whitespace_split = True
    lexer.commenters = ""
    parts: list[list[str]] = [[]]
    for token in lexer:
        if token == "|":
            parts.append([])
        else:
            parts[-1].append(token)
    # shlex cannot tell a quoted "|" from a live one, so such rows are compared on their words alone.
    assert [word for part in parts for word in part] == [
        word for segment in segments for word in segment if word != "|"
    ]


def words_of(row: dict) -> list[tuple[str, ...]]:
    try:
        return [segment.words for segment in split(row["command"]) if not segment.environment]
    except RefusedError:
        return []


DENIED = [row for row in CORPUS if row["verdict"] == "deny" and judge(row) == "deny"]
BY_PROGRAM = [row for row in DENIED if words_of(row) and not row.get("context") and len(row["command"]) < 400]
BY_FORM = [row for row in DENIED if not words_of(row) and len(row["command"]) < 400]


@st.composite
def respelled(draw: st.DrawFn, words: tuple[str, ...]) -> str:
    """The same words with other quoting, spacing and option splitting: what getopt and the shell see is unchanged."""
    out = []
    for number, word in enumerate(words):
        out += [quoted(draw, piece) for piece in (options_split(draw, word) if number else [word])]
    blanks = st.text(" \t", min_size=1, max_size=3)
    return draw(st.text(" \t", max_size=3)) + "".join(word + draw(blanks) for word in out)


def options_split(draw: st.DrawFn, word: str) -> list[str]:
    if word.startswith("--") and "=" in word and draw(st.booleans()):
        name, _, value = word.partition("=")
        return [name, value]
    return [word]


def quoted(draw: st.DrawFn, word: str) -> str:
    """Quote a word character by character in one of four ways, with empty quotes strewn in."""
    out = "" if word else "''"
    for character in word:
        choice = draw(st.integers(0, 4))
        plain = character.isalnum() or character in "-_./=,:%+@"
        if choice == 0 and character != "'":
            out += f"'{character}'"
        elif choice == 1:
            out += '"' + ("\\" if character in '$`"\\' else "") + character + '"'
        elif choice == 2 or not plain:
            out += "\\" + character
        elif choice == 3:
            out += "''" + character
        else:
            out += character
    return out


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_a_denied_command_stays_denied_under_any_quoting_spacing_and_option_splitting(data):
    row = data.draw(st.sampled_from(BY_PROGRAM))
    command = " | ".join(data.draw(respelled(words)) for words in words_of(row))
    assert policy.check(command).verdict == "deny", command


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_a_denied_filter_command_stays_denied_when_its_options_change_places(data):
    filters = ("jq", "grep", "cut", "sort", "uniq", "head", "tail", "wc", "rm", "curl")
    rows = [row for row in BY_PROGRAM if words_of(row)[0][0] in filters and len(words_of(row)) == 1]
    row = data.draw(st.sampled_from(rows))
    program, *arguments = words_of(row)[0]
    if "--" in arguments or any(a[-1:] in "nfLSemdkt-" and a.startswith("-") for a in arguments[:-1]):
        # An option and its value move as one; such rows are turned whole instead of word by word.
        command = [program, *arguments]
    elif any(a.startswith("--") and "=" not in a for a in arguments):
        command = [program, *arguments]
    else:
        command = [program, *data.draw(st.permutations(arguments))]
    assert policy.check(data.draw(respelled(tuple(command)))).verdict == "deny", command


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_what_is_denied_by_form_stays_denied_with_blanks_around_it_and_filters_beside_it(data):
    row = data.draw(st.sampled_from(BY_FORM))
    before, after = data.draw(st.sampled_from(["", " ", "\t", "sort | "])), data.draw(st.sampled_from(["", " ", "\t"]))
    assert policy.check(before + row["command"] + after).verdict == "deny"


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60))
def test_no_text_raises_and_every_allowed_text_names_only_filters(text):
    verdict = policy.check(text)
    if verdict.verdict == "allow":
        names = {segment[0].rpartition("/")[2] for segment in verdict.segments}
        assert names <= {"jq", "grep", "cut", "sort", "uniq", "head", "tail", "tr", "wc"}
