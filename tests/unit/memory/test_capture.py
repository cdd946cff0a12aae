from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.memory.capture import capture, jsonl
from appliance.memory.taking_back import takes_back
from appliance.memory.voices import fold
from tests.benchmarks import labelled
from tests.benchmarks.capture import score

ROWS = labelled.handed()
FRESH = labelled.fresh()
NUMBERED = [row for row in FRESH if "lang" in row]
PLAIN_SPEECH = [
    line.split("|") for line in (labelled.CORPORA / "capture-plain.txt").read_text(encoding="utf-8").splitlines()
]
PHRASES = [
    (item["tag"] if (item := next(iter(row["items"]), None)) else "-", row["text"]) for row in labelled.phrases()
]


def tags(text: str) -> list[str]:
    return [item.tag for item in capture(text)]


def test_the_handed_corpus_is_read_with_few_faults():
    total = score(ROWS)
    assert total.precision >= 0.96
    assert total.recall >= 0.97
    assert total.alarm_rate <= 0.01
    assert total.take_backs_stored == 0
    assert score(ROWS, "B").precision >= 0.94
    assert score(ROWS, "B").recall >= 0.98


def test_the_fresh_messages_are_read_with_few_faults():
    total = score(FRESH)
    assert len(FRESH) > 30_000
    # The table leans to what it says of messages that it never met: fewer missed, more kept for nothing.
    assert total.precision >= 0.94
    assert total.recall >= 0.91
    assert total.alarm_rate <= 0.04
    assert total.take_backs_stored <= 0.01 * sum(row["kind"] == "n-retract" for row in FRESH)
    assert score(FRESH, "B").precision >= 0.94
    assert score(FRESH, "B").recall >= 0.92


def test_most_take_backs_of_the_fresh_messages_are_known_for_such():
    told = [row["text"] for row in FRESH if row["kind"] == "n-retract"]
    others = [row["text"] for row in FRESH if row["kind"] != "n-retract"]
    assert len(told) > 800
    assert sum(map(takes_back, told)) >= 0.97 * len(told)
    assert sum(map(takes_back, others)) <= 0.005 * len(others)


@pytest.mark.parametrize("language", ["zh-Hans", "zh-Hant", "en", "mixed"])
def test_the_fresh_messages_are_read_alike_in_each_language(language):
    total = score([row for row in NUMBERED if row["lang"] == language])
    assert total.precision >= 0.92
    assert total.recall >= 0.91


def test_the_fresh_messages_cover_every_kind_of_the_corpus():
    assert {row["kind"] for row in FRESH} >= {row["kind"] for row in ROWS}


@pytest.mark.parametrize("language", ["zh-Hans", "zh-Hant", "en", "mixed"])
def test_each_language_is_read_as_well_as_the_others(language):
    total = score([row for row in ROWS if row["lang"] == language])
    assert total.precision >= 0.95
    assert total.recall >= 0.95


@pytest.mark.parametrize("tag", ["W", "B", "O"])
def test_plain_sentences_of_each_kind_get_their_tag(tag):
    texts = [text for given_tag, text in PHRASES if given_tag == tag]
    right = [text for text in texts if tags(text) == [tag]]
    assert len(texts) > 100
    assert len(right) / len(texts) >= 0.93, sorted(set(texts) - set(right))


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("{}", "{}"),
        ("hi! {}", "你好，{}"),
        ("{} thanks", "{}，谢谢"),
        ("ok. {}. What is the weather?", "好的。{}。明天天气怎么样？"),
    ],
)
def test_what_is_said_plainly_is_kept_whatever_stands_around_it(english, chinese):
    texts = [
        (tag, (chinese if re.search("[\u4e00-\u9fff]", text) else english).format(text)) for tag, text in PLAIN_SPEECH
    ]
    assert len(texts) == 70
    assert [text for tag, text in texts if tags(text) != [tag]] == []


def test_chat_tasks_questions_and_other_voices_hold_nothing_to_keep():
    texts = [text for given_tag, text in PHRASES if given_tag == "-"]
    alarms = [text for text in texts if capture(text)]
    assert len(texts) > 200
    assert len(alarms) / len(texts) <= 0.03, alarms


