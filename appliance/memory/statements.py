"""What a plain statement is when no cue tells: by what it is about, and unless it is of the moment.

The last resort of judgement.py: "I keep the spare key under the blue pot" has no word that marks a fact, only a subject
of the household and nothing that ties it to this conversation or this hour.
"""

from __future__ import annotations

import re

from appliance.memory import words_en, words_zh
from appliance.memory.anchors import cue

_HAN = re.compile("[\u4e00-\u9fff]")
_ZH_WHEN = (
    r"(?:其实|现在|目前|平时|平常|最近|今年|去年|明年|[上下]个?(?:月|周|礼拜)|这学期|这几天|这阵子|已经|从小"
    r"|一直|昨天|前天|周[一二三四五六日末]"
    r"|白天|晚上|早上|因为|所以|而且|但|不过|原来|终于|自从)*"
)
_ZH_SUBJECT = re.compile(rf"^{_ZH_WHEN}(?:我|咱|俺|本人|家里|家中|(?:公司|单位|办公室)?{words_zh.HOME})")
# Spoken to the agent, of what is going on just now, or of what somebody thinks and says.
_ZH_MOMENT = cue(
    r"你|您|只.了|这[道题]|昨天的|[吧呢吗嘛啊呀哈了过]$|看到|看完|发现|[吃喝付传]了|没睡"
    r"|我的(?:意思|文件|代码|截图|问题|任务|消息|快递)"
    r"|我们?要(?!上|接|带|照|值|搭)|昨晚|中午|上午|下午|笔下|客人|好吵|都看|谢|哈哈|一下|刚才|刚刚|这个|那个"
    r"|那条|这条|想|觉得|感觉|知道|说|问|看看|试|等|先(?!生)|马上|待会|回来|出门|睡了|到了|来了|醒了|[在好太很]忙"
    r"|去(?:了|吃|洗|睡|拿|买|倒|接|上|看|开|忙)"
    r"|发(?:给|了|错|过)|今天|今晚|今早|明天|明早|现在在|懂|明白|猜|怀疑|担心|无语|服了|笑|晕|靠|擦|天哪"
    r"|累|困|饿|渴|没事|没问题|没空|没时间|好像|可能|估计|应该|随便|都行|ok|同意|搞定|找|弄|坏|连不上"
    r"|打不开|卡[住死了顿]|报错|失败|崩|挂|要不|帮|请|别|不要|删|改一|收到|忘了|选|点(?:了|击)|下载|上传"
    r"|运行|安装|登录|重启"
    r"|\b(?:out|off|busy|done|back|here|agree|see|guess|know|think|check|go)\b"
)
_EN_SUBJECT = re.compile(
    r"^(?:(?:these days|nowadays|lately|currently|most days|every \w+|on \w+days),? )?(?:(?:i|we|i'm|im|we're|i've"
    rf"|we've|both|mine|ours|my|our|dad|mum|mom|gran|grandma|grandpa|granddad)\b|(?:the|our|my"
    rf"|both) (?:\w+ )?(?:{words_en.KIN}|{words_en.DEVICE})\b)"
)
_EN_KIN = re.compile(rf"(?:my|our) {words_en.KIN} \w+(?<!ss)s\b")
_EN_MOMENT = re.compile(
    r"\b(?:give up|motto|saying|freezing|aching|itching|sweating|you|your|this(?! (?:term|year|season|winter"
    r"|summer))|that|it|think|thought|wants?|wanted|know|knew|need to|guess|hope"
    r"|wonder|try"
    r"|tried|trying"
    r"|going|gonna|today|tonight|tomorrow|now|see|saw|look|looking|said|says?|told|tell|ask|asked|mean|meant|feel"
    r"|sorry|sure|ok|okay|can|could|will|'ll|would|'d|should|might|(?<!in )(?<!of )(?<!until )(?<!since )may|just"
    r"|waiting|done|ready|back(?! (?:door|room|garden|yard|gate|porch|bedroom))|here"
    r"|late|busy|tired|hungry|love|loves|agree|forgot|found|sent|click\w*|run|ran|install\w*|restart\w*|error"
    r"|broken|crash\w*|down|stuck|please|help|thanks|anyway|remember|understand|yes|question|idea|problem|minute|second"
    r"|moment|meeting|burnt|spilt|(?:i|we) (?:put|left|paid|set up|prefer)|headache|train leaves|flight|taxi|parcel"
    r"|refund|ate"
    r"|drank|(?<!runs )(?<!run )out|off|was|were|had|went|need|needs|have to|has to|have the|lost"
    r"|changed|version"
    r"|gone|attached|\w+(?<!m)(?<!e)(?<!\bb)(?<!\br)(?<!\bsh)ed|came|made|did)\b"
    rf"|^(?:i|we)(?:'ve| have)(?: got)? (?:an?|some|\w+) (?:\w+ )?{words_en.TRIFLE}s?\b"
    r"|^(?:i'm|im|we're) (?:\w+ing|in|on|at|a bit|so|too|very)\b"
)
# What the agent makes or shows, spoken of in general, and how I take it: "walls of text and I don't get along".
_ZH_OUTPUT = (
    r"(?:文字|字数?|长文|段落|缩写|术语|公式|英文|数字|小数点?|单位|表格|列表|清单|图表?|图片|照片|视频|链接|标题"
    r"|主题|摘要|总结|回复|回答|邮件|排版|版式|格式|字体|颜色|弹窗|页面|菜谱|例子|示例|表情|感叹号|废话|寒暄|套话"
    r"|客套话|地图|路线|text|paragraph|acronym|summary|list|table|bullet|email|subject|chart|photo|link|emoji"
    r"|pop-?up|format|decimal)s?"
)
_ZH_TASTE = re.compile(
    rf"^(?:我)?[^，,。我你]{{0,8}}{_ZH_OUTPUT}(?!发|传|寄|给|放|存|改)[^，,。你]{{0,8}}"
    r"(?:我(?!的|家|们|刚|已|放|存|传|发|写|删|改|加|做|先)[^，,。]{2,}|越[^，,。]{1,5}越[^，,。]{1,})"
)
_EN_OUTPUT = (
    rf"(?:{words_en.OUTPUT}|text(?! me)|paragraphs?|acronyms?|bullets?|emails?(?! me)|subject lines?|photos?"
    rf"|pictures?|links?|emojis?"
    r"|pop-?ups?|fonts?|colou?rs?|pages?|numbers?|decimals?|videos?|headings?|jargon|abbreviations?|maps?)"
)
_EN_TASTE = re.compile(
    r"^(?!the \w+ (?:is|was|are)\b|(?:tell|answer|show|give|send|read|write|list|explain|draft|report)\b)"
    rf"(?:[a-z-]+ ){{0,4}}{_EN_OUTPUT}\b.*\b(?:me|i|i'm)\b"
)


