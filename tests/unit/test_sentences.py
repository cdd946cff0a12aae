"""The sentences in other languages: each is the form of something in the code, whole, and found by its English."""

from __future__ import annotations

import ast
import string

import pytest

from appliance.errors import NoAgentError
from appliance.texts.sentences import SENTENCES, in_language, told
from tests.sentences import modules, written


def test_every_entry_is_the_form_of_something_that_is_written_in_the_code() -> None:
    texts = {
        form
        for _, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.expr)
        for text in written(node)
        for form in (text, text.strip(" ;"))
    }
    assert [entry[0] for entry in SENTENCES if entry[0] not in texts] == []


def test_entries_hold_the_same_values_and_their_own_characters() -> None:
    simplified = set("们这说时对会发过没问来国开为么样经动长电话头车书买卖设检认启运进连")
    traditional = set("們這說時對會發過沒問來國開為麼樣經動長電話頭車書買賣設檢認啟運進連")
    for english, hant, hans in SENTENCES:
        count = english.count("{}")
        for text in (hant, hans):
            fields = {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}
            assert fields == {str(number) for number in range(count)}, english
        assert not simplified & set(hant), english
        assert not traditional & set(hans), english
    assert len({entry[0] for entry in SENTENCES}) == len(SENTENCES)


def test_values_that_are_phrases_of_ours_are_said_in_the_language_too() -> None:
    text = "This call could pass today's limit: $1.00 of $2.00 is spent, $0.50 held by calls under way."
    assert in_language(text, "zh-Hant") == "這次呼叫可能超過今天的上限：$2.00 已用 $1.00，進行中的呼叫預留 $0.50。"
    assert in_language("This request was already used.", "zh-Hans") == "这项请求已经用过。"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Docker 27 answers; commands run in a. Its first process can be traced by a command in it.",
         "Docker 27 有回應；指令在 a 中執行。其中的指令可以追蹤它的第一個行程。"),
        ("discord: The connection was cut; connecting again. email: The mail server cannot be reached: x.",
         "discord：連線中斷，正在重新連線。email：無法連線到郵件伺服器：x。"),
        ("one: 3 tools; two: not started; three: it does not read its input",
         "one：3 個工具；two：未啟動；three：它不讀取輸入"),
        ("Skills that cannot be read: /a/b:3: It is not UTF-8 text.; /c: There is no SKILL.md in the folder.",
         "無法讀取的技能：/a/b:3：它不是 UTF-8 文字；/c：資料夾裡沒有 SKILL.md。"),
        ("The local model is loading. loading qwen", "本機模型的狀態：載入。正在載入 qwen"),
    ],
)  # fmt: skip
def test_several_sentences_and_items_after_a_name_are_said_one_by_one(text: str, shown: str) -> None:
    assert in_language(text, "zh-Hant") == shown


def test_errors_that_fill_their_own_text_are_known_and_english_stays_as_it_is() -> None:
    assert told(NoAgentError("x"), "zh-Hant") == "沒有 'x' 這個助理。 `appliance agents` 會列出。"
    assert in_language("Nobody has written this.", "zh-Hans") == "Nobody has written this."
    assert in_language("Nobody: has; written. This: too", "zh-Hans") == "Nobody: has; written. This: too"
    assert in_language("The disk is full.", "en") == "The disk is full."


_MADE_UP = (
    " refused the call ( ", " refused the call (y)", " must be at least  and at most ", "'. There is no job 'x", "a: ",
    "; ",
)  # fmt: skip


@pytest.mark.timeout(20)
@pytest.mark.parametrize("made_up", _MADE_UP)
def test_what_somebody_wrote_into_a_sentence_costs_no_time_however_long_or_nested_it_is(made_up: str) -> None:
    assert "'x" in in_language(f"There is no job 'x{made_up * 3_000}'.", "zh-Hans")
