"""Words of every language become a query that FTS5 takes, whatever was typed."""

from __future__ import annotations

import apsw
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from appliance.memory.languages import MAX_TERMS, analyse, expression, fold, present, script_of, searchable, words_of


def test_traditional_and_simplified_fold_to_one_form() -> None:
    assert fold("深夜可以推播嗎") == fold("深夜可以推播吗")
    assert fold("軟體更新") == fold("软件更新")
    assert fold("ＮＡＳ－０１") == "nas-01"


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("plain words", "latin"),
        ("訊息", "han"),
        ("用 Docker 部署", "han"),
        ("しりとり", "kana"),
        ("成語しりとり", "kana"),
        ("서버 재시작", "hangul"),
        ("", "latin"),
        ("😀", "latin"),
    ],
)
def test_a_text_counts_under_one_script(text: str, script: str) -> None:
    assert script_of(text) == script


def test_two_character_words_are_written_as_words() -> None:
    assert "会议" in searchable("明天開會議").split()
    assert {"しり", "とり"} <= set(searchable("しりとり").split())
    assert {"서버", "재시작"} <= set(searchable("서버 재시작").split())


def test_words_of_grammar_are_dropped_from_a_question_unless_nothing_is_left() -> None:
    assert analyse("What is the name of our cat?").terms == ("name", "cat")
    assert analyse("who is it").terms == ("who", "is", "it")
    assert "的" not in analyse("猫的名字是什么").terms
    assert "猫" in analyse("猫的名字是什么").terms


def _match(text: str) -> str:
    question = analyse(text)
    return expression(question.names, question.terms)


def test_names_with_marks_are_looked_for_as_one_and_in_parts() -> None:
    match = _match("is nas-01 up since 2026-03-31?")
    assert '"nas-01"' in match
    assert '"2026-03-31"' in match
    assert '"nas"' in match


def test_a_pasted_page_makes_a_bounded_query() -> None:
    assert len(analyse(" ".join(f"word{n}" for n in range(5_000))).terms) == MAX_TERMS


_TABLE = "CREATE VIRTUAL TABLE t USING fts5(own, near, tokenize='porter unicode61 remove_diacritics 2')"


@given(st.text())
@example('NEAR("a" b) AND OR NOT')
@example('col:"x" * ^ - + { } ( ) "')
@example("error:X don't nas-01 2026-03-31 \"quoted ' \x00 \ud800")
@example("字" * 10_000)
@example("😀👨‍👩‍👧 ﷽")
def test_no_text_makes_a_query_that_fts_refuses(text: str) -> None:
    connection = apsw.Connection(":memory:")
    connection.execute(_TABLE)
    connection.execute("INSERT INTO t VALUES (?, '')", (searchable(text.encode(errors="replace").decode()),))
    if match := _match(text):
        connection.execute("SELECT rowid FROM t WHERE t MATCH ?", (match,)).fetchall()


@given(st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=1, max_size=40))
def test_a_text_is_found_by_itself(text: str) -> None:
    connection = apsw.Connection(":memory:")
    connection.execute(_TABLE)
    connection.execute("INSERT INTO t VALUES (?, '')", (searchable(text),))
    assert connection.execute("SELECT rowid FROM t WHERE t MATCH ?", (_match(text),)).fetchall() == [(1,)]


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("Sam bought two loaves", {"buy", "loaf"}),
        ("太太對蝦子過敏", {"过敏", "虾"}),
        ("買了 bought 兩條", {"buy", "买", "条"}),
        ("今日は成語しりとりをした", {"成语"}),
        ("서버를 재시작 했다", {"재시작"}),
        ("the catalogue", set()),  # a word that only begins like one is another
    ],
)
def test_words_of_a_question_are_seen_in_a_text_as_the_index_sees_them(text: str, there: set[str]) -> None:
    wanted = frozenset({"buy", "loaf", "过敏", "虾", "买", "条", "成语", "재시작", "cat"})
    assert present(wanted, text) == there
    assert there <= set(words_of(text))
