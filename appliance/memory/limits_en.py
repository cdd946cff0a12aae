"""How people say in English what the agent may not do (tag B)."""

from appliance.memory.words_en import any_of

# What must not be done: the words that forbid.
NEGATION = any_of(
    r"^(?:from (?:now|here) on|going forward|in (?:the )?future),? (?:nothing|nobody|no one|no) \w+",
    r"\bleave (?:\w+ ){1,3}out of (?:this|it|that)\b",
    r"\bi(?:'d| would) rather (?:nobody|no one|they|people) (?:knew|saw|heard|found|didn)",
    r"\bonly (?:wake|call|ping|message|text|notify|disturb|alert) me (?:for|if|when|about)\b",
    r"\bi(?:'d| would) (?:much |really )?(?:rather|prefer) not (?:to )?(?:hear|see|get|be|receive|talk|discuss"
    r"|have|know|read)\b",
    r"^keep (?:\w+[\w'-]* ){1,4}away$",
    r"\b(?:you|the kids?|the children|guests?|visitors?|nobody|they|he|she) (?:can|may|could) .{2,40}\bbut (?:not"
    r"|never|don'?t|no)\b",
    r"(?:\bnot|n't|\bnever) (?:be )?(?:allowed|ok|okay|supposed|permitted|acceptable|meant|cool) (?:to|for|with"
    r"|if)\b",
    r"^nothing (?:gets|is|is to be|may be|should be|can be) \w+ed\b",
    r"^(?:nobody|no one) (?!knows|cares|told|is (?:here|home)|has answered|came|called)\w+",
    r"^nothing (?!beats|to |new|much|yet|happen|works|special|wrong|else|changed|but )\w+",
    r"\b(?:is|are) not to (?:know|be|see|touch|enter|go|find|get|have)\b",
    r"\bkeep (?:\w+(?:'s)? ){1,4}(?:out of|off|away from)\b",
    r"\bleave (?:my|the|our|his|her|all|everything|anything) .{0,30}(?:alone|as (?:is|they are|it is)|untouched"
    r"|\bbe$|where (?:it|they))",
    r"^(?:there's |there is )?no need (?:to|for) (?!remember|keep|worry|rush|panic|hurry|stay|avoid|hold)\w+",
    r"\byou (?:don't|do not) (?:need|have) to (?!worry|do (?:it|this|that)|answer|hurry|rush|wait)\w+",
    r"\btext only\b|\bno audio\b",
    r"\bonly in an emergency\b",
    r"\bonly for emergencies\b",
    r"\bunless (?:it'?s |there'?s )?(?:an |a )?(?:emergency|urgent|fire|life|really|critical)",
    r"\bdon'?t (?:you dare|want \w+ (?:notifications?|alerts?|calls?|messages?|voice|pushes|emails|reminders)"
    r"|want (?:notifications?|alerts?|calls?|voice|pushes|emails|reminders|pop-?ups|ads|updates|anything|any))",
    r"\bi(?:'d| would) rather you (?:didn'?t|don'?t|not|never)",
    r"\byou(?:'re| are) not (?:to|allowed|supposed)",
    r"\bmust (?:not|never)",
    r"\b(?:is|are) (?:a no|not for|banned|forbidden|off the table|nobody's business|none of)\b",
    r"^not (?:a (?:word|peep|sound)|before|after|until|in front|without|during|on)\b",
    r"^nothing (?:leaves|goes|gets|work|about|before|after|on)\b",
    r"^(?:nobody|no one) (?:but|except|else)",
    r"\bsteer clear\b|\bnever leaves?\b",
    r"\bstays? (?:on this|on my|here|in the house|local|offline|at home|between|in this)\b",
    r"\bnone of (?:this|that|it|my)\b",
    r"^(?:only|just) (?:message|ping|call|text|notify|contact|disturb|wake|push|send|alert|ring|email|bother"
    r"|talk to)(?: me| us)? (?:if|when|after|before|on|between|for|in|about|at|during|once)\b",
    r"\b(?:message|ping|call|text|notify|contact|wake|alert|ring|bother) me only\b",
    r"\bkeep (?:my|our|the|any|all) .{2,40} (?:out of|private|secret|off|away|to yourself|confidential|offline"
    r"|local)\b",
    r"\bkeep .{2,30} (?:free of|clear of)\b",
    r"(?:^|, ?)(?:when|while|if|after|before|on|during|at|between) .{2,30}, ?(?:please )?don'?t\b",
    r"^(?:and |but |so |please |pls |plz |just |then |also |maybe |ok |okay |hey |though |, ?)*(?:don'?t|do not"
    r"|dont)\s(?!know|think|worry|mind|bother|(?:really |much )?(?:like|care (?:for|about)|enjoy|love|fancy)\b"
    r"|you dare$|sweat it|get me wrong|forget|need|care|remember|have to|understand|believe|see why|stress|panic"
    r"|be (?:silly|sorry|shy)|give up|feel|you (?:know|think)|hesitate|ask me why)\w",
    r"(?=d)(?<!\bi )(?<!\bwe )(?<!\bthey )(?<!\byou )(?<!\bpeople )(?<!\bkids )(?<!\busers )(?<!\bwho )(?<!\bthat )"
    r"\b(?:don'?t"
    r"|do not|dont)\s(?:ever\s|even\s)?<act>\b",
    r"^(?:and |but |so |please |pls |plz |just |also )*never\s(?:ever\s)?(?!mind|thought|knew|had|did|have|been"
    r"|said|again$|seen|heard)\w+",
    r"(?=n)(?<!\bi )(?<!\bwe )(?<!\bi've )(?<!\bhas )(?<!\bhave )(?<!\bhe )(?<!\bshe )(?<!\bthey )(?<!\bi'd )"
    r"(?<!\bit )(?<!\bwill )\bnever,?\s(?:ever\s)?<act>\b",
    r"^(?:and |but |so |please |pls |plz |just |also )*(?:stop|quit(?!.*(?:了$|\btoday)|.*\b(?:ago|last|since"
    r"|yesterday|this (?:week|month|year|spring|summer|autumn|winter)|in (?:<months>))\b)|cease|avoid|refrain from"
    r"|skip|drop|ditch|cut)\s(?!it\b|that\b|by\b|here\b|there\b|the (?:rest|first|second|third|last|next|container"
    r"|server|service|process|job|script|timer|music|build|bot|download|stack))(?:the |all |any |with |out )*\w+",
    r"^(?:and |but |so |please |pls |plz |also |absolutely |strictly |maybe |perhaps |just )*no\s(?!idea|problem"
    r"|worries|one|rush|thanks|thank|need|way|wonder|matter|luck|clue|doubt|big deal|biggie|hurry|offen[cs]e"
    r"|longer|more (?:questions|coffee)|kidding|pressure|reason|change|news|stress|i\b|it\b|that\b|this\b|not\b"
    r"|but\b|you\b|we\b|he\b|she\b|they\b)\w+",
    r"^nothing\s.{0,40}\b(?:on|after|before|between|during|at|about)\b",
    r"\b(?:off[- ]limits|hands off|strictly forbidden|is forbidden|are forbidden|not allowed|read-only for you"
    r"|out of bounds|no-go|taboo|a hard no|(?:is|are) banned|not ok(?:ay)? (?:to|with|for)|is private|are private"
    r"|stays? private|under no circumstances|do not disturb|leave (?:\S+ ){1,5}alone|(?:keep|stay) (?:out of"
    r"|away from|off|clear of)|keep your hands off|not to be (?:shared|posted|touched|deleted|used))\b",
    r"\byou (?:must ?n[o']t|mustn't|may not|(?:can ?not|can't)(?! (?:hear|see|miss|tell|beat|smell|feel|believe"
    r"|imagine))|should ?n[o']t|shouldn't|should never|must never|are never|aren't to|are not to|shall not|needn't"
    r"|don't get to|have no business)\b",
    r"\bi (?:don'?t|do not|never) (?:ever )?want (?:you|any|to (?:be|get|receive|see|hear)|anything|my)\b",
    r"\bi'?d rather you (?:didn'?t|not)",
    r"\bi(?:'d| would) (?:prefer|appreciate it|like it) (?:you|if you) (?:not|didn'?t|never|stopped)",
    r"\bwithout (?:voice|emojis?)\b",
)
# What waits for my word: "ask me first", "nothing without my okay".
ASK_FIRST = any_of(
    r"^ask(?: me)?$",
    r"\brun (?:\w+ ){1,3}(?:by|past) me\b",
    r"(?:^(?:please |always )?(?:show|send|give|read|run) me (?:a|an|the) (?:preview|draft|copy|look|list|summary"
    r"|quote) before\b|\b(?:approved|confirmed|signed off|okayed|checked|cleared|vetted) by me\b|\b(?:needs?"
    r"|requires?|gets?|takes?|wants?) (?:a |my |the )?(?:yes|green light|thumbs[- ]up|nod|sign-?off|okay|ok"
    r"|approval|blessing)(?: from me)?\b|\b(?:check|clear (?:it|that|this)|confirm|consult) with me\b|(?:\bif"
    r"|\bwhen|over|above|more than|bigger than|longer than|costs?|spend).{2,40}\b(?:ask|tell|warn|ping|check) me\b"
    r"|\b(?:ask|check with|consult|tell|ping|confirm with|clear (?:it|that|things) with|run (?:it|that|things"
    r"|everything|anything) (?:by|past)|warn|message|text|get|come to|show)\s(?:me|us)\b.{0,24}\b(?:first(?=$|,"
    r"| (?:and|before|please|if|when))|beforehand|before(?= (?:you|any|we|i|\w+ing)\b"
    r"|(?<!evening before)(?<!day before)(?<!night before)(?<!week before)$)|up front|okay|ok|approval|permission"
    r"|go-ahead)\b|\bask (?:me )?(?:first|before)|before (?:you )?\w+ing.{0,40}\b(?:ask|check|confirm|tell me"
    r"|let me)|\bwithout (?:asking|checking|my|me|confirming|permission|approval|consent|telling|running)"
    r"|\b(?:need|needs|require|requires|wait for|get|only with|with|until you have"
    r"|unless you have) my (?:explicit |written |prior )?(?:ok|okay|approval|permission|go-ahead|sign-?off|say-so"
    r"|consent|blessing|confirmation|nod)|\bunless i (?:say|approve|ask|tell|explicitly|confirm|said|okay|ok"
    r"|specifically|request)|\bonly (?:if|when|after|once) i(?:'ve)? (?:say|said|approve|confirm|ask|okay|ok|tell)"
    r"|\blet me (?:read|hear|look|proof\w*|approve|confirm|review|check|see|ok|okay|sign off).{0,24}\b(?:before"
    r"|first)|\b(?:i|me) (?:want|have|need|get) to (?:approve|confirm|sign off|okay)|\buntil i (?:say|approve"
    r"|confirm|ok|okay|give)|\bmust be (?:approved|confirmed) by me|\b先问|\bask me first)",
)
# Limits without a word that forbids: quiet, waiting, secrecy, whose business it is.
QUIET = any_of(
    r"^keep (?:the|my|our|all|any) \w+ (?:down|low|off|quiet|muted)\b",
    r"^(?:i'm|im|i am) (?:offline|unavailable|unreachable|asleep)$",
    r"^keep .{2,30} (?:switched off|turned off|closed|locked|muted)\b",
    r"^(?:silence|quiet|peace)(?: please)? (?:after|before|between|from|until|till|during|at|on)\b",
    r"^(?:(?:phone |voice |video )?(?:calls?|messages?|texts?|alerts?|notifications?|pushes|updates?|reminders?"
    r"|news|pings?|emails?|music|visits?|work)) (?:\w+ )?only (?:after|before|between|on|during|from|until|when|if"
    r"|in)\b",
    r"\b(?:should|must|may|can|will) never (?:be|appear|show up|leave|reach|get|go|end up|turn up)\b",
    r"\b(?:it|that|this) waits for (?:me|us|my)\b",
    r"\bstays? (?:out of|away from|clear of|in (?:the|this|here|there))\b",
    r"\b(?:off|down|muted|silent|hidden|away) would be (?:wise|best|better|good|nice|safer|great|kind|appreciated)\b",
    r"\b(?:doesn't|does not|don't|do not|never) leaves? (?:this|the|our|my)\b",
    r"\b(?:alerts?|notif\w+|pings?|alarms?|messages?|announcements?|reminders?|doorbell"
    r"|speakers?) (?:\w+ )?(?:made|woke|wakes?|startled|scared|frightened) (?:me|us|the|my|our|every\w+)\b",
    r"\b(?:sound|audio|voice|calls?|calling|ringing|push\w*|notif\w+|alerts?|speakers?|music|noise|sharing|posting"
    r"|pings?)\b.{0,24}\b(?:is|are|would be|'s) (?:a |not )?(?:really |very |just |too )*(?:bad|terrible|no good"
    r"|awkward|out|an option|impossible|a no)\b",
    r"^stick to \w+ (?:after|before|between|during|at|when|while|on|until)\b",
    r"\b(?:pings?|alerts?|notif\w+|buzz\w*|rings?|reminders?|calls?)\b.{0,24}\bmakes? me\b",
    r"\bi(?:'d| would) hate for .{2,40} to (?:see|hear|know|find|read)\b",
    r"\bi(?:'d| would) (?:be (?:mortified|horrified|embarrassed|furious|upset|heartbroken|devastated|ashamed"
    r"|livid)|die|hate it|never forgive|freak out)\b.{0,24}\bif\b",
    r"\b(?:phone|pings?|notif\w+|alerts?|messages?|buzz\w*|ring\w*|anything|sounds?|noise"
    r"|calls?)\b.{0,40}\b(?:wakes?|woke|startles?|scares?)\b",
    r"\bi (?:forbid|won't have|won't allow|will not have|refuse to let)\b",
    r"\bgoes? (?:silent|quiet|dark)\b",
    r"\bstays? (?:off|shut|locked|closed|silent|dark|muted|put|here|secret|private|offline)\b",
    r"\b(?:is|are) (?:my|our) (?:job|business|call|decision|department)\b",
    r"\bbetter left (?:off|out|unsaid|alone)\b",
    r"\bi(?:'ll| will) (?:do|handle|take care of) the \w+ing\b",
    r"\byou never (?:need|have) to\b",
    r"\bwaits? (?:till|until)\b",
    r"\bread[- ]only (?:for|on|please|access)",
    r"\bkeep quiet about",
    r"\bonly i (?:press|send|post|decide|approve|publish|pay|get to|may|can)\b",
    r"\bgo(?:es)? through me\b",
    r"\b(?:forbidden|barred|banned|prohibited) from\b",
    r"^(?:only|just) (?:i|me|we|my|our|the)\b.{0,30}\b(?:may|can|gets? to|should|is allowed|are allowed|touch"
    r"|touches)\b",
    r"\b(?:for me|for us|mine|ours) (?:only|alone)\b",
    r"\bleave (?:it|that|this) to me\b",
    r"^(?:after|before|between|during|on|at|from|past) .{2,30} no \w+",
    r"^(?:please )?hide (?:my|our)",
    r"\b(?:is|are) never to be\b",
    r"\bi (?:don't|do not) need (?:a|an|any|your|to be|you to)\b",
    r"\b(?:volume|noise|sound) (?:down|low|off)\b",
    r"\bstays? between\b",
    r"\bbetween (?:you two|the two of)\b",
    r"\blet (?:me|us) (?:sleep|rest|be)\b",
    r"\b(?:not|isn't|aren't|never) (?:yours|your (?:job|business|call|decision|place))\b",
    r"\bhold my calls\b",
    r"\bcan wait (?:until|till)\b",
    r"\bi (?:don't|do not|never) (?:check|look at|read|answer|take|do|pick up|touch|respond|reply|use|open|see"
    r"|work|want to hear|deal with) .{0,30}\b(?:after|before|on (?:sat|sun|week|mon|fri)|during|past|between"
    r"|at night|weekends?|at (?:dinner|weekends|lunch))\b",
    r"\b(?:i'm|i am|im|my phone is) (?:offline|off|unavailable|unreachable|asleep|not available|not reachable"
    r"|out of reach|off limits|dead to the world|on silent|in do not disturb) .{0,12}\b(?:after|before|on|until"
    r"|till|from|between|during|at|every)\b",
    r"\b(?:quiet (?:hours|time)|do not disturb|dnd|between us|between you and me|to yourself|our secret"
    r"|confidential|keep (?:it|this|that|quiet|my \w+) (?:secret|private|quiet|down|between|to yourself|out of)"
    r"|hush|mute|silence|hold (?:all |any |my |the |off |everything|non)|go silent|stay silent|stay quiet"
    r"|be quiet (?:after|from|between|until|before|on)|silence|leave me (?:alone|be) (?:on|after|before|between"
    r"|until|from|during|in|at|when))\b",
)
# How much at most.
LIMIT = any_of(
    r"\b(?:one|two|three|four|five|\d+) .{0,24}\b(?:is|are) (?:the|my|our) (?:limit|max\w*|most)\b",
    r"\blimit yourself\b",
    r"\b(?:at most|no more than|not more than|max(?:imum)?(?: of)?|up to|cap|limit|less than|under"
    r"|keep .{0,20} (?:under|below))\b.{0,24}(?:\$|dollars?|euros?|pounds?|usd|eur|cents?|notifications?|messages?"
    r"|pings?|pushes|alerts?|a day|per day|an hour|per hour|a week)\b",
)
# The same asked politely: "could it wait until morning?"
SOFT_LIMIT = any_of(
    r"\b(?:could|can)\b.{2,24}\bbe (?:silent|quiet|muted|off)\b",
    r"\b(?:mind|watch|careful) (?:what|how) you (?:post|say|write|share)\b",
    r"\b(?:could|can|would)\b.{0,24}\b(?:sent|come|arrive|posted|delivered) (?:in the morning|after|later|at|by)\b",
    r"\bany way (?:to|you (?:could|can)) .{0,24}\b(?:hold|wait|stop|mute|skip|not|batch|silence|quiet)",
    r"\b(?:could|can|would|might|any chance|is it possible|mind|maybe|perhaps)\b.{0,30}\b(?:wait (?:until|till)"
    r"|hold off|keep (?:it|things|this) (?:clean|civil|polite|decent|pg)|keep .{0,14}quiet|(?:mute"
    r"|silence)(?! the \w+$)|not\b|stop"
    r"|skip|batch|save them|fewer|less often|lay off|quieten|h[eo]ld\b|postponed?|batched|go easy|tone down"
    r"|leave .{0,16}(?:until|till|for the morning)|leave out|cut back)",
    r"\b(?:can|could|should) wait (?:until|till)\b",
    r"\bthat (?:can|could) wait$",
    r"^(?:so |and |but |please |maybe )*(?:skip|save|hold|hold off|go easy|leave out|spare me|keep .{0,16}(?:until"
    r"|till)|wait (?:until|till))\b",
)
# What the person cannot do: a fact, no limit for the agent.
SELF_LIMIT = any_of(
    r"\bi (?:don'?t|can'?t|do not|cannot|never) (?!want)",
)
# "Not too long" says a measure rather than a limit.
TOO = any_of(
    r"\btoo\b",
)
# A limit with a time, a place or an owner stands by itself.
TIMES = any_of(
    r"\b(?:after|before|between|during|until|till|unless|when|while|weekends?|weekdays?|nights?|mornings?"
    r"|evenings?|sundays?|saturdays?|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|noon|midnight|dinner|lunch"
    r"|meals|hours?|daytime|bedtime|holidays?|my|our|touch|without asking)\b",
    r"\d",
)
