"""How people say in English what they like and want (tag W)."""

from appliance.memory.words_en import any_of

# For good, whatever else is said.
STANDING_STRONG = any_of(
    r"^if (?:an?|any|anything|something|someone|anyone|you'?re|you are) (?!the\b)\w+ (?=.{3})",
    r"\b(?:in|on|for|at|with) (?:every|each) \w+",
    r"^(?:for|with|on|in) (?:anything|everything|any|all)\b",
    r"^when(?:ever)? you (?!can\b|get\b|have\b|are\b|'re|finish|come\b|know\b|see (?:it|this|that)\b|think\b"
    r"|want\b|like\b|find time)\w+",
    r"\b<weekday> (?:nights|mornings|evenings|afternoons)\b",
    r"\beach \w+day\b",
    r"\b(?:starting|beginning|effective|as of|as from) (?:next (?:time|week|month|year)|next|this|from|on|today"
    r"|tomorrow|now|\w+day)\b",
    r"\b(?:in|for|on|with) all (?:my |our |your |the )?(?:\w+ )?\w+s\b",
    r"\b(?:for|on|in|at) every \w+",
    r"^when(?:ever)? (?:i|you|we) (?:say|write|ask|give|send|list|quote|reply|cook|shop|order|book|travel|type"
    r"|mention|post|summari[sz]e|explain|talk|work|drive|name|file|make)\b",
    r"\b(?:every|each) (?:single )?(?:summary|list|recipe|post|title|file|photo|invoice|bill|receipt|order|trip"
    r"|meeting|task"
    r"|paragraph|section|page|item|entry|note|draft|deadline|appointment|booking|price|link|name|line|sentence"
    r"|answer|menu)\b",
    r"^(?:please |always )*(?:give|show|quote|list|state|express|measure) (?:distances|dates|times|prices"
    r"|temperatures|weights"
    r"|amounts|sizes|quantities|measurements|numbers|values|heights|speeds|durations|names|totals)\b",
    r"^(?:please )?(?:prefix|suffix|sign|name|format|title|number|date) (?:my|all|the|our|your|his"
    r"|her) (?:\w+ )?\w+s\b",
    r"^on (?:<weekdays>|weekday|weekend)s(?:$|,| (?:send|give|show|remind|tell|read|wake|text|play|make|keep|put)\b)"
    r"|^at weekends$",
    r"^if (?:ever )?(?:i|we) (?:ever )?(?:ask|say|mention|quote)\b (?=.{3})",
    r"^(?:by|with) .{1,20} i (?:always )?mean\b|^<weekday>s: ",
    "^\ue000{3,} (?:always )?means? ",
    r"^(?:on|in|at|over|during) (?:school days|week ?nights|work ?days|bank holidays|birthdays|holidays|winter"
    r"|summer|spring|autumn"
    r"|term time|the (?:winter|summer|holidays|mornings|evenings)|rainy days|hot days|days off)(?=$|,)",
    r"\bevery (?:first|last|second|third|\d+\w*) ",
    r"^(?:please )?(?:start|begin|open|end|close|finish) (?:my|the|our) (?:day|week|morning|evening|month) with\b",
    r"^(?:at|by|before|after|during) (?:the )?(?:month'?s? end|end of (?:the|each|every) \w+|bed ?time|term"
    r"|exams)(?=$|,)",
    r"^(?:for|in|with) (?:all |any |my |the )?(?:recipes|e?mails|letters|lists|replies|answers|messages|reports"
    r"|summaries|titles|posts"
    r"|notes|meetings|appointments|bookings|flights|hotels|trips|orders|deliveries|menus|meals|invoices|bills"
    r"|receipts|photos|files"
    r"|backups|code|commits|reminders|playlists|shopping|cooking|travel|groceries|birthdays|anniversaries|exams"
    r"|parties|(?:work|school) (?:stuff|mail))(?: to (?:the |my )?\w+)?(?=$|,"
    r"| (?:use|give|keep|make|be|put|remind)\b)",
    r"\bmake it a (?:rule|habit|point)\b|\bdefault to\b|\bunless i (?:say|tell you) (?:otherwise|different)",
    r"^(?:please )?(?:file|save|put|store|tag|label|log|forward|sort|archive) (?:anything|everything|whatever"
    r"|all) (?:from|about"
    r"|to do with|related|with|over|under|that)\b",
    r"\bfrom (?:this|next) (?:week|month|year)(?: on(?:wards?)?)?\b",
    r"\bfrom <weekday> on(?:wards?)?\b",
    r"\bany ?time\b",
    r"\bas of (?:now|today|monday|next)\b",
    r"\bevery other (?:day|week|month|weekend|<weekday>)\b",
    r"\bonce a (?:day|week|month)\b",
    r"\bwithout exception\b",
    r"\b(?:from (?:now|here|today|this point) on(?:wards?)?|from here on|from today|starting (?:today|now)"
    r"|going forward|in (?:the )?future(?! (?:versions|releases))|(?<!as )always(?! (?:an? |happy|glad|nice|good"
    r"|here|welcome|fun)\b)"
    r"|every ?time|each time|by default"
    r"|whenever(?! (?:works|suits)| you(?:'re (?:ready|free|done|back|home)| have| can| get"
    r"| are| feel| want| like| find| fancy)\b)|as a rule|at all times"
    r"|standing (?:rule|order|request)|house rule|henceforth|for every|as standard|in everything|across the board"
    r"|every (?:single )?(?:hour|morning|evening|night|day|week|month|<weekdays>|weekday|weekend|reply|answer"
    r"|message|email|report)|each (?:morning|evening|day|week|month))\b",
)
# For good, when a wish or a limit is there as well.
STANDING = any_of(
    r"\b(?:from (?:now|here|today|this point) on(?:wards?)?|from today|starting (?:today|now)|going forward"
    r"|in (?:the )?future|always|every ?time|each time|by default|whenever|as a rule|permanently|for good"
    r"|at all times|every (?:single )?(?:morning|evening|night|day|week|month|<weekdays>|weekday|weekend|reply"
    r"|answer|message|email|report)|each (?:morning|evening|day|week|month)|on (?:weekdays|weekends|mondays"
    r"|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays)|never|ever again|anymore|any more|in general"
    r"|standing (?:rule|order|request)|house rule|rule:|when(?:ever)? (?:you|i|we) (?:do|send|write|make|list|show"
    r"|give|cook|travel|order|plan|quote|post)\b"
    r"|no matter what|daily|weekly|(?:every|each) \w+"
    r"|(?:once|twice|three times) (?:a|an|per|every) \w+"
    r"|in the (?:mornings|evenings|afternoons)|(?:before|when|after) (?:an?|any) (?:\w+ )?\w+ \w+s\b|keep (?:the"
    r"|my|our) \w+(?: \w+)? (?:sorted|short|tidy|clean|dry|light|dim|warm|cool"
    r"|simple|brief|up to date)|(?:don'?t|do not) ever|all (?:my|the|your|of)"
    r"|any (?:time|reply|answer)|as standard|henceforth|next time and|for all|in (?:file ?names|subject lines|titles"
    r"|headings|replies"
    r"|answers|emails|messages|summaries|reports|lists|recipes|notes|tables|drafts|posts|captions)|keep (?:them|things"
    r"|your|jokes|recipes|lists|notes|alerts|explanations|the tone|paragraphs|sentences|updates|answers|replies"
    r"|emails|messages|reports|summaries|titles) )",
)
# What I like or dislike, by a verb of liking.
LIKING = any_of(
    r"\b(?:partial to|take pleasure in|take delight in|obsessed with|addicted to|hooked on|all for|not one for"
    r"|mad (?:about|for)|nuts about"
    r"|bonkers about|keen as"
    r"|gone (?:right |completely |clean )?off|went off(?! at| in)|a sweet tooth"
    r"|get on better with|take in more from|a breath of fresh air|big on|all about|put off by|turned off by"
    r"|crazy about|at home with"
    r"|happiest with|comfortable with|a stickler for|wild about|drawn to|weary of|done with(?! (?:this|today|it"
    r"|that|work|you))|so over|live for|a soft spot for|no love for|not keen)\b",
    r"^(?:really |honestly |i |we |just |also |and |but )*(?:don'?t|do not) (?:really |much "
    r"|particularly )?(?:care (?:for|about)|like|enjoy|love|fancy|dig) (?!it$|that$|this$)\w+",
    r"\b(?:i|we) (?:really |just |do )?(?:fancy|dig|value|cherish|resent|tolerate|rate|swear by|adore) (?!it\b"
    r"|that\b|this\b)\w+",
    r"我是…{0,12}(?:person|fan|lover|addict)\b",
    r"(?:我|个人)[^,，。]{0,8}(?:prefer|like|love|hate|enjoy|dislike|can'?t (?:stand|follow|read|bear))\b",
    r"\b(?:i|we)(?:'d| would) (?:be (?:so |very |really |most )?(?:grateful|thankful|glad|delighted|happy|happier"
    r"|obliged) (?:for|with|without)|welcome|appreciate|value) (?!it if you (?:didn|stopped|not|never)|a call"
    r"|you\b)\w+",
    r"\b(?:i|we)(?:'ve| have) (?:always |never |long |really )*(?:liked|disliked|loved|hated|preferred|enjoyed"
    r"|adored|loathed)\b",
    r"\b(?:i|we)(?: have|'ve got|'ve| got) (?:no use for|no time for|a thing (?:for|about)|a soft spot"
    r"|little patience|no patience)",
    r"\b(?:i|we)(?:'ve| have)? (?:got |have )?a (?:weakness|fondness|passion|taste|horror|dread|preference|hatred"
    r"|love) (?:for|of)\b",
    r"\bi (?:really |always )?(?:work|think|read|learn|focus|concentrate|cope|respond|function|remember"
    r"|follow things|understand"
    r"|absorb (?:things|text)) (?:much |far |so |a lot )*(?:best|better|well|faster|quicker|more easily)\b",
    r"\bi(?:'d like| would like| want| need) you to (?:always |never )?(?:be|push back|challenge|correct|speak|talk"
    r"|sound|treat"
    r"|address|call me|disagree|question|nag|double-?check)\b",
    r"\b(?:i|we) only (?:ever )?(?:skim|scan|see|glance)\b",
    r"^(?:the whole family|everyone here|all of us|we all|my whole family|both of us"
    r"|the household) (?:really )?(?:loves?|likes?|hates?"
    r"|prefers?|can't stand|enjoys?|adores?)\b",
    r"\bi(?:'d| would) (?:always )?(?:pick|choose|take|go for|go with|opt for)\b.*\b(?:over|every time|any day"
    r"|always)\b",
    r"\b(?:i|we) (?:really |just |do )?(?:crave|relish|savou?r|treasure|worship) \w+|\bi'?m no (?:\w+ )?(?:person"
    r"|fan|lover)\b",
    r"^(?:loved|liked|enjoyed) (?:the|your|that) (?:\w+ )?<output>\b",
    r"\bi(?:'d| would) (?:happily|gladly) (?:never|not|live|go) ",
    r"\b(?:could|can) (?:happily |easily )?(?:do|live) without\b",
    r"\bnot (?:bothered about|into|keen on|wild about|sold on)\b",
    r"\bi always (?!wake|sleep|get up|work|go to|have|had|was|been|forget|get|lose|end up)\w+",
    r"\bany day\b",
    r"\bgive me .{2,30} over .{2,30}",
    r"\b(?:is|are) (?:my (?:jam|thing|favou?rites?|comfort food|happy place)|not my (?:thing|style|cup of tea)"
    r"|the (?:best|worst) (?:for me|imo))",
    r"\bi (?:usually|normally|typically|generally|mostly|often|rarely|seldom|never) (?:buy|want|order|drink|pick"
    r"|choose|take|listen|watch|go for|skip|reach for|read|skim|keep|write|type|check|use|put|have my|cook)\b",
    r"(?:\bi|\bwe) (?:'m |both |all )?<very>(?:like|love|prefer|enjoy|hate|dislike|adore|despise|detest|loathe"
    r"|can'?t (?:stand|bear|stomach|get on with|get into|deal with|abide|take|cope with|do with)|cannot (?:stand"
    r"|bear|abide)"
    r"|can'?t be doing with|live for|go mad for|could do without|favou?r|appreciate (?:short|long|when|it when"
    r"|brief|concise|honest)|don'?t (?:really )?(?:like|care for|enjoy|love|do)|do not (?:like|enjoy)"
    r"|lean towards?|work best|think better|read better|learn better|go for|stick (?:to|with)|always (?:keep|use"
    r"|read|start|go|want|take|order|write)|mostly (?:read|use|listen)|only (?:read|use|drink|want|listen|watch"
    r"|write)|would ?n[o']t(?! mind (?:living|being|visiting|going|a ))|swear by)\b",
    r"\b(?:i'd|i would|id|we'd) (?:much |really |always |far )?(?:rather|prefer|sooner)\b",
    r"^(?:really|totally|so|very|quite|most) (?:into|fond of|keen on|partial to) ",
    r"^(?:i |really |absolutely |so |just )*(?:liked|loved|hated|enjoyed) (?!the (?:film|movie|book|song|place"
    r"|restaurant|show)\b)"
    r"(?:the|your|how|that) .*\b(?:you|your|last|yesterday)",
    r"^(?:really |just |absolutely |honestly |also |and |but |so |kinda |kind of |sorta |sort of |lowkey |totally "
    r"|personally )*(?:wanna|want|dislike|loathe|adore|detest|despise|love|hate|prefer|like(?! \d)|enjoy"
    r"|can'?t (?:stand|be doing with"
    r"|abide|bear))\s(?!it\b|that\b|this\b|you\b|to (?:know|see|hear)|from)\w+",
    r"\b(?:not )?(?:a )?(?:big |huge |massive |real )?fan of\b",
    r"\bmy (?:favou?rite|preference|go-to|preferred|pet peeve|style|taste)\b",
    r"\bi(?:'m| am|m) (?:really |more |very |so |quite |big |not |never )?(?:more of an? \w+(?: \w+)?(?: person"
    r"| guy| girl)?|an? \w+ (?:person|guy|girl|fan|lover|snob|addict|learner|thinker"
    r"|nerd|geek|junkie|purist|minimalist|drinker|traditionalist|kind of|sort of)|an? [\w-]+ (?:kind|sort) of"
    r"|not much of an?|no fan|into|a sucker for|keen on"
    r"|partial to|fond of"
    r"|sick of|tired of|fed up with|picky about|allergic to (?:clickbait|jargon|marketing|small talk"
    r"|corporate|management|buzzwords?|waffle|fluff|filler|hype|spam|pop-?ups?|emojis?|exclamation|phone calls"
    r"|meetings|mornings"
    r"|mondays|bureaucracy|paperwork|acronyms|walls of|long|ads|drama|bullshit))\b",
    r"\bi prefer\b|^would (?:much |far )?(?:rather|prefer)\b",
    r"\bi (?:just|only|simply) want (?!to )",
    r"\b(?:i|we)(?: want| wanna| would like|'d like|'d love|d like) (?!to (?!(?:see|get) (?:it|that|this"
    r"|the)\b)(?!(?:see|have|get|hear|receive|decide|keep|wake up|be"
    r" (?:called|told|asked|woken|addressed|reminded|warned|notified|left))\b)|you to\b|it\b|that\b|this\b"
    r"|the (?:first|second|other|one|\w+ one)\b|my (?:mum|mom|bed|money)\b|a (?:coffee|break|refund|table for|taxi"
    r"|cab|word|hand|discount|copy"
    r"|sandwich|beer|drink|second opinion)\b|one\b"
    r"|some\b)(?:\w+)",
)
# What does me good or not, without such a verb: "spaces in file names drive me up the wall".
COMFORT = any_of(
    r"\b(?:is|are) my (?:kryptonite|nightmare|weakness|bane|undoing|love language)\b|^\w+ over \w+(?: \w+)? for me\b",
    r"^(?!it\b|that\b|this\b|you\b|the (?:app|site|page|form)).{3,40}\bmakes? me (?!wait|log|type|enter|restart)\w+",
    r"\bthe \w+ (?:scheme|layout|format|style|tone|colou?rs?) (?:from|of|in) .* (?:was|is|were) (?:gorgeous"
    r"|perfect|great|lovely|spot on)",
    r"^(?!that\b|this\b|it\b|ok|the (?:\w+ )?(?:one|option|version|draft)\b).{3,40}\b(?:is|are|would be|feels?"
    r"|looks?) (?:so |much |a lot |way |far "
    r"|always )*(?:kinder|nicer|easier|better|clearer|quicker|simpler|handier|tidier|friendlier|neater|cleaner"
    r"|calmer)\b",
    r"\bmore (?:like|of) (?:that|this|those)\b|^more \w+(?: \w+)? (?:like|the way|as in) ",
    r"^(?!it\b|that\b|this\b|dinner|lunch|the (?:film|movie|food|weather|concert|party|trip|book|show|match)\b)"
    r"(?:your|the|those|that|last)\b.{3,50}\b(?:was|were|is|are|has become|have become) (?:a |an |pure |sheer "
    r"|such a |absolute "
    r"|absolutely |quite the "
    r"|total )*(?:stroke of genius|genius|delight|joy|godsend|life ?saver|blessing|revelation|masterstroke"
    r"|game[- ]changer"
    r"|keeper|the highlight|the best part|perfection|gold|bliss|dream)\b",
    r"^(?:anything|whatever|everything|stuff) .{3,40}(?:\bi (?:never|don't|won't|can't|just|tend to|only) "
    r"|\bgets? (?:skipped"
    r"|skimmed|lost|ignored|deleted)|\bmy (?:brain|eyes|mind)\b)",
    r"^if .{3,40} i (?:won't|don't|never|can't|will not) (?:read|see|notice|get|open|look|finish|take)\b",
    r"^[\w' ]{2,30} over [\w' ]{2,30},? (?:for me\b|any day$|every time$|always$)",
    r"^(?:[\w-]+ )?[\w-]+s (?:first|last|up front|at the (?:top|bottom|end)),? (?:please|always)$",
    r"^one \w+ (?:at a time|per \w+)\b|^(?:window|aisle|quiet|corner|[a-z-]+free|vegan|veggie|vegetarian|organic"
    r"|decaf|cash|card"
    r"|morning"
    r"|evening|direct|economy|paper|digital)(?: \w+)? only(?:,? please)?$",
    r"^(?:please |just |and |so |but )*be (?:blunt|honest|direct|brief|concise|brutal|frank|gentle|kind|formal|informal"
    r"|casual|precise|specific|funny|playful|strict|straight|clear|critical)\b(?! about (?:this|that|it))",
    r"^(?:please )?feel free to (?:swear|joke|tease|disagree|push back|correct|challenge|contradict|interrupt|be)\b",
    r"\bkeeps? me (?:sane|calm|on track|going|organi[sz]ed|focused)\b",
    r"\bsaved (?:my|our) (?:day|life|week|holiday|bacon|evening|trip|weekend|morning)\b|\bwas a (?:real |big "
    r"|huge )?hit\b",
    r"\b(?:was|is) the (?:\w+est|best) (?:\w+ )?<output>\b|\bends? up (?:unread|ignored|in the bin)\b",
    r"\bwears? me (?:out|down)\b|\bfeels? like .{2,20} to me\b|\bi'?m (?:happiest|at my best|most productive"
    r"|sharpest) (?!that|to\b)\w+",
    r"^(?!game|text|message|call|send|think|talk|all|run|start|come|get|hand|move|turn|pull|take"
    r"|start)\w+ over (?!it\b|here|there|the\b|this|that|and|to\b)[\w-]+$",
    r"\b(?:is|are) (?:useless|no use|no good|gibberish|noise) to (?:me|us)\b",
    r"\b(?:is|are) worth (?:a|two|three|five|ten|more)\b.*\b(?:than|of)\b",
    r"\bmy (?:brain|eyes|mind|head) (?:switch(?:es)? off|shuts? down|glazes?|wanders?|spins?|freez\w+|can't"
    r"|gives? up)\b",
    r"\btoo (?:many|much|long|loud|bright|small) for me\b",
    r"\b(?:clicks?|resonates?) with me\b",
    r"\bspeaks? to me\b",
    r"\b(?:says?|means?) (?:more|less|nothing|far more|much more) to me\b",
    r"(?<!that )(?<!it )\bmakes? (?:more |most |perfect )?sense to me\b",
    r"\bi (?:just )?(?:stop|give up|quit) (?:reading|listening|watching)\b",
    r"\b(?:is|are) (?:about |pretty much )?(?:all|the most|as much as) i can (?:take|handle|manage|digest|read)\b",
    r"\b(?:tells?|says?|gives?|teach(?:es)?|shows?) (?:me|us) (?:more|less|far more|much more|nothing)\b",
    r"\b(?:\w+er|more \w+|better|worse) than .{2,40} (?:to|for) (?:me|us)$",
    r"\b(?:was|were|is|are) (?:just|exactly|about) (?:the )?right\b",
    r"\b(?:works?|reads?|goes|go) (?:better|best|well|fine|great|nicely) (?:on|for|with) (?:him|her|us|them)\b",
    r"^(?!more (?:coffee|tea|wine|time))(?:\w+er|more|fewer|less|plain|simple|short|big|large|clean|clear"
    r"|honest) \w+(?: \w+){0,4},? (?:please|pls|for me)$",
    r"\b(?:would|could|might) have been (?:plenty|enough|fine|better|nicer|easier|clearer|sufficient|perfect)",
    r"\b(?:your|the way you|that|those|last|yesterday's|the (?:\w+ ){1,3}you) .{2,50}\b(?:was|were|is|are|looked"
    r"|reads?) (?:so |really |just |exactly |very |absolutely |much |such )*(?:perfect|great|spot on|lovely|clear"
    r"|brilliant|ideal|a joy|a delight|easier|nicer|better|easy to|what i)",
    r"\bchef's kiss",
    r"\b(?:go|goes|went) (?:straight )?over my head",
    r"\b(?:make|makes|made) (?:my (?:day|mornings?|week)|me (?:smile|happy|laugh|nervous|anxious|jump|feel))",
    r"\b(?:lose|lost) the will",
    r"\b(?:it|that|this|they) could (?:just |simply )?be\b",
    r"\bwould do (?:me|fine|nicely)\b",
    r"\bcan'?t be bothered with",
    r"\bfor everything\b",
    r"\bi(?:'m| am|m) (?:happier|happiest|more comfortable|better off|at my best) with",
    r"\bteeth on edge|\bskin crawl",
    r"\bdo(?:es)? my head in",
    r"\bbeats? (?!me\b|up\b|the |it\b).{1,50}(?:for me|for a person|any day|every time|$)",
    r"\bbrings? me joy",
    r"\bgives? me (?:a headache|the creeps|anxiety|hives|joy)",
    r"\b(?:puts?|turns?) me off\b",
    r"\b(?:bores?|bugs?|annoys?|irritates?|stress(?:es)?|confuses?|distracts?|overwhelms?|drains?|wears|calms?"
    r"|relax(?:es)?|soothes?|motivates?|cheers) me\b",
    r"\blos(?:es?|t) me (?:after|when|at|with|halfway)",
    r"\b(?:how|way) i like\b",
    r"\bsaves? me (?:time|a|from)\b",
    r"^(?!that|this|it\b|ok).{3,40}\b(?:is|are) (?:plenty|enough|sufficient|all i need|all i want|fine by me)\b",
    r"(?<=\w )helps? (?:me|a lot)\b",
    r"\bhurts? my\b",
    r"\b(?:is|are) best (?:around|at|in|for|before|after|when|as)\b",
    r"\bnothing beats\b|^nothing \w+s (?:me|us|my \w+) (?:like|more|better)\b",
    r"\b(?:hard|difficult|tough|easy|tricky) for me to\b",
    r"(?<!that )(?<!this )(?<!it )\bworks? (?:fine |great |well |nicely )?for me\b",
    r"\bmy (?:ears|eyes|brain|head|stomach) (?:prefers?|likes?|loves?|hates?)\b|^(?:no one|nobody) \w+s .* like you\b",
    r"^\w+s .{0,20}\bare a (?:real |total )?(?:god ?send|life ?saver|joy|delight|blessing|treat)\b",
    r"\bworks? for my (?:brain|head|eyes)\b",
    r"\bi tend to (?:skim|read|prefer|skip|like|forget|miss)\b",
    r"\bno (?:interest in|patience for|time for)\b",
    r"\bdrives? me (?:up the wall|crazy|nuts|mad|insane|bonkers|round the bend|bananas|to distraction)",
    r"\bmakes? (?:me|my) (?:\w+ )?(?:glaze|cringe|sick|sleepy|itch|eyes|skin|head|blood|wince|angry|cross|dizzy"
    r"|seasick|want to)",
    r"\b(?:works?|read|reads|goes|go) (?:better|best|well|easier) (?:on|for|with) me",
    r"\b(?:easier|better|nicer|clearer|quicker|best|handier|kinder) (?:for me|on my|for my|to read|on the eyes"
    r"|to follow|to digest)",
    r"\bsuits? me",
    r"\bgets? on my nerves",
    r"\bkeep (?:doing|up|it like|them like) (?:that|this|the)?",
    r"\brubs? me the wrong way",
    r"\bi (?:zone|switch|tune|glaze|nod) (?:out|off|over)",
    r"\b(?:last|that) (?:\w+ ){0,4}(?:was|were) (?:so |really |just |exactly |very )?(?:perfect|great|spot on"
    r"|lovely|clear|nice|brilliant|ideal|exactly)",
    r"\bbeats? .{1,30} (?:any day|every time|hands down)",
    r"(?:\bwould|'d) be (?:nice|kind|lovely|great|good|handy|ideal|helpful|a treat|cool|wonderful|a kindness|a relief"
    r"|a blessing|(?:much |really )?appreciated|welcome"
    r"|sweet|perfect)(?: (?:to|if)|$)",
    r"^(?:the|that|your|[a-z]+ ?[a-z]*'s) (?:[\w-]+ ){0,4}<output>\b.* (?:was|were|is|reads?|looked|worked) (?:so "
    r"|really "
    r"|just |absolutely |pure )*(?:gold|like a dream|beautifully|well|spot on|great|lovely|brilliant|ideal|excellent"
    r"|superb|fantastic|a joy|exactly)\b",
    r"^(?:and |but |so |please |just |you can |feel free to |everyone )*(?:call|name) me (?!at\b|back|later"
    r"|tomorrow|when|on\b|in\b|if\b|a cab|an? |crazy|maybe|old|after|before|again|from|and\b|to\b|by\b|tonight"
    r"|asap|now|about|as soon)\w+",
    r"\bi wish (?:you|my|the|there|it(?! (?:was|were) (?:<weekday>|over|summer|christmas|true)))",
    r"\bi could do with|\bi could use .*\b(?:every|each|when|whenever|before)\b",
    r"\bgo(?:es)? (?:a long way|down (?:well|badly|a treat)|over well) with (?:me|us)\b",
    r"\bit (?:really |always |just )?(?:helps|throws|annoys|bugs|irritates|bothers|confuses|stresses|grates|calms"
    r"|kills|winds)"
    r" (?:me (?:up )?|us )?(?:a lot |so much |no end )?(?:when|if) (?!i\b)",
    r"\b(?:is|are|was|were) (?:exactly |just |all )(?:what |how |that )?i (?:needed|wanted|hoped|like|want|need)",
    r"\bi find .{2,40} (?:annoying|tiring|easier|harder|confusing|helpful|useful|hard to|exhausting|distracting"
    r"|irritating|patroni[sz]ing)",
    r"\blife(?:'?s| is) too short for",
    r"\bthe (?:\w+er|less|more) .{0,40}\bthe (?:better|happier|easier|calmer|merrier)\b",
    r"\bwould(?:n't| not) (?:go amiss|hurt|kill)\b",
    r"\bworks? best (?:for|in|on|at|when|as|if)\b|\bis (?:the|a) (?:best|good|better|ideal|perfect) (?:day|time"
    r"|moment|hour) (?:for|to)\b",
    r"^(?!no\b|not\b|don't|what\b)[\w' -]{3,40}(?:the (?:night|day|evening|week) before|at the (?:end|top|start"
    r"|bottom)|without [\w ]{3,20}"
    r"|in (?:euros|pounds|dollars|fahrenheit|celsius|metric|imperial|miles|kilos?|full)),? please$",
    r"\b(?:spelling|units|format|style|letters|font|mode|names|numbers|times|dates) (?:everywhere|throughout"
    r"|across the board)\b",
    r"\bi (?:get|feel) .{0,20}(?:annoyed|stressed|anxious|overwhelmed|lost) (?:when|by|with|if)",
    r"\bmeans? nothing to me",
    r"\bspare me\b",
)
# How the agent's work should be.
WISH = any_of(
    r"\b(?:replies|answers|reports|emails|summaries|messages|dates|times|prices|titles|headlines|posts|commits?"
    r"|comments|recipes|alerts|digests?|everything|responses|headings|file ?names|amounts|weights|distances|heights"
    r"|sizes|quantities|names|sources|measurements"
    r"|temperatures)\b.{0,14}\b(?:should|must|need to|needs to|have to|has to|in|as|like|under|with|go)\b",
    r"^(?:always |please |just )*[\w-]+(?: \w+)? only(?: please)?$",
    r"^(?:please |just |and |so |also )*(?:default to|assume|make it a (?:rule|habit)|treat|let's (?:use|stick"
    r"|keep|agree|go with)|the default)\b",
    r"^(?:please |just |so |and )*(?:sign|make every|make all|speak to me|talk to me|write to me|treat me"
    r"|explain (?:things|it) to me|answer me) ",
    r"\b(?:address|refer to) me (?:as|by)",
    r"^(?:please )?call my <kin> [a-z]+$",
    r"^(?:[\w-]+ ){1,3}(?:go|belong) (?:in|on|under|into) the \w+",
    r"^i need (?:my|the|every|all|each) \w+",
    r"^(?:and |please |so |just |but )*(?:use|(?:give|send|show) (?:me|him|her|us|them)|write|reply|answer|respond"
    r"|format|sign"
    r"|stick (?:to|with)|say|attach|add|teach|drop me|prefix|refer to|sign off|walk me through|pick(?! up)|choose"
    r"|wake|greet|nudge"
    r"|warn|brief"
    r"|log|tag|label|group|order my"
    r"|start|keep(?! (?:that|this|it|going|in mind|the (?:change|log))\b)|put|spell|quote|round|address"
    r"|speak|talk|explain|summari[sz]e|list|read|translate|post|save|store|file|name|default to|go with|cite"
    r"|include|end|tell me|remind (?:him|her|them|us|dad|mum|mom|the \w+)) ",
)
# A wish with a time stands by itself.
AT_TIME = any_of(
    r"\b(?:at|before|after|every) (?:\d|one|two|three|four|five|six|seven|eight|nine|ten|noon|midnight)",
)
# "I like it": a reaction to what was just said, no taste.
SHORT_OBJECT = any_of(
    r"\bfancy (?:an?|some) \w+(?: \w+)?$",
    r"\b(?:like|love) the (?:hotel|restaurant|place|film|song|book|gift|flat|house|photo|picture|idea|joke|title"
    r"|name|logo) (?:you|that)\b",
    r"\blike where (?:this|that|it|your)\b.*\b(?:going|head)|\blike how (?:this|it|that|these|those)\b|我 ?(?:love"
    r"|like) (?:you|u)\b",
    r"\b(?:like|prefer|love|hate|want) (?:the|that|this|your) (?:(?:\w+ )?one|(?:first|second|third|last|new|old"
    r"|other|latter|former)(?: version| draft| option| photo"
    r"| picture| design)?)(?: (?:better|more|best|most|too|a lot))*$",
    r"\b(?:like|love|hate|enjoy) (?:this|that|these|those) (?:weather|film|song|movie|heat|rain|game|bug|error|thing"
    r"|place|app"
    r"|machine|traffic|show|book|series|cold)\b",
    r"\bhate to (?:ask|say|bother|break|interrupt|complain|nag|be)\b",
    r"^(?:i )?(?:really |just |so )?(?:love|like) your (?:style|idea|thinking|enthusiasm|energy|humou?r|attitude"
    r"|spirit|work|answer)\b",
    r"^(?:i )?(?:really |just |so )?love (?:you|u)\b",
    r"^(?:i|we|really|just|and|so|also|i do|i really|i just|i also| )* ?(?:like|love|hate|prefer|enjoy) (?:it|that"
    r"|this|them|these|those|you|him|her|neither|both|either)(?: (?:one|idea|version|plan|look))?(?: (?:for (?:this"
    r"|that|it)|too"
    r"|so much|a lot|better|more|best|already|haha|lol))*(?:[, ]+(?:thanks|thank you|thx|ta|cheers))?$",
)