@pytest.mark.parametrize(
    "text",
    [
        "forget that I like blue",
        "Forget what I said about the nights",
        "scratch that, voice is fine again",
        "I never said I hate tea, you got that wrong",
        "忘掉我说过喜欢蓝色",
        "我收回刚才那句别打扰我",
        "你记错了，我没有不吃辣",
        "忘了我說我討厭語音那件事吧",
        "之前说的不要推送，取消吧",
        "forget 我说过以后不要发图这事",
        "the rule about Sundays no longer applies",
    ],
)
def test_a_take_back_is_never_stored_as_something_new(text):
    assert capture(text) == []


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("forget that I like tea, I prefer coffee now", ["I prefer coffee now"]),
        ("别记我喜欢蓝色了，我现在喜欢绿色", ["我现在喜欢绿色"]),
        ("Forget that I'm vegan, I eat fish, and from now on never suggest tofu", ["from now on never suggest tofu"]),
        ("忘掉我說過喜歡甜的，我比較喜歡鹹的", ["我比較喜歡鹹的"]),
        # Why it is taken back, what else is taken back, and what it says before.
        ("forget the Tuesday rule, I gave up yoga", []),
        ("静音时段那个设置作废吧，我不上夜班了", []),
        ("别记我住苏州了，那是我哥", []),
        ("scratch that, I do want the morning briefing", []),
        ("forget what I said about peanuts, tea and that I hate rain", []),
        ("I like tea, forget that", []),
    ],
)
def test_of_a_sentence_that_takes_something_back_only_what_is_wanted_instead_is_kept(text, kept):
    assert [item.span for item in capture(text)] == kept


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("别忘了，以后都用中文回我", "W"),
        ("Don't forget: I'm allergic to nuts", "O"),
        ("不要删除我的笔记", "B"),
        ("写脚本的时候以后都用 bash", "W"),
        ("改設定之前先問我", "B"),
        ("别把我的名字写错", "B"),
        ("照片、视频等等都不要上传", "B"),
        ("无论如何都不要重启服务器", "B"),
        ("Never message me between 23:00 and 07:00.", "B"),
        ("Don't post anything before 9:00", "B"),
        ("My dentist is Dr. Lin", "O"),
        ("My boss is called Karen.", "O"),
        ("晚上23:00到07:00之間不要傳訊息給我", "B"),
    ],
)
def test_words_that_resemble_a_guard_do_not_hide_an_item(text, tag):
    assert tags(text) == [tag]


def test_spans_are_exact_and_the_same_in_both_scripts():
    simplified, traditional = "对了，以后别给我发语音，谢谢", "對了，以後別給我發語音，謝謝"
    assert [item.span for item in capture(simplified)] == ["以后别给我发语音，谢谢"]
    assert [item.span for item in capture(traditional)] == ["以後別給我發語音，謝謝"]
    assert fold(traditional) == fold(simplified)


def test_several_items_of_one_message_come_in_their_order():
    found = capture("I'm a PM in Austin, I like charts more than prose, and no tasks on weekends")
    assert [item.tag for item in found] == ["O", "W", "B"]
    assert found[1].span == "I like charts more than prose"


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        # What is asked between a fact and a limit is meant for good, though no word says so.
        (
            "I'm partially sighted, use large print and never send text as images",
            ["I'm partially sighted", "use large print", "never send text as images"],
        ),
        ("My son is allergic to eggs, write me a menu", ["My son is allergic to eggs"]),
        # A limit in two breaths is one, a limit that is added is another.
        ("no politics, no religion", ["no politics, no religion"]),
        ("two messages a day, max", ["two messages a day, max"]),
        ("call me Jo, and don't use emojis", ["call me Jo", "don't use emojis"]),
        ("My name is Harold and I am 78 years old", ["My name is Harold and I am 78 years old"]),
        ("every Friday at five, send me the budget", ["every Friday at five, send me the budget"]),
    ],
)
def test_what_belongs_together_is_one_item_and_what_does_not_is_its_own(text, spans):
    assert [item.span for item in capture(text)] == spans


@pytest.mark.parametrize(
    "text", ["", " ", "。", "???", "\n\n", "😀", "`x`", "「", "a", "我", "\ue000" * 5, "\0", "\ud800"]
)
def test_texts_with_nothing_in_them_give_nothing(text):
    assert capture(text) == []


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=200))
def test_no_text_raises_and_every_span_is_a_part_of_it(text):
    assert all(item.span and item.span in text for item in capture(text))


