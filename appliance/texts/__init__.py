"""What the appliance itself says, in English, Traditional and Simplified Chinese.

`say(key, language, **values)` fills a text; an unknown key is a KeyError, so a missing text cannot be shipped.
A tuple holds (en, zh-Hant, zh-Hans).
"""

from __future__ import annotations

import re
from typing import Literal

from appliance.texts.acting import ACTING
from appliance.texts.first_run import FIRST_RUN
from appliance.texts.health import HEALTH
from appliance.texts.memory import MEMORY
from appliance.texts.models import MODELS
from appliance.texts.money import MONEY
from appliance.texts.pages import PAGES
from appliance.texts.people import PEOPLE
from appliance.texts.sections import SECTIONS
from appliance.texts.talk import TALK

Language = Literal["en", "zh-Hant", "zh-Hans"]
_INDEX: dict[str, int] = {"en": 0, "zh-Hant": 1, "zh-Hans": 2}
_HAN = re.compile("[\u4e00-\u9fff]")
_KANA_OR_HANGUL = re.compile("[\u3040-\u30ff\uac00-\ud7af]")
# Characters that exist in one script only; enough to tell which a person writes.
_SIMPLIFIED = set(
    "们这说时对会发过没问来国学开为么样经动长电话头车东马鸟鱼龙书买卖见贝风飞业两严丧个丰临丽举义乐习乡争于亏云亚产亲亿仅从仓仪价众优伙传伤伦伪体余债关兴养写农冲决况冻净凉减几凤击创别刚剂剧劝办务劳势区医华协单卫厂厅历压厌县叁参双变叙"
)
_TRADITIONAL = set(
    "們這說時對會發過沒問來國學開為麼樣經動長電話頭車東馬鳥魚龍書買賣見貝風飛業兩嚴喪個豐臨麗舉義樂習鄉爭於虧雲亞產親億僅從倉儀價眾優夥傳傷倫偽體餘債關興養寫農衝決況凍淨涼減幾鳳擊創別剛劑劇勸辦務勞勢區醫華協單衛廠廳歷壓厭縣參雙變敘"
)

TEXTS: dict[str, tuple[str, str, str]] = {
    **TALK, **MODELS, **MONEY, **ACTING, **MEMORY, **PEOPLE, **PAGES, **SECTIONS, **FIRST_RUN, **HEALTH
}  # fmt: skip


def say(key: str, language: str = "en", **values: object) -> str:
    """Return the text `key` in `language` (unknown languages get English), filled with `values`."""
    return TEXTS[key][_INDEX.get(language, 0)].format(**values)


def part_name(name: str, language: str) -> str:
    """The name of a part of the house; a channel's is its own."""
    return say(f"part_{name}", language) if f"part_{name}" in TEXTS else name


def language_of(text: str, default: Language = "en") -> Language:
    """Guess which of the three languages a person writes; Japanese and Korean get the default."""
    if _KANA_OR_HANGUL.search(text) or not _HAN.search(text):
        return default
    simplified = sum(c in _SIMPLIFIED for c in text)
    traditional = sum(c in _TRADITIONAL for c in text)
    if simplified == traditional:
        return default if default != "en" else "zh-Hans"
    return "zh-Hans" if simplified > traditional else "zh-Hant"