# "Lately sleeping badly": the person goes without saying.
_ZH_LATELY = re.compile(
    rf"^(?:最近|近来|这阵子|这段时间|这几天|这几个月)(?:我|{words_zh.KIN})?(?:都|总|老|老是|一直|天天|又|也|每天)*"
    rf"(?:{words_zh.CHANGE}|睡|起|吃|喝|走|跑|做|看|听|读|写|打|玩|画|练|养|带|忙|胃口|失眠|咳|熬)[^，,。]{{2,}}"
)


def likely_taste(clause: str) -> bool:
    """Given a folded clause that no cue marks, return True when it says how I take a kind of thing."""
    if _HAN.search(clause):
        return _ZH_TASTE.match(clause) is not None and _ZH_MOMENT.search(clause) is None
    return _EN_TASTE.match(clause) is not None and _EN_MOMENT.search(clause) is None


def likely_fact(clause: str) -> bool:
    """Given a folded clause that no cue marks, return True when it states something lasting about the household."""
    if _HAN.search(clause):
        if _ZH_MOMENT.search(clause.removesuffix("了")):
            return False
        plain = len(clause) >= 6 and not clause.endswith("了") and _ZH_SUBJECT.match(clause) is not None
        return plain or _ZH_LATELY.match(clause) is not None
    return (
        clause.count(" ") >= (2 if _EN_KIN.match(clause) else 3)
        and _EN_SUBJECT.match(clause) is not None
        and _EN_MOMENT.search(clause) is None
    )