def test_a_long_pasted_message_is_read_at_both_ends_only():
    middle = "I live in Berlin. " + "x " * 10_000
    found = [
        item.span for item in capture("I prefer tea.\n" + "y " * 6_000 + middle + "\nNever send me voice messages")
    ]
    assert found == ["I prefer tea", "Never send me voice messages"]


def test_json_lines_answer_every_line_with_time_and_items():
    lines = ['{"id": "a", "text": "I prefer tea"}', "", "broken", '{"id": "b"}', '{"id": "c", "text": 5}', "[]"]
    rows = [json.loads(line) for line in jsonl(lines)]
    assert [row["id"] for row in rows] == ["a", None, "b", "c", None]
    assert rows[0]["items"] == [{"span": "I prefer tea", "tag": "W"}]
    assert all(row["items"] == [] and row["error"] for row in rows[1:])
    assert all(row["ms"] >= 0 for row in rows)


def test_what_a_month_of_a_household_must_keep_is_found():
    total = score([{**row, "kind": ""} for row in labelled.talk()])
    assert total.recall >= 0.96
    assert total.alarm_rate <= 0.01


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Remember that trash day is Wednesday.", "trash day is Wednesday"),
        ("Please remember: the spare key is under the blue pot", "the spare key is under the blue pot"),
        ("remember the alarm code changed to 4411", "the alarm code changed to 4411"),
        ("記住垃圾日是星期三", "垃圾日是星期三"),
        ("帮我记一下，车牌是 ABC-1234", "车牌是 ABC-1234"),
        ("覚えておいて、ゴミの日は水曜日です", "ゴミの日は水曜日です"),
    ],
)
def test_what_is_to_be_remembered_in_so_many_words_is_kept_whatever_it_is_about(text, kept):
    assert capture(text) == [(kept, "O")]


@pytest.mark.parametrize(
    "text",
    [
        "Remember to buy milk.",
        "Remember when we went to Rome",
        "Do you remember my birthday?",
        "I can't remember where I put it",
        "記住要帶傘",
        "别忘了明天开会",
    ],
)
def test_things_to_do_and_a_shared_past_are_no_facts(text):
    assert capture(text) == []


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("卵アレルギーがあります", "O"),
        ("妻の誕生日は3月14日です", "O"),
        ("私は大阪に住んでいます。", "O"),
        ("夜11時以降は連絡しないでください。", "B"),
        ("22時から7時まで静かにして", "B"),
        ("ファイルを消す前に必ず聞いてください", "B"),
        ("返事は短くしてください", "W"),
        ("健太と呼んで", "W"),
    ],
)
def test_japanese_is_read_by_the_end_of_its_sentences(text, tag):
    assert tags(text) == [tag]


@pytest.mark.parametrize(
    "text",
    [
        "明日の天気は？",
        "電気を消して",
        "彼は肉を食べないと言っていた",
        "今日は疲れた",
        "写真を送ってください",
        "アレルギーかも",
    ],
)
def test_japanese_tasks_guesses_and_other_voices_hold_nothing_to_keep(text):
    assert capture(text) == []


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("I'm allergic to peanuts. Write me a long story.", ["I'm allergic to peanuts"]),
        ("我对花生过敏。给我写个故事吧", ["我对花生过敏"]),
        ("My dog is called Rex. Write a poem about him.", ["My dog is called Rex"]),
        ("New character: my aunt Peg never tips. Give her a catchphrase", []),
        ("豆腐娘子对石磨说：我不要再转了。编个小传奇", []),
        ("Write me a story. I'm allergic to peanuts in it.", []),
    ],
)
def test_what_is_said_before_a_story_is_asked_for_is_kept(text, kept):
    assert [item.span for item in capture(text)] == kept


@pytest.mark.parametrize("text", ["i cant eat gluten", "im allergic to nuts", "dont call me at work"])
def test_an_apostrophe_that_was_left_out_is_put_in(text):
    assert [item.span for item in capture(text)] == [text]


@pytest.mark.parametrize(
    ("text", "kept"), [("我喜歡洗碗的時候配老歌🎵", 1), ("🎵 I hate the rain, never leave me 🎵", 0)]
)
def test_a_note_behind_a_message_makes_no_song_of_it(text, kept):
    assert len(capture(text)) == kept
