"""What each setting is for, in the reader's language. The settings say it in English, for docs/settings.md and the
command line; where the page shows it, the sentence is looked up here by its English form, as gettext does.

An entry is (English, zh-Hant, zh-Hans).
"""

from __future__ import annotations

from appliance.texts.settings.chats import CHATS
from appliance.texts.settings.house import HOUSE
from appliance.texts.settings.models import MODELS
from appliance.texts.settings.reach import REACH

DESCRIPTIONS = (*HOUSE, *MODELS, *CHATS, *REACH)
_IN_CHINESE = {english: {"zh-Hant": hant, "zh-Hans": hans} for english, hant, hans in DESCRIPTIONS}


def described(english: str, language: str) -> str:
    """A setting's description in `language`; as it is for readers of English, and where it is not known."""
    return _IN_CHINESE.get(english, {}).get(language, english)
