"""Words of every language, made findable by an ordinary full-text table.

Chinese, Japanese and Korean do not put blanks between words, so every run of their characters is also written as its
1- and 2-grams, folded to Simplified Chinese: a word of two characters is found, in either script. Everything else is
left to FTS5 (`porter unicode61`). No text can make a query that FTS5 refuses: each term is a quoted string.
"""

from __future__ import annotations

import functools
import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from appliance.memory.word_forms import family, plain_form, plain_forms

Script = Literal["latin", "han", "kana", "hangul"]
SCRIPTS: tuple[Script, ...] = ("latin", "han", "kana", "hangul")

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3005\u3007\U00020000-\U000323af"
_KANA = "\u3041-\u30ff\u31f0-\u31ff"
_HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
_THAI = "\u0e00-\u0eff"  # Thai and Lao write without blanks too
_RUN = re.compile(f"[{_HAN}{_KANA}{_HANGUL}{_THAI}]+")
_HAN_CHAR = re.compile(f"[{_HAN}]")
_KANA_CHAR = re.compile(f"[{_KANA}]")
_HANGUL_CHAR = re.compile(f"[{_HANGUL}]")
_HIRAGANA_CHAR = re.compile("[\u3041-\u309f]")
# Vowel signs and accents belong to their word, in Hindi as in decomposed Latin; Python's \\w leaves them out.
_MARKS = "".join(chr(code) for code in range(0x300, 0x1E00) if unicodedata.category(chr(code)).startswith("M"))
_WORD = re.compile(f"(?:[^\\W_]|[{_MARKS}])+")
# A name with marks inside, to be found as one: nas-01, 2026-03-31, error:X, v1.2.3, sam@example.org
_NAME = re.compile(r"[A-Za-z0-9]+(?:[-_.:/@+][A-Za-z0-9]+)+")

MAX_TERMS = 48  # of one query; what a person asks has fewer, a pasted page has thousands

STOP_WORDS = frozenset(
    """a about above after again all also am an and any anyone anything are aren as at back be because been
    before being below between both but by can cannot could couldn d did didn do does doesn doing don done down
    during each else ever every few for from further get gets getting go goes going gone got had hadn has hasn
    have haven having he her here hers herself him himself his how i if in into is isn it its itself just kind
    let ll look lot m made make may maybe me might mine more most much must my myself need no nor not now of off
    often on once one only or other our ours out over own please quite re really s said same say says shall she
    should shouldn so some someone something sort still such t tell than that the their theirs them then there
    these they thing things think this those through to too type under until up upon us use used ve very was
    wasn way we well were weren what whatever when where whether which while who whom whose why will with won
    would wouldn yes yet you your yours yourself""".split()
)
# Characters that carry grammar rather than meaning, in Simplified.
STOP_CHARACTERS = frozenset(
    "的了吗呢吧啊呀是在我你您他她它们这那哪有和与跟或就也都还要会能可以不没很把被给让对从到为之其而于所么什怎谁几个些吗该请用户做着过"
)
_HIRAGANA_PARTICLES = frozenset("のをはがにでともへやかねよわなしてたすますですいるれうこそあ")


@dataclass(frozen=True, slots=True)
class Query:
    """A question made ready: `plain` is it folded, `terms` are its folded words (none when no word is left), `names`
    those with marks inside."""

    text: str
    plain: str
    terms: tuple[str, ...]
    names: tuple[str, ...]
    script: Script

    @property
    def families(self) -> frozenset[str]:
        """The terms, each in the name of its family."""
        return frozenset(map(family, self.terms))


@functools.lru_cache(maxsize=1)
def _folding() -> tuple[dict[int, str], dict[str, str], re.Pattern[str]]:
    """OpenCC's tables: characters to Simplified, and Taiwan's words to the mainland's (軟體 to 软件). Read once."""
    import opencc

    tables = Path(opencc.__file__).parent / "dictionary"
    characters: dict[int, str] = {}
    phrases: dict[str, str] = {}
    for line in (tables / "TSCharacters.txt").read_text(encoding="utf-8").splitlines():
        source, _, targets = line.partition("\t")
        if len(source) == 1 and targets:
            characters[ord(source)] = targets.split()[0]
    for line in (tables / "TWPhrasesRev.txt").read_text(encoding="utf-8").splitlines():
        source, _, targets = line.partition("\t")
        if len(source) > 1 and targets:
            phrases[source.translate(characters)] = targets.split()[0].translate(characters)
    longest_first = sorted(phrases, key=len, reverse=True)
    return characters, phrases, re.compile("|".join(map(re.escape, longest_first)))


def fold(text: str) -> str:
    """Compatibility forms, lower case, Simplified characters: the form in which texts are compared."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKC", text).casefold()
    if not _HAN_CHAR.search(plain):
        return plain
    characters, phrases, pattern = _folding()
    return pattern.sub(lambda found: phrases[found[0]], plain.translate(characters))


def script_of(text: str) -> Script:
    """The script that a text is counted under: kana before Han (Japanese uses both), any Han before Latin."""
    if _HANGUL_CHAR.search(text):
        return "hangul"
    if _HIRAGANA_CHAR.search(text) or len(_KANA_CHAR.findall(text)) > 2:
        return "kana"
    return "han" if _HAN_CHAR.search(text) else "latin"


def searchable(text: str) -> str:
    """What goes into the full-text table for `text`: folded, English words in their plain form, each unspaced run as
    its 1- and 2-grams."""
    return _RUN.sub(lambda run: " " + " ".join(_grams(run[0])) + " ", plain_forms(fold(text)))


def _grams(run: str) -> Iterator[str]:
    yield from run
    yield from map("".join, itertools.pairwise(run))
    if _HANGUL_CHAR.match(run) and len(run) > 2:
        yield run  # Korean does have blanks: the whole word is a word


def words_of(text: str) -> list[str]:
    """Folded words and grams of a text, in order, repeats kept."""
    return _WORD.findall(searchable(text))


def present(words: frozenset[str], text: str) -> set[str]:
    """Those of some folded words and grams that stand in a text."""
    plain = fold(text)
    if plain.isascii():
        return {*words.intersection(map(plain_form, _WORD.findall(plain)))}
    found = {*words.intersection(map(plain_form, _WORD.findall(_RUN.sub(" ", plain))))}
    return found.union(word for word in words if word in plain and _RUN.match(word))


def analyse(text: str) -> Query:
    """Given any text at all, make the query. Words are joined by OR and ranked; words of grammar are dropped unless
    nothing else is left."""
    plain = fold(text[:20_000])
    terms = list(dict.fromkeys(_WORD.findall(searchable(plain))))
    telling = [term for term in terms if not _is_grammar(term)]
    kept = (telling or terms)[:MAX_TERMS]
    names = tuple(dict.fromkeys(_NAME.findall(plain)))[:8]
    return Query(text=text, plain=plain, terms=tuple(kept), names=names, script=script_of(text))


def expression(names: Iterable[str], terms: Iterable[str]) -> str:
    """The FTS5 expression that finds any of these."""
    return " OR ".join(f'"{word}"' for word in (*names, *terms))


def _is_grammar(term: str) -> bool:
    if term in STOP_WORDS:
        return True
    if not _RUN.fullmatch(term) or len(term) > 2:
        return False
    if len(term) == 1 and (_KANA_CHAR.match(term) or _HANGUL_CHAR.match(term)):
        return True  # one syllable of Japanese or Korean says nothing
    return all(character in STOP_CHARACTERS or character in _HIRAGANA_PARTICLES for character in term)
