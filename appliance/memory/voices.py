"""Which parts of a message are not the person's own statement: quotations, code, addresses, text to translate or send.

Such parts are overwritten with a sign that no rule matches, so that every position stays what it was.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

from appliance.memory.anchors import cue
from appliance.memory.rules import Rules

VOID = "\ue000"
SPOKEN = "\ue001"  # what somebody else said, or is to be told: whoever announces it states nothing either
# Each alternative begins with a character of its own: the engine runs over a text in search of those.
_ADDRESS = r"[^\s\u4e00-\u9fff，。？！]*[^\s\u4e00-\u9fff，。？！?!.,]"
_QUOTES = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|“[^”]*(?:”|\Z)|「[^」]*(?:」|\Z)|『[^』]*(?:』|\Z)|《[^》]*》|〈[^〉]*〉"
    r"|‘[^’\n]{8,}’|'(?<!\w')(?:[^'\n]|(?<=\w)'(?=\w)){4,160}'(?!\w)|\"[^\"\n]*\""
    rf"|https?://{_ADDRESS}|www\.{_ADDRESS}|//(?<=[\s\u4e00-\u9fff]//)\s[^\n]*",
    re.DOTALL,
)
# Up to where the person turns to something else.
_REST = r"(?:(?!\bbtw\b|\bby the way\b|顺便|对了|另外).)*"
# Whole lines that are comments, queries, settings, logs or program text.
_CODE_LINE = re.compile(
    r"^[^\S\n]*(?://|/\*|\*\s|--\s|#(?!\s*\d)\s?\S|>|\$\s|<!--|(?:error|warning|exception|traceback|todo|fixme"
    r"|fatal)\b[^:\n]{0,20}:"
    r"|- \w+: |(?:const|let|var|export)\s\w+\s*=)" + _REST + r""
    r"|^.*(?:\* \* \*|\bselect\b.+\bfrom\b|\b(?:insert into|alter table|create table|delete from|drop table)\b"
    r"|\balias \w+=|\bif ?\(.*\) ?\{|\bgit (?:commit|push|log|add)\b|\b\w+\.\w+\(|\bprint\(|\bdef \w+\("
    r"|\bfunction\b.*\(|=>|\becho\b|\bimport \w+|\bregex\b|\bgrep\b|</\w+>|^[^\S\n]*[{\[].*[}\]][^\S\n]*$"
    r"|\.(?:ya?ml|json|toml|ini|conf|env|py|js|ts|sh|md|css|log)\b.{0,10}[:：里中]|\b\w+_\w+\s*[:=]"
    r"|\b\w+ [=!]= |\s--[a-z]{2})" + _REST,
    re.MULTILINE,
)
# Without any of these there is no such line: looked for first, because that is quicker.
_TYPED = cue(
    r"[/#>$<{=*\[(_]|--|\n[^\S\n]*- |\.[a-z]{2}|\b(?:error|warning|exception|traceback|todo|fixme|fatal|select|insert"
    r"|alter|create"
    r"|drop|delete|git|echo|import|regex|grep)\b"
)
_TURN = re.compile(r"\n|(?<=[。！!？?.；;，,])\s*(?:另外|还有|对了|顺便|\bbtw\b|\bby the way\b|\balso,)")
_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ’‘＇", "abcdefghijklmnopqrstuvwxyz'''")


@functools.lru_cache(maxsize=1)
def _table() -> dict[int, str]:
    """Every character to Simplified, lower case and plain apostrophes, one for one. OpenCC's table, read once."""
    import opencc

    # What OpenCC leaves as it is: variants of Taiwan, and the little words of Cantonese.
    ours = zip(
        "妳裡裏著麼嚒咩覆帳唔冇喺俾畀嘅咗睇佢哋嗰啲嚟嗌揾攞瞓諗仲咁",
        "你里里着么么咩复账不没在给给的了看他们那些来叫找拿睡想还这",
        strict=True,
    )
    table = {ord(source): target for source, target in ours}
    path = Path(opencc.__file__).parent / "dictionary" / "TSCharacters.txt"
    for line in path.read_text(encoding="utf-8").splitlines():
        source, _, targets = line.partition("\t")
        target = targets.split()[0] if targets.split() else ""
        if len(source) == len(target) == 1:
            table.setdefault(ord(source), target)
    table.update({code: chr(value) for code, value in _LOWER.items()})
    return table


def fold(text: str) -> str:
    """The text in Simplified and lower case, of the same length, for the rules to read."""
    return text.translate(_table())


def mask(folded: str, rules: Rules) -> str:
    """Given folded text and its rules, overwrite what is somebody else's or nobody's word."""
    folded = _QUOTES.sub(_void, folded)
    if _TYPED.search(folded):
        folded = _CODE_LINE.sub(_void, folded)
    if rules.announced.search(folded) and (match := rules.payload.search(folded) or rules.reported.search(folded)):
        # What follows is the text to translate, to send, or what somebody said: up to the end of its paragraph, or
        # to where the person turns to something else.
        turn = _TURN.search(folded, match.end())
        end = len(folded) if turn is None else turn.start()
        spoken = SPOKEN * (end - match.end())
        if turn is not None and spoken:
            spoken = spoken[:-1] + "\n"  # there another sentence begins
        folded = folded[: match.end()] + spoken + folded[end:]
    return folded


def _void(match: re.Match[str]) -> str:
    return "".join("\n" if character == "\n" else VOID for character in match.group())
