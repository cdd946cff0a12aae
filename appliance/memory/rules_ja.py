"""Japanese: wants, boundaries and facts, sentence by sentence. Japanese puts the verb last, so the end decides."""

from __future__ import annotations

import re

from appliance.memory.items import Tag

_KANA = re.compile(r"[\u3041-\u3096\u30a1-\u30fa]")
_NOT_OWN = re.compile(
    r"(?:らしい|そうだ|そうです|みたい(?:だ|です)?|と(?:言|聞)|って(?:言|聞)|かも|かな|でしょう|だろう|と思う"
    r"|と思います)"
    r"|^(?:もし|例えば|たとえば)|(?:ですか|ますか|かな|の？|ない？)$|(?:たら|なら)どう"
)
# In text as it was written and in folded text, which has Simplified characters.
TAKE_BACK = (
    r"(?:こと|[话話]|件|メモ|[设設]定|ルール|[约約]束)(?:は|を|も)?(?:もう)?"
    r"(?:忘れて(?![たいまし]|お|る)|取り消して(?![たいまし]|る)|なしにして(?![たいまし]|る)|撤回)"
)
_TAKEN_BACK = re.compile(TAKE_BACK)
_PASSING = re.compile(r"^(?:今日|今夜|今回|さっき|先ほど|今朝|明日|とりあえず)")
_END = r"(?:ね|よ|な|。|！)*$"
_BOUNDARY = re.compile(
    r"(?:ないで(?:ください|下さい|ほしい(?:です)?|くれ|もらえますか)?|(?:ては|ちゃ)(?:いけない|いけません"
    r"|だめ(?:です)?|ダメ(?:です)?)"
    r"|禁止(?:です)?|(?:送|連絡|通知|共有|投稿|削除)(?:するの)?(?:は|を)?(?:やめて|控えて)(?:ください|下さい)?"
    r"|(?:前に|ときは|時は|場合は)(?:は|、)*(?:必ず|まず|先に)?(?:私に|僕に)?(?:聞いて|確認して|相談して"
    r"|許可を取って)(?:ください|下さい)?|(?:[時夜朝中後間]|から|まで|以降)は?(?:、)?静かにして(?:ください|下さい)?)"
    + _END
)
_STANDING = re.compile(r"今後|これから|いつも|毎回|必ず|常に|基本的に|以後|毎[日朝晩週月]|(?:ときは|時は|場合は)")
_REQUEST = re.compile(
    r"(?:[てで](?:ください|下さい|ほしい(?:です)?|くれ)?|でお願い(?:します)?|にして(?:ください)?)" + _END
)
_WANT = re.compile(
    r"(?:と|って)呼んで(?:ください|下さい)?"
    + _END
    + r"|(?:回答|返事|返信|答え|説明|文章)は.{1,20}(?:[てで](?:ください)?|でお願い(?:します)?|がいい(?:です)?)"
    + _END
    + r"|(?:の(?:ほう|方)が|が)(?:いい|好き|好み|嬉しい|助かる)(?:です|ます)?"
    + _END
)
_HOUSEHOLD = (
    r"(?:私|僕|俺|わたし|うち|我が家|家族|妻|夫|旦那|嫁|主人|娘|息子"
    r"|長男|長女|次男|次女|母|父|祖母|祖父|兄|弟|姉|妹|子ども|子供|猫|犬|ペット)"
)
_FACT = re.compile(
    r"アレルギー(?:が|で|を)?(?:ある|あります|です|だ|持って(?:いる|います|る))" + _END
    + rf"|^{_HOUSEHOLD}(?:の[^、はが]{{1,14}})?(?:は|が|も).+(?:です|だ|ます|ました|ません|ない|た|る)" + _END
    + r"|(?:に住んで(?:いる|います|る|ます)|で働いて(?:いる|います|る|ます)"
    r"|が(?:食べられ|飲め)(?:ない|ません)|(?:は|が)苦手(?:です|だ)?)" + _END
)  # fmt: skip


def is_japanese(sentence: str) -> bool:
    """True when kana stand in it."""
    return _KANA.search(sentence) is not None


def judge_japanese(sentence: str, asked: bool) -> Tag | None:
    """Given a sentence of a person, return what it is to be kept as, or None. `asked`: it ends in a question mark."""
    if asked or _NOT_OWN.search(sentence) or _PASSING.match(sentence) or _TAKEN_BACK.search(sentence):
        return None
    if _BOUNDARY.search(sentence):
        return "B"
    if _WANT.search(sentence) or (_STANDING.search(sentence) and _REQUEST.search(sentence)):
        return "W"
    return "O" if _FACT.search(sentence) else None
