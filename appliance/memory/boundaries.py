"""What of a boundary code can obey without a model, besides quiet hours (automation/quiet.py): no pushes, no voice.

A boundary that names a time or an occasion is left to quiet hours and to the model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from appliance.memory.items import Item
from appliance.memory.voices import fold

_FORBIDS = (
    r"(?:别|不要|不用|不必|不想|不准|不许|请勿|勿|少|停止|禁止|关掉"
    r"|\b(?:no|never|stop|don'?t|do not|without|avoid)\b)[^，,。]{0,20}?"
)
_FORBIDS_JA = r"[^、，,。]{0,12}?(?:ないで|やめ|控え|禁止|不要|いらない|切って|オフ|だめ|ダメ|なし)"
_PUSHES = re.compile(
    rf"{_FORBIDS}(?:推送|推播|推(?!荐)|\bpush)|(?:推送|推播|\bpush\w*)[^，,。]{{0,8}}(?:关|免|停|off\b)"
    rf"|プッシュ{_FORBIDS_JA}"
)
_VOICE = re.compile(
    rf"{_FORBIDS}(?:语音|\b(?:voice|audio)\b)"
    r"|语音[^，,。]{0,8}(?:别|不要|不方便|免|不行)|\btext only\b"
    rf"|(?:音声|ボイス){_FORBIDS_JA}"
)
_AT_TIMES = re.compile(
    r"\d|点|早|晚|朝[はにの]|曜|夜|凌晨|午|周|星期|礼拜|的时候|期间|前|后"
    r"|\b(?:nights?|mornings?|evenings?|noon|\w+days?|weekends?|after|before|between|during|while|when|until|unless)\b"
)


def no_pushes(text: str) -> bool:
    """Whether a boundary forbids pushes to a phone for good."""
    return _says(_PUSHES, text)


def no_voice(text: str) -> bool:
    """Whether a boundary forbids voice messages for good."""
    return _says(_VOICE, text)


def limits_of(items: Iterable[Item], person: str) -> list[str]:
    """Given items that hold now, the boundaries of this very person, those that are only guessed left out."""
    return [item.text for item in items if item.tag == "B" and item.person == person and not item.inferred]


def _says(pattern: re.Pattern[str], text: str) -> bool:
    said = fold(text)
    return pattern.search(said) is not None and _AT_TIMES.search(said) is None
