"""How people say in English what the agent may not do (tag B)."""

from appliance.memory.words_en import any_of

# What must not be done: the words that forbid.
NEGATION = any_of(
    r"^(?:from (?:now|here) on|going forward|in (?:the )?future),? (?:nothing|nobody|no one|no) \w+",
    r"\bleave (?:\w+ ){1,3}out of (?:this|it|that)\b|^(?:please )?leave (?!it\b|them|this"
    r"|that)(?:[\w']+ ){1,3}out of (?!the (?:box|bag|fridge))",
    r"\b(?:isn't|is not|aren't|are not) (?:for (?:visitors|guests|kids|strangers|sharing|everyone|others|the (?:kids"
    r"|guests))|something to"
    r"|meant for)\b",
    r"\b(?:names?|faces?|photos?|pictures?|address|data|details|numbers?|passwords?|recordings?|files?|results?"
    r"|secrets?) (?:\w+ )?(?:never"
    r"|must not|mustn't|shouldn't|should not|are not to) (?:go|leave|appear|belong|get|end up|show up|come up)\b",
    r"\b(?:recordings|files|photos|data|backups|logs|pictures|documents|scans|notes) stay (?:on|in|at|inside"
    r"|within) (?:this|my|the|our)\b",
    r"\b(?:spends?|payments?|purchases?|orders?|bookings?|everything|changes?|requests?|decisions?|posts?"
    r"|bills?) (?:goe?s?|runs?)"
    r" (?:through|past|by|via) (?:me|us|my \w+)\b",
    r"^enough (?!time|money|space|room|people|said|is|for|already|to\b)\w+(?: \w+)?s$|\b(?:read|view) access only\b",
    r"^(?:please,? )?not (?:another|one more|a single|by|via|out loud|aloud|while|when)\b",
    r"\bi(?:'d| would) rather (?:nobody|no one|they|people) (?:knew|saw|heard|found|didn)",
    r"\bonly (?:wake|call|ping|message|text|notify|disturb|alert) me (?:for|if|when|about)\b",
    r"\bi(?:'d| would) (?:much |really )?(?:rather|prefer) not (?:to )?(?:hear|see|get|be|receive|talk|discuss"
    r"|have|know|read)\b",
    r"^keep (?:\w+[\w'-]* ){1,4}away$",
    r"\b(?:you|the kids?|the children|guests?|visitors?|nobody|they|he|she) (?:can|may|could"
    r"|are welcome to) .{2,40}\bbut (?:not"
    r"|never|don'?t|no)\b",
    r"(?:\bnot|n't|\bnever) (?:be )?(?:allowed|ok|okay|supposed|permitted|acceptable|meant|cool) (?:to|for|with"
    r"|if)\b",
    r"^nothing (?:gets|is|is to be|may be|should be|can be) \w+ed\b",
    r"^(?:nobody|no one) (?!.* like you\b|\w+ed\b|knows|cares|told|is (?:here|home)|has answered|came|called)\w+",
    r"\bgive (?:the|those|your) .{2,24} a (?:rest|break)\b|^let'?s not (?:talk|discuss|mention|bring|use|put|share"
    r"|post|tell)\b",
    r"^only (?:take|listen|answer|respond|obey|accept)\b.{0,20} (?:to|from) (?:me|us|my)\b|^(?:<act>"
    r"|wipe) (?:nothing|nobody|no one)\b",
    r"^(?:the )?(?:kids?|children|guests?|visitors?|twins|boys|girls|babysitter|cleaner|teens?|grandkids) (?:can't"
    r"|cannot|may not|must not"
    r"|mustn't|shouldn't|aren't allowed|never get|don't get) (?:to )?(?:unlock|open|order|buy|play|use|watch|touch"
    r"|enter|turn|switch"
    r"|change|answer|install|download|post)\b",
    r"^nothing (?!\w+ (?:me|us|my \w+) (?:like|more|better)\b|beats|to |new|much|yet|happen|works|special|wrong|else"
    r"|changed|but |grows|fits|helps|came|comes"
    r"|matters|seems|fancy|urgent|serious|bad|is (?:wrong|new|working|urgent|happening))\w+",
    r"\b(?:is|are) not to (?:know|be|see|touch|enter|go|find|get|have)\b",
    r"\bkeep (?:\w+(?:'s)? ){1,4}(?:out of|off|away from)\b",
    r"\bleave (?:my|the|our|his|her|all|everything|anything) .{0,30}(?:alone|as (?:is|they are|it is)|unread"
    r"|unopened|untouched"
    r"|\bbe$|where (?:it|they))",
    r"^(?:there's |there is )?no need (?:to|for) (?!remember|keep|worry|rush|panic|hurry|stay|avoid|hold|shout"
    r"|apologi|thank|explain|be )\w+",
    r"\byou (?:don't|do not) (?:need|have) to (?!worry|do (?:it|this|that)|answer|hurry|rush|wait)\w+",
    r"\btext only\b|\bno audio\b",
    r"\bonly in an emergency\b",
    r"\bonly for emergencies\b",
    r"\bunless (?:it'?s |there'?s )?(?:an |a )?(?:emergency|urgent|fire|life|really|critical)",
    r"\bdon'?t (?:you dare|want \w+ (?:notifications?|alerts?|calls?|messages?|voice|pushes|emails|reminders)"
    r"|want (?:notifications?|alerts?|calls?|voice|pushes|emails|reminders|pop-?ups|ads|updates|anything|any))",
    r"\bi(?:'d| would) rather you (?:didn'?t|don'?t|not|never|kept (?:quiet|mum|silent|out|that|it|this)"
    r"|stayed (?:out|off|away|quiet"
    r"|silent)|left .{2,20} (?:alone|out|be)|stopped)",
    r"\byou(?:'re| are) (?:not|never) (?:to|allowed|supposed)",
    r"^you (?:don't|do not|never) .{3,40}(?:, ever$|\bunless\b|\bwithout\b|\buntil\b)",
    r"^(?:just )?(?:keep out|stay (?:out|away|clear|off)|keep off|back off)$",
    r"\b(?:it'?s|is|are) (?:strictly |absolutely |totally |completely )*(?:forbidden|prohibited|banned|taboo"
    r"|out of the question"
    r"|off the (?:menu|table|cards)|a no-?no|not an option)\b",
    r"\b(?:is|are)(?:n't| not)?(?: really)? no(?:t the| place)? ?place for\b|\bnobody (?:but|except) (?:me|us|my"
    r"|the)\b",
    r"\b(?:i'd|i would|it would|it'd) .{3,30} if (?:nobody|no one|you (?:didn't|never|left out|kept (?:quiet|out)))\b",
    r"\bi (?:don't|do not) need .*\bever$|^leave me be$",
    r"\bi'll thank you not to\b|\bi draw the line at\b",
    r"\bmust (?:always )?(?:stay|remain|be kept) (?:bolted|locked|shut|closed|off|private|secret|quiet|silent|here"
    r"|offline)\b",
    r"^zero \w+ (?:on|in|after|before|during|from)\b|^(?:please )?leave (?:my|the|our|his|her|all) .{2,30} un\w+ed\b",
    r"\bthe last thing (?:i|we) (?:need|want) is\b",
    r"\bmust (?:not|never)",
    r"\b(?:is|are) (?:a no|not for|banned|forbidden|off the table|nobody's business|none of)\b",
    r"^not (?:a (?:word|peep|sound|syllable|whisper|squeak|hint)|one word|before|after|until|in front|without|during"
    r"|on)\b",
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
    r"|dont)\s(?!know|think|worry|mind|bother|wait\b|laugh|cry\b|freak|shoot|judge|hate me|tell me (?:it|that|you"
    r"|this|he|she|they)\b|(?:really |much )?(?:like(?! or )|care (?:for|about)|enjoy|love"
    r"|fancy)\b"
    r"|you dare$|sweat it|get me wrong|forget|need|care|remember|have to|understand|believe|see why|stress|panic"
    r"|be (?:silly|sorry|shy)|give up|feel|you (?:know|think)|hesitate|ask me why)\w",
    r"(?=d)(?<!\bi )(?<!\bwe )(?<!\bthey )(?<!\byou )(?<!\bpeople )(?<!\bkids )(?<!\busers )(?<!\bwho )(?<!\bthat )"
    r"\b(?:don'?t"
    r"|do not|dont)\s(?:ever\s|even\s)?<act>\b",
    r"^(?:and |but |so |please |pls |plz |just |also )*never\s(?:ever\s)?(?!mind|thought|knew|had|did|have|been"
    r"|said|say never|again(?:$| lol)|seen|heard)\w+",
    r"(?=n)(?<!\bi )(?<!\bwe )(?<!\bi've )(?<!\bhas )(?<!\bhave )(?<!\bhe )(?<!\bshe )(?<!\bthey )(?<!\bi'd )"
    r"(?<!\bit )(?<!\bwill )\bnever,?\s(?:ever\s)?<act>\b",
    r"^(?:and |but |so |please |pls |plz |just |also )*(?:stop|quit(?!.*(?:了$|\btoday)|.*\b(?:ago|last|since"
    r"|yesterday|this (?:week|month|year|spring|summer|autumn|winter)|in (?:<months>))\b)|cease|avoid|refrain from"
    r"|skip|drop|ditch|cut)\s(?!to\b|me\b|us\b|ahead|back\b|forward|worrying|whining|laughing|crying|joking|kidding"
    r"|in half"
    r"|it\b|that\b|by\b|here\b|there\b|the (?:rest|first|second|third|last|next|container"
    r"|server|service|process|job|script|timer|music|build|bot|download|stack))(?:the |all |any |with |out )*\w+",
    r"^(?:and |but |so |please |pls |plz |also |absolutely |strictly |maybe |perhaps |just )*no\s(?!\w+ (?:was|were"
    r"|no|is good)\b|wait|idea|problem"
    r"|worries|one|rush|thanks|thank|need|way|wonder|matter|luck|clue|doubt|big deal|biggie|hurry|offen[cs]e"
    r"|longer|more(?:$|,| questions| coffee)|kidding|pressure|reason|change|news|stress|i\b|it\b|that\b|this\b|not\b"
    r"|but\b|you\b|we\b|he\b|she\b|they\b)\w+",
    r"^nothing\s.{0,40}\b(?:on|after|before|between|during|at|about)\b",
    r"\b(?:off[- ]limits|hands off|strictly forbidden|is forbidden|are forbidden|not allowed|read-only for you"
    r"|out of bounds|no-go|taboo|a hard no|(?:is|are) banned|not ok(?:ay)? (?:to|with|for)|is private|are private"
    r"|stays? private|under no circumstances|do not disturb|leave (?:\S+ ){1,5}alone|(?:keep|stay) (?:out of"
    r"|away from|off|clear of)|keep your hands off|not to be (?:shared|posted|touched|deleted|used))\b",
    r"\byou (?:must ?n[o']t|mustn't|may not|(?:can ?not|can't)(?! (?:hear|see|miss|tell|beat|smell|feel|believe"
    r"|imagine))|should ?n[o']t|shouldn't|should never|must never|are never|aren't to|are not to|shall not|needn't"
    r"|don't get to|have no business)\b",
    r"\bi (?:don'?t|do not|never) (?:ever )?(?:want|wish) (?:you|any|to (?:be|get|receive|see|hear)|anything|my)\b",
    r"^(?:please |just |ok |so |and |that's |right )*(?:enough (?:with|of)|lose|knock off|lay off|cool it with"
    r"|ease up on"
    r"|go easy on|dial down|tone down|cut (?:out|down on)|spare me|banish|kill|can|nix|no more of) (?:the|your|those"
    r"|all)"
    r" (?!lights?|music|engine|power|process|server|tv|job|volume|brightness|tabs?)\w+",
    r"^(?:mic(?:rophone)?s?|cameras?|speakers?|sound|notifications?|previews?|voice|alerts?|pop-?ups?) (?:stays? )?off"
    r" (?:in|at|after|before|during|when|while|on|from|between|by default)\b",
    r"\b(?:keep|mind|watch) (?:it|things|this (?:chat|screen|group)|the \w+|your language|what you say|the tone)"
    r"(?: (?:clean|civil|polite|decent|pg|family[- ]friendly|sfw|appropriate|child[- ]friendly))?$",
    r"\bi(?:'d| would) (?:prefer|appreciate it|like it|love it) (?:it )?(?:you|if you) (?:not|didn'?t|never|stopped)",
    r"\bwithout (?:voice|emojis?)\b",
)
# What waits for my word: "ask me first", "nothing without my okay".
ASK_FIRST = any_of(
    r"^ask(?: me)?$",
    r"^(?:please |always )*(?:check with|consult|clear it with) (?!him|her|them|yourself)\w+ (?:before|first)\b"
    r"|^you (?:ask|check with|consult) \w+$",
    r"\brun (?:\w+ ){1,6}(?:by|past) me\b|^(?:please |always |just )*(?:check|ask|confirm|stop) before (?:you )?\w+",
    r"\bi (?:need|want|have) to (?:see|read|check|hear|approve|ok|okay|sign off|look at|review"
    r"|proofread) .{1,30} (?:before|first)\b",
    r"^(?:please |always )?(?:show|send|give|read|run) me (?:a|an|the) (?:preview|draft|copy|look|list|summary"
    r"|quote) before\b",
    r"\b(?:approved|confirmed|signed off|okayed|checked|cleared|vetted) by me\b",
    r"\b(?:needs?|requires?|gets?|takes?|wants?) (?:a |my |the )?(?:yes|green light|thumbs[- ]up|nod|sign-?off|okay"
    r"|ok|approval|blessing)(?: from me)?\b",
    r"\b(?:check|clear (?:it|that|this)|confirm|consult) with me\b",
    r"(?:\bif|\bwhen|over|above|more than|bigger than|longer than|costs?|spend).{2,40}\b(?:ask|tell|warn|ping"
    r"|check) me\b(?! (?:its|the|what|how|which|an?|about|in)\b)",
    r"\b(?:ask|check with|consult|tell|ping|confirm with|clear (?:it|that|things) with|run (?:it|that|things"
    r"|everything|anything) (?:by|past)|warn|message|text|get|come to|show)\s(?:me|us)\b.{0,24}\b(?:first(?=$|,"
    r"| (?:and|before|please|if|when))|beforehand|before(?= (?:you|any|we|i|\w+ing)\b"
    r"|(?<!evening before)(?<!day before)(?<!night before)(?<!week before)$)|up front|okay|ok|approval|permission"
    r"|go-ahead)\b",
    r"\bask (?:me )?(?:first|before)",
    r"before (?:you )?\w+ing.{0,40}\b(?:ask|check|confirm|tell me|let me)",
    r"\bwithout (?:asking|checking|my|me(?! (?:asking|having|needing))|confirming|permission|approval|consent"
    r"|telling|running)",
    r"\b(?:need|needs|require|requires|wait for|get|only with|with|until you have|unless you have) my (?:explicit "
    r"|written |prior )?(?:ok|okay|approval|permission|go-ahead|sign-?off|say-so|yes|go\b|word|signal|green light"
    r"|thumbs|consent|blessing|confirmation|nod)",
    r"\bunless i (?:say(?! (?:otherwise|different))|approve|ask|tell|explicitly|confirm|said|okay|ok|specifically"
    r"|request)",
    r"\bonly (?:if|when|after|once) i(?:'ve)? (?:say|said|approve|confirm|ask|okay|ok|tell)",
    r"\blet me (?:read|hear|look|proof\w*|approve|confirm|review|check|see|ok|okay|sign off).{0,24}\b(?:before|first)",
    r"\b(?:i|me) (?:want|have|need|get) to (?:approve|confirm|sign off|okay)",
    r"\buntil i (?:say|approve|confirm|ok|okay|give)",
    r"\bmust be (?:approved|confirmed) by me",
    r"\b先问",
    r"先(?:给|跟|让|找)我…{0,6}(?:review|confirm|approve|check)",
    r"\bask me first|\bmust (?:ask|tell|check with) me\b",
)
# Limits without a word that forbids: quiet, waiting, secrecy, whose business it is.
QUIET = any_of(
    r"^keep (?:the|my|our|all|any) \w+ (?:down|low|off|quiet|muted)\b",
    r"^(?:i'm|im|i am) (?:offline|unavailable|unreachable|asleep)$",
    r"^keep .{2,30} (?:switched off|turned off|closed|locked|muted|silent|quiet)\b",
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
    r"\b(?:off the record|(?:my|your) eyes only|in confidence|top secret|under wraps|hush-hush)\b",
    r"\b(?:is|are) not (?:a topic|dinner conversation|(?:for|up for) discussion|public|for (?:sharing|sale"
    r"|others))\b|\bsubject of .* is closed\b",
    r"\bi (?:press|hit|push) (?:send|publish|post|buy|pay)\b|^drafts only\b|^i (?:approve|vet|okay) (?:every|all"
    r"|each)\b",
    r"\bi (?:send|post|publish|pay|book|sign|answer|water|feed|delete) (?:them|it|those|everything|(?:the|my"
    r"|our) \w+) myself\b",
    r"\b(?:is|'s) a (?:secret|surprise)(?: (?:from|for|to)\b|$)|\bmum'?s the word\b|\bunder (?:your|the) hat\b"
    r"|\bkeep (?:this|it|that|\w+) from (?:my|the|our|him|her|them)\b",
    r"\bi (?:jump|panic|wake up|flinch|hit the ceiling|nearly die)\b.*\b(?:when|time)\b.*\b(?:speaker|phone|alarm"
    r"|alert|doorbell|ping|beeps?)\b",
    r"^(?:only )?i (?:decide|choose|approve) (?:what|when|who|if|which|whether)\b",
    r"\b(?:final|last) (?:word|say|decision)\b.{0,20} (?:is|are|stays) (?:mine|ours|with me)\b",
    r"\b(?:is|are) (?:family time|(?:my|our) own time)\b|\bleave (?:me|us) (?:in peace|to it)\b",
    r"^(?:please )?batch (?:the|my|all|up|your|any)\b",
    r"\bi(?:'d| would) sleep (?:a lot |much |so much |far )?(?:better|easier|sounder) (?:if|knowing)\b",
    r"\bspeakers?\b.{0,12}\b(?:blurted|announced|read out|shouted)\b.*\b(?:in front of|everyone|out loud|guests"
    r"|the whole)\b",
    r"\bi (?:forbid|won't have|won't allow|will not have|refuse to let)\b",
    r"\bgoes? (?:silent|quiet|dark)\b",
    r"\bstays? (?:off|shut|locked|closed|silent|dark|muted|put|here|secret|private|offline)\b",
    r"\b(?:is|are) (?:my|our) (?:job|business|call|decision|department)\b|\b(?:is|are) \w+'s (?:department|domain"
    r"|turf|business)\b",
    r"\bbetter left (?:off|out|unsaid|alone)\b",
    r"\bi(?:'ll| will) (?:do|handle|take care of) the \w+ing\b",
    r"\byou never (?:need|have) to\b",
    r"\bwaits? (?:till|until)\b",
    r"\bread[- ]only (?:for|on|please|access)",
    r"\bkeep quiet about",
    r"\bonly i (?:press|send|post|decide|approve|publish|pay|get to|may|can)\b",
    r"\b(?:go(?:es)?|runs?|comes?) (?:through|past|by|via) (?:me|my \w+ first)\b",
    r"^what(?:'s|ever)?\b.*\bstays? (?:in|with|between|inside|on)\b|^whatever .*(?:doesn't|does not|never) leaves?\b",
    r"\b(?:folder|calendar|inbox|diary|repo|share|archive|album|directory|notes)s? (?:is|are|stays?) read[- ]only\b",
    r"\b(?:phone|speaker|tablet|watch|doorbell|alarm)s?(?: \w+)? (?:lit up|buzz\w*|rang|went off|ping\w*|vibrat\w*"
    r"|beep\w*"
    r"|chim\w*|blar\w*|jingle\w*)\b.{0,20}\b(?:at (?:\d+ ?(?:am)?|one|two|three|four|five|night|midnight)|all night"
    r"|last night"
    r"|in the (?:middle|night)|during|in (?:court|a meeting|class|church|the (?:cinema|library|theatre)|front of))\b",
    r"\b(?:pings?|alerts?|notif\w+|buzz\w*|beeps?|rings?|chimes?|jingles?)\b.{0,24}\b(?:g[ai]v(?:e|es|ing) (?:me|us"
    r"|the \w+|my \w+|our \w+)|scared"
    r"|frightened|freaked|nearly (?:gave|killed)|startled)\b",
    r"^(?:a|one|any|every) (?:single |little )?(?:beep|ping|buzz|ring|chime|sound|noise|ding|alert"
    r"|notification)\b.*\band\b"
    r".*\b(?:up|awake|barks?|cries|crying|wakes?|mad|mental|jumps?)\b",
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
    r"|keep (?:schtum|shtum|mum)|hush|mute|silence|hold (?:all |any |my |the |off |everything|non)|go silent"
    r"|stay silent|stay quiet"
    r"|be quiet (?:after|from|between|until|before|on)|silence|leave me (?:alone|be) (?:on|after|before|between"
    r"|until|from|during|in|at|when))\b",
)
# How much at most.
LIMIT = any_of(
    r"\b(?:one|two|three|four|five|\d+) .{0,24}\b(?:is|are) (?:the|my|our) (?:limit|max\w*|most)\b",
    r"^(?:max|maximum|at most|up to) (?:of )?(?:one|two|three|four|five|\d+) \w+|\blimit yourself\b"
    r"|^(?:please )?limit (?:\w+ )?\w+s to\b",
    r"\bkeep (?:it|them|things|reminders|messages|notifications) to (?:one|two|three|four|five|\d+) (?:\w+ )?(?:a"
    r"|per|an) ",
    r"^(?:an?|one|two|three|four|five|ten|\d+) .{2,40}, (?:and )?(?:no more|not more|tops|max(?:imum)?"
    r"|at (?:the )?most)$",
    r"\b(?:one|two|three|four|five|\d+) (?:\w+ )?(?:a|per|an) (?:day|hour|week|month),? (?:at (?:the )?most|max|tops"
    r"|is (?:enough|plenty))",
    r"\b(?:at most|no more than|not more than|max(?:imum)?(?: of)?|up to|cap|limit|less than|under"
    r"|keep .{0,20} (?:under|below))\b.{0,24}(?:\$|dollars?|euros?|pounds?|usd|eur|cents?|notifications?|messages?"
    r"|pings?|pushes|alerts?|a day|per day|an hour|per hour|a week)\b",
)
# The same asked politely: "could it wait until morning?"
SOFT_LIMIT = any_of(
    r"\b(?:could|can)\b.{2,24}\bbe (?:silent|quieter|quiet|softer|muted|off)\b",
    r"\b(?:mind|watch|careful) (?:what|how) you (?:post|say|write|share)\b",
    r"\b(?:could|can|would)\b.{0,24}\b(?:sent|come|arrive|posted|delivered) (?:in the morning|after|later|at|by)\b",
    r"\bany way (?:to|you (?:could|can)) .{0,24}\b(?:hold|wait|stop|mute|skip|not|batch|silence|quiet)",
    r"\b(?:could|can|would|might|any chance|is it possible|mind|maybe|perhaps)\b.{0,30}\b(?:wait (?:until|till)"
    r"|hold off|keep (?:it|things|this) (?:clean|civil|polite|decent|pg)|keep .{0,14}quiet|(?:mute"
    r"|silence)(?! the \w+$)|not\b|stop"
    r"|skip|batch|save them|fewer|less often|lay off|quieten|quieter|softer|h[eo]ld\b|postponed?|batched|go easy"
    r"|tone down"
    r"|leave .{0,16}(?:until|till|for the morning)|leave out|cut back)",
    r"\b(?:can|could|should) wait (?:until|till)\b",
    r"\bthat (?:can|could) wait$",
    r"^(?:so |and |but |please |maybe )*(?:skip(?! (?:to|ahead|it|that|this"
    r"|the (?:first|second|third|last|next|rest|intro|ad))\b)|save(?=.* (?:for (?:later|the|after|when)|until"
    r"|till)\b)|hold|hold off|go easy|leave out|spare me|keep .{0,16}(?:until"
    r"|till)|wait (?:until|till))\b",
)
# What the person cannot do: a fact, no limit for the agent.
SELF_LIMIT = any_of(
    r"\bi (?:don'?t|can'?t|do not|cannot|never) (?!want|wish|need (?:you to|your|to be|reminders|reminding|advice"
    r"|a (?:lecture|pep talk|running"
    r"|disclaimer)|any (?:more )?(?:advice|reminders|tips|ads)|.*\bever$))",
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
