"""What only looks like a wish, a limit or a fact in English: questions, guesses, other voices, take-backs."""

from appliance.memory.words_en import any_of

# The form of a question.
ASKING = any_of(
    r"^(?:and |so |but )?(?:what|why|how|where|who|which|whose)\b",
    r"^(?=.*or not)(?!.*\bwhether\b).*\bor not\b|\bright$|\bhuh$|\bisn't it\b",
)
# How a question begins.
QUESTION_FRAME = any_of(
    r"^(?:so |and |but |hey |ok |also |well |btw |wait |sorry )*(?:what(?:'s| is| are| do| does| did| was| if"
    r"| about| time| kind| the)|why|how (?:do|does|did|is|are|was|much|many|long|come|about|can|could|to|would"
    r"|should)|when (?:is|are|do|does|did|was|will|can|should)|where(?:'s| is| are| do| did| can| was)|who (?:is"
    r"|are|was|do|does|did)|which|whose|do (?:you|i|we|they|people|cats|dogs)\b|does|did (?:i|you|we|he|she|they"
    r"|it|my|the)\b|is (?:it|there|this|that|the|my|he|she|a|an|my|\w+ing)\b|are (?:there|you|we|they|my|the|these"
    r"|cats)|am i\b|have (?:i|you|we)\b|has\b|was (?:i|it|there|the|my)|were\b|should (?:i|we)|shall (?:i|we)"
    r"|would (?:it|i|that|you say|a)|will (?:it|this|that|a|the)|could (?:it|i|we)|can (?:i|we|it)|any idea"
    r"|any (?:thoughts|good|recommendation)|remember when|who'?s|what'?s|ever (?:tried|heard|seen)|isn't|aren't"
    r"|didn't (?:i|you|we)|haven't|wasn't|ain't)\b",
)
# A sentence that only supposes.
WHOLE_HYPOTHESIS = any_of(
    r"\b(?:suppose|supposing|imagine|what if|hypothetically|let's say|lets say|in theory|say i (?:was|were|had"
    r"|live|like|hate|move)|assume (?:i|we|that)|assuming (?:i|we)|pretend|if i (?:were|was|had|could|lived|moved"
    r"|quit|became|owned|won|wanted|liked|hated|bought|chose|loved|gave up)|if we (?:were|had|moved|lived|bought)"
    r"|were i\b|had i\b|if you think about it|would i\b|in another life|in a perfect world|theoretically"
    r"|for the sake of argument|philosophically|if only)\b",
)
# A condition ("if that's ok" is only polite).
CONDITION = any_of(
    r"(?<!prefer )(?<!like it )(?<!love it )(?<!appreciate it )\bif\b(?! (?:that'?s|it'?s|that is|it is) (?:ok"
    r"|okay|all right|alright|fine|possible|not too)\b| you (?:can"
    r"|could|don't mind|wouldn't mind)\b| possible\b| at all\b)",
    r"\bin case\b(?! (?:it matters|you|that helps))",
    r"\bprovided\b|\bassuming\b",
)
# Wishes in the form of a condition: "it would help if …".
WISHED = any_of(
    r"^if only (?:you|the|my|every|there)\b",
    r"^(?:rather than|instead of) .{2,40}, ?(?:just |please )?\w+ \w+",
    r"\bit (?:would|'d) (?:really |actually )?(?:help|be a (?:big |huge |great )?help|make \w+ (?:day|life)"
    r"|save me) (?:if|a|so|time)",
    r"\bi'd be (?:happier|better off|glad|grateful|delighted) (?:if|not|with|without)",
    r"^(?:what|the thing|all|the one thing) i (?:really |most |always )*(?:like|love|want|need|prefer|hate|enjoy"
    r"|dislike)\b.{0,30}\b(?:is|are)\b",
    r"\bit(?:'d| would) be (?:nice|lovely|great|handy) if",
)
# For one occasion only.
TODAY = any_of(
    r"\bi'?m (?:just |now )?(?:heading|going|off|about to (?:go|head|walk)|walking|stepping|hopping) (?:in|into|to|on"
    r"|onto|out)\b",
    r"\bi'?m (?:right|just) (?:outside|here|behind|downstairs|coming|next door)\b",
    r"\b(?:anything|anyone|it|them|that|me|him|her) now\b",
    r"\bfor (?:an|one|two|half an|a couple of|\d+) (?:hours?|min(?:ute)?s?|sec(?:ond)?s?)\b",
    r"^i'?m (?:at (?:the|a)|in (?:a|the) (?:meeting|call|cinema|theatre|shower|bath|car|queue)|on (?:a"
    r"|the) (?:call|phone|plane|train|bus))\b",
    r"\btoday\b(?! on\b)|\btonight\b|\btomorrow\b",
    r"\bthis (?:time|once|one|morning|afternoon|evening|weekend|week(?! and)|file|post|article|email|draft|photo"
    r"|flight|trip|ticket|booking|order|picture|report|message|song|chapter|paragraph|instance|pr|build|deploy|run"
    r"|round|batch|page|video|slide"
    r"|list)\b",
    r"\bjust (?:this )?once\b",
    r"\bfor (?:now|today|the moment|the time being|the next(?! (?:\w+ )?(?:weeks?|months?|years?|term))"
    r"|this (?:one|week|time)|a (?:bit|while|sec|second|minute|moment|few))\b",
    r"\bright now\b",
    r"^(?:please |so |but |and )*(?:don't|do not|no|not|never)\b.{0,40}\byet\b",
    r"\bthe next (?:\w+ )?(?:hour|hours|minutes|half|few|couple|day|two)\b",
    r"\buntil (?:i'm|i am|i get|the (?:meeting|call|match|game|movie|film|show)|he|she|they|ci)\b",
    r"\bduring (?:this|the) (?:call|meeting|match|game|film|movie)\b",
    r"\bi'm (?:on a call|in a meeting|watching|presenting|driving right)",
    r"\bhang on\b|\bonly this\b|\btemporarily\b",
    r"\bin a (?:minute|bit|sec)\b",
    r"^(?:don't|do not|no|stop|please|turn|play|skip)\b.*\bnow(?:,? please)?$",
    r"\bwhile i'm (?:on|in) (?:this|the)",
    r"等 ci|\bmeeting 中",
    r"\bthe (?:match|game|film|movie|call|meeting) is\b",
    r"\bjust for\b",
)
# For good although a day is named.
FROM_TODAY = any_of(
    r"\b(?:starting|beginning|effective|as of|as from) (?:next|this|from|on|today|tomorrow|now|\w+day)\b",
    r"\bbetween us\b|\bconfidential\b",
    r"\bfrom (?:next (?:week|month|year)|(?:this|next|now|here)\b.{0,8}\bon)\b",
    r"\bany ?time\b|\bwhenever\b|\bnever\b",
    r"\bevery\b|\beach\b|\balways\b|\bfrom today|starting today|as of today",
)
# No longer so.
PAST = any_of(
    r"\bused to\b(?<!'m used to)(?<!am used to)(?<!get used to)(?<!getting used to)(?<!im used to)",
    r"\bback (?:then|when|in the day|in (?:19|20)\d\d|in (?:college|school|uni))\b",
    r"\bas a (?:kid|child|teen|teenager|student)\b",
    r"\bwhen (?:i was|(?:i|we) (?:lived|worked|studied|were))\b",
    r"\b(?:years|ages|decades|long) ago\b",
    r"\bin the past\b|\bonce upon\b",
    r"(?<!i'm )(?<!am )\bin my (?:teens|twenties|thirties|forties)\b",
    r"\bin my (?:youth|previous|last job|old)\b",
    r"\bgrown out of\b|\bgrew out of\b|\bfor a while in\b|\bin those days\b",
    r"\bonce (?:lived|worked|had|loved|hated|owned)\b",
    r"\bmy old (?:job|flat|house|place|boss)\b",
    r"\bi'm over (?:it|that)\b",
    r"\bnot any ?more\b|\ball gone now\b|\blong gone\b",
)
# … but so it is now.
NOW = any_of(
    r"\b(?:now|these days|nowadays|currently)\b(?! gone)",
)
# What takes something back.
TAKE_BACK = any_of(
    r"\b(?=[cdefrsu])(?<!don't )(?<!never )(?<!not )(?:drop|delete|remove|undo|erase|cancel|scrap|forget) (?:the"
    r"|that|my|this) (?:\w+ ){0,3}(?:note|rule|memory|entry|thing|preference|ban|limit|setting|bit)\b",
    r"^(?:please |ok |okay |actually |and |so |you can )*(?:undo|cancel|lift|drop|remove|delete|scrap|forget"
    r"|revoke|clear|erase|end|disable|ditch)\b.{1,40}\b(?:i (?:gave|set|told|asked|made|mentioned|put|wanted)"
    r"|quiet hours?)\b",
    r"\b(?:take|get|pull|leave) (?:that|it|this) (?:out|off)\b(?! of (?!your|the (?:notes|memory|list)))",
    r"\bi'm not (?:a|an) \w+, (?:fix|correct|change) (?:that|it)\b",
    r"\byou can (?:stop|quit) \w+ing\b",
    r"\bnever true\b",
    r"(?<!i )(?<!we )\b(?:don't|do not|no need to|stop|quit) remember(?:ing)? (?:that|what|how) (?:i|we|my|our)\b",
    r"\b(?:fix|correct|update|amend|change|clean up) your (?:notes?|memory|records?)\b",
    r"\bget rid of (?:it|that|the (?:note|rule|memory))$",
    r"\bmix(?:ed|ing)? (?:me|us|that|it) up\b",
    r"\bconfus(?:ed|ing) me with\b",
    r"\b(?:whoever|who) (?:told|said)\b.*\b(?:you|otherwise|so)\b",
    r"\b(?:stuff|thing|bit|part|rule|note) about .{2,40} (?:doesn't|does not|no longer) (?:hold|appl|count|matter)",
    r"\bwhere did you (?:get|hear) (?:that|this)\b",
    r"\bwho told you (?:that|i|we)\b",
    r"\bafter all,? (?:so )?(?:forget|scrap|never mind|ignore)",
    r"\bnot (?:moving|going|vegan|vegetarian|allergic|getting|living) .{0,30}after all\b",
    r"\bi (?:said|told you|mentioned|claimed) .{3,60}\b(?:wrong|outdated|changed|no longer|mistake|a joke|typo"
    r"|not true|isn't true)\b",
    r"\b(?:hours|rule|rules|ban|restriction|limit|thing)\b.{0,24}\b(?:is|are) (?:off|over|gone|cancelled|canceled"
    r"|void|history)\b",
    r"\b(?:outdated|no longer accurate)\b",
    r"\bbin (?:it|that)\b",
    r"\bfrom your notes\b",
    r"\b(?:strike that|unsay|retract|rescind|nix that)\b",
    r"\bi (?:don't|do not) (?:actually |really )?(?:hate|mind) .{2,30}(?:any ?more|after all|at all)?$",
    r"\bi was (?:only )?(?:joking|kidding|being sarcastic)\b",
    r"\b(?:scrap|drop|lift|kill|ditch|lose|end|reset|relax|remove) (?:the|my|that|this|all) .{0,24}\b(?:thing|rule"
    r"|rules|hours|ban|limit|preference|restriction|policy|boundary|note|entry|memory|fact|record)\b",
    r"\b(?:rule|preference|ban|restriction|limit) .{0,30}(?:no longer|doesn't|does not|is gone|is over|is lifted)",
    r"\bno longer (?:applies|true|needed|the case)\b",
    r"(?=f)(?<!don't )(?<!dont )(?<!not )(?<!never )(?<!i )(?<!to )(?<!always )(?<!often )\bforget (?:what i|about"
    r"|that|the|my|everything|it|all|i |我|这|那|之前|刚|me )",
    r"\bscratch that\b",
    r"\bignore (?:what i|my (?:last|previous|earlier|note|rule)|that (?:rule|last|bit|note)|the (?:earlier|rule"
    r"|last|previous|bit about|note about|thing))",
    r"\bi (?:take (?:that|it|this|back)|didn't mean|never said|was (?:joking|kidding|wrong|only joking"
    r"|just kidding)|don't (?:actually|really) (?:hate|like|love|live|have|mind)|lied|misspoke|changed my mind"
    r"|no longer (?:want|need|care|mind))\b",
    r"\btake (?:it|that) back\b",
    r"\b(?:was|is) (?:a )?(?:typo|mistake|joke|wrong|not true|no longer true|untrue|outdated)\b",
    r"(?=[cdelrsuw])(?<!never )(?<!don't )(?<!dont )(?<!not )(?<!before you )\b(?:remove|delete|drop|cancel|undo"
    r"|erase|wipe|strike|lift|revoke|retract|clear|scrap|discard) (?:(?:it|that)$|the (?:rule|note|memory"
    r"|preference|entry|fact|bit|thing|ban|restriction|boundary|line|part)|my (?:rule|preference|note|earlier"
    r"|previous|last|old)|that (?:rule|note|memory|preference|from|entry|one|ban|fact)|what i|your (?:note|memory)"
    r"|from (?:memory|your)|anything (?:about|you))",
    r"\bisn't true\b|\bnot true any",
    r"\bnever mind (?:what|about|the|that|my)",
    r"\bdisregard\b",
    r"\bno need to (?:remember|keep|avoid|stay|hold)",
    r"\byou can (?:forget|ignore|drop|send|push|call|message|use) .{0,30}(?:again|now)\b",
    r"\b(?:got|had) (?:that|it) wrong\b",
    r"\byou (?:misheard|misunderstood|remembered wrong|got (?:that|it|me) wrong|must have me)",
    r"\bi never (?:told|said|asked)",
    r"\bun-?(?:remember|learn|know|save)\b",
    r"\bdon'?t (?:remember|store|save|keep) (?:that|this|it)$",
    r"\bactually,? (?:voice|pushes|notifications|calls|\w+) (?:is|are) (?:fine|ok|okay)\b",
    r"\b(?:is|are) (?:fine|ok|okay) (?:again|after all|now)\b",
    r"\bthat (?:thing|bit|stuff|part) about .{2,40}(?:wrong|not|wasn't|isn't|remove|forget|delete)",
)
# Invented people speak.
FICTION = any_of(
    r"\byou(?:'re| are) (?:the|a|an|my) (?:king|queen|pirate|wizard|knight|detective|captain|butler|robot|villain"
    r"|ghost|dragon|medieval)",
    r"\byou (?:be|play) (?:the|a|an|my)\b.* (?:i'm|i am|i'll be|i will be) ",
    r"\bcharacter (?:sheet|profile|bio|description)\b",
    r"\blet's play[:,]? (?=i'm|i am|you|a game where|pretend)",
    r"\byou start\b",
    r"^(?:let's|let us) (?:do|play|try) (?:some |a bit of )?(?:improv|charades|pretend|make-believe)\b",
    r"^(?:you )?be (?:my|an?|the) \w+[.,:] ",
    r"\b(?:novel|story|screenplay|fanfic|comic|book|play|script)'s (?:hero|heroine|villain|main|narrator"
    r"|protagonist|lead)",
    r"\blines? (?:like|such as|of dialogue)\b",
    r"(?<!don't )(?<!never )(?<!not )(?<!to )(?<!i )\b(?:write|give|make|tell|draft|invent|continue|add|create"
    r"|compose|pen|help"
    r"|need|finish)\b.{0,40}\b(?:villain|story|stories|novel|(?:a|main|my|the) character\b|dialogue|poem"
    r"|screenplay|line something|monologue|fairy ?tale|fiction|limerick|haiku|protagonist|heroine|narrator"
    r"|backstory|npc\b|saga)",
    r"\brole-?play\b",
    r"\bpretend (?:to be|you're|you are)",
    r"\bact as (?:a|an|if|the)\b",
    r"\bin (?:the|my|this|that) (?:story|novel|film|movie|book|novel|script|chapter|comic|campaign)\b",
    r"\bmy (?:character|protagonist|villain|narrator|heroine|hero)\b",
    r"\bopening line\b",
    r"\bshort story\b(?!.{0,10}\b(?:writer|author))",
    r"\bthe (?:character|protagonist|villain|narrator|hero|heroine) (?:says|is|hates|loves|whispers|shouts)",
    r"\bd&d\b|\bdungeon",
)
# Somebody sings.
LYRICS = any_of(
    r"\b(?:my|this|the|our) (?:song|verse|lyrics?|chorus|poem|tune)\b\s*[:\"]",
    r"\bfinish (?:my|this|the) (?:song|verse|poem|rhyme)",
    r"🎵|🎶|\bthe hook\b",
    r"♪|♫|\blyrics?\b",
    r"\bsong\b.{0,24}\b(?:goes|that|about|called|where|with the line|stuck)",
    r"\bverse\b|\bchorus\b",
    r"\bsing(?:ing)?\b.{0,16}['\\x22:]",
    r"\brhyme",
    r"\bhum(?:ming)?\b|\brap\b",
)
# The opposite is meant.
SARCASM = any_of(
    r"^(?:wonderful|great|fantastic|lovely|perfect|brilliant)\b.{3,60}\b(?:again|another)\b",
    r"^(?:oh|wow|ah|gee)[,! ]+(?:fantastic|great|wonderful|lovely|brilliant|perfect|joy|super)\b",
    r"^(?:wow|oh|gee|ah|great)[,! ]+thanks (?:so much )?for \w+ing\b",
    r"^(?:sure|yeah|right|oh|go on)\b[, ].{0,40}\b(?:again|another)\b.{0,20}\b(?:i (?:live|love)|my favou?rite"
    r"|just what i)",
    r"^(?:yeah|oh|ah|wow|right|ok)[, ]+sure[, ]+i (?:just |really |totally )*(?:love|adore|enjoy)",
    r"\bfavou?rite thing (?:ever |in the world )?is (?:being|getting)\b",
    r"\b(?:truly|totally|absolutely|simply|just) (?:love|adore|enjoy)\b.*\b(?:times|again|another|for hours"
    r"|the same)\b",
    r"\bnothing i (?:love|like|enjoy) more than\b",
    r"^(?:great|wow|nice|lovely|perfect)\b[,!. ]+(?:thanks[,!. ]+)?i (?:just |so |simply |truly )+(?:love|adore"
    r"|enjoy)\b",
    r"(?<!don't )(?<!not )(?<!not a )\b(?:love|adore|enjoy) (?:\w+ )?(?:captchas?|stack traces?|traffic|queues?|queuing"
    r"|overtime|spam|outages?|paperwork|reinstalling|rebooting)\b",
    r"🙃|🙄",
    r"^(?:great|fantastic|wonderful|lovely|brilliant|perfect)[,!. ]+(?:another|i (?:do |just |really |so )*(?:love"
    r"|enjoy|adore) \w+ing|just what|because|exactly what|yet another|now)",
    r"^(?:oh|ah|wow|gee|sure|yeah)\b[,!. ]*(?:oh |just |sure |yeah |great |fantastic |wonderful |lovely "
    r"|brilliant |perfect |another |because |i (?:just |really |simply |absolutely |so |totally |truly "
    r"|do )*(?:love|adore|enjoy|live for|like|can'?t get enough))",
    r"\bjust (?:love|adore) (?:being|it when|when|how(?! (?:short|clear|brief|clean|simple|neat|quick|tidy"
    r"|concise))|getting|waking|having|that)",
    r"\babsolutely (?:love|adore) (?:being|it when|when|how|re\w+ing|getting|waking|having|debug|fix)",
    r"\bmy favou?rite (?:thing|part|hobby|way|pastime)\b.{0,30}\b(?:3 ?am|broken|crash|reboot|error|fail|waiting"
    r"|down|outage|(?<!pregnant )again|debug|reinstall)",
    r"\byeah,? right\b|\bas if\b|\bthanks a lot\b",
    r"\bhow (?:nice|lovely|thoughtful|kind|wonderful)\b.{0,20}(?:again|3 ?am|another)",
    r"\bso much fun\b",
    r"\bnothing (?:says|beats|better than)\b.{0,40}(?:3 ?am|crash|error|fail|outage|reboot)",
    r"\blove (?:how|that) (?:you|it|this) (?:always|never|keeps?|crash|break)",
    r"\blove it when (?:you|it|the|my|everything|things)\b.{0,30}(?:crash|break|fail|die|delete|down|3 ?am|ignore"
    r"|error|lose|reboot|stop)",
    r"/s$",
    r"\bcan'?t get enough of\b.{0,24}(?:error|crash|3 ?am|reboot|alert|pop-?ups|meetings)",
)
# What follows is to be translated, sent or corrected.
PAYLOAD = any_of(
    r"\b(?:reply|tell|write|let|inform|message|text|email|say|respond)\b[^.!?\n]{0,24}\b(?:him|her|them"
    r"|my (?!\w+ (?:is|has))\w+|the \w+|everyone)\b[^.!?\n]{0,6}\b(?:that|know)\b",
    r"\b(?:translate|write|draft|compose|reply|respond|tell (?:him|her|them|my|the)|tweet|caption|post|email"
    r"|text (?:him|her|my)|say|message|subject|slogan|bio|headline|proofread|correct|rephrase|paraphrase|reword"
    r"|polish|rewrite|type|sentence|letter|toast|card|ad|cv|resume|cover letter|reads?|phrase"
    r"|quote)\b[^.!?\n:]{0,50}(?::(?!\d\d)|\bsaying\b|\bthat (?:says|starts|goes|begins)\b|\bas follows\b)",
    r"\binto an? \w+:",
    r"\b(?:write|compose|draft|post)\b.{0,30}\babout (?:how|why|me|being) ",
    r"^(?:please |pls |can you |could you )?(?:draft|write|compose|translate)\b[^.!?\n]{0,40}\b(?:from|as) (?:me|a"
    r"|my|the)\b",
)
# What follows was said or written by somebody.
REPORTED = any_of(
    r"\b(?:said|says|say|quote|quotes|wrote|writes|tweeted|texted|posted|commented|sticker|sign|mug|headline|shirt"
    r"|t-shirt|review|comment|reads?|goes|asked|told (?:me|us|him|her)|replied|yelled|e-?mailed|messaged|answered"
    r"|complained|announced|shouted|message from \w+"
    r"|voicemail|note from \w+|email from \w+|quoting|forwarded|fwd|title|caption|poster|banner|motto"
    r"|subject)\b[^.!?\n:]{0,30}:(?!\d\d)",
)
# Work to do now.
TASK = any_of(
    r"^(?:and |so |ok |okay |hey |hi |please |pls |plz |can you |could you |would you |now |then |also |next "
    r"|quick(?:ly)? |kindly )*(?:write|draft|make (?:a|an|me|the|it|this)|find|translate|summari[sz]e (?:this|the"
    r"|my|it|that|these)|give me (?:a|an|the|five|three|some|ten|two|\d)|look up|check|fix|create|generate|book"
    r"|order|schedule|convert|rename|delete (?:the|this|my|that|all)|list (?:the|all|my)|plan|explain (?:this|the"
    r"|how|what|why|it|to)|compare|sort|remind me|show me (?:the|how|my|a|what)|tell me (?:a|about|how|what|why"
    r"|the|more|if|when)|turn (?:on|off|the)|play|open|restart|reboot|set (?:a|an|the|up|my)|add|pull|download"
    r"|upload|move the|copy|search|help|suggest|recommend|calculate|run (?:the|a|this)|start (?:the|a)|stop the"
    r"|clean|debug|review|mute (?:the|my) \w+$|send (?:him|her|them|my \w+|the|this|it|a)|proofread|rewrite"
    r"|read (?:this|the|me)|update (?:the|my)|put (?:this|the|it|that|milk)|save (?:this|the|it|that)|file this"
    r"|post (?:this|the|it)|print|name (?:a|three|five)|pick|resize|crop|backup|back up|reply to (?:this|that|him"
    r"|her|the|them)|answer (?:this|that|the)|use (?:the|this|that))\b",
)
# Small talk that begins like a statement.
CHAT = any_of(
    r"^(?:i (?:did|do|will|can|see|mean|guess)|(?:i'm|im|i am) (?:in|off|out|free|good|so|too|busy|happy|home"
    r"|ready|back|late|tired|here|trying|on it|looking|thinking|wondering|serious|listening|confused|curious)"
    r"|morning|right|nice|cool|great)$",
    r"^that(?:'s| is) what i\b",
    r"^(?:i|we) owe\b",
    r"^(?:next|every|each) time (?:and|after)\b",
    r"^(?:yes|no|ok|okay|sure|thanks|thank you|thx|lol|lmao\w*|haha\w*|hmm+|hi|hey|hello|good (?:morning|night|job"
    r"|one|point)|got it|sounds good|i (?:know|think so|agree|understand|hope so|(?:like|love|hate|prefer) (?:it"
    r"|that|this|you|them)(?: too| a lot| so much)?$|meant|got it)|(?:i'm|im|i am) (?:here|done|waiting|fine|ok"
    r"|okay|sure|sorry|hungry|afraid|not sure|asking|off to bed|heading|lost|bored|stuck|just (?:saying|asking"
    r"|kidding|checking)|with you|all ears|looking (?:at|for)|glad|going to (?:bed|sleep)|going out|about to|gonna"
    r"|in a (?:meeting|call|rush|hurry|minute|bit)|on (?:the (?:train|bus|phone|way)|my way|a call|it)"
    r"|at (?:the (?:shop|office|station|airport)|work|home)|thinking|wondering|serious|joking|kidding|starving"
    r"|impressed|jealous|proud|the same|a bit|a little))(?:[\s,.!]|$)",
)
# Somebody tells what somebody says.
SAYS = any_of(
    r"\b(?:says?|said|thinks?|told|wants?|keeps|keep \w+ing)\b",
)
# Out of order or of the moment, no standing fact.
FAULT = any_of(
    r"\b(?:dying|calling|asleep|crying|screaming|waiting|at the door|awake|says? hi|arriv\w+|leaving|(?:is"
    r"|are) (?:back|home|here|late|hungry|ready|delayed|out of|out|full|low|empty|wet|dirty|noisy|hot|cold|offline"
    r"|unreachable|not responding)|on (?:his|her|their|its) way)\b",
    r"at \d+ ?%",
    r"\bdoesn't (?:work|compile|start|boot|load|open|respond)\b",
    r"\b(?:won't|isn't working|not working|is down|keeps? (?:crash|drop|fail|say|giv|restart)\w*|an error"
    r"|is broken|failed|crashed|for a (?:second|moment|minute)|(?<!pregnant )(?<!and )again|stuck|is full"
    r"|timed out|looks wrong|is wrong"
    r"|is slow(?! (?:in"
    r"|at|on|every|when|during)))\b",
)
# People outside the household.
OTHERS = any_of(
    r"(?:my|our|the|this|that|a) (?:new |old |next-door )?(?:guy|lady|trainer|therapist|dentist|hairdresser|barber"
    r"|intern|tenant|professor|tutor|coach|accountant|lawyer|student|plumber|electrician|couple|family next door"
    r"|people next door|people upstairs"
    r"|people downstairs|folks|kid next door|driver|waiter|barista|postman|(?:gardener|cleaner)(?! comes)|nanny's"
    r"|babysitter's|stranger"
    r"|roommate's|celebrity|singer|president|minister|sister's|brother's|cousin's|uncle's|aunt's)\b",
    r"my \w+'s (?:friend|boss|colleague|teacher|neighbou?r|mate|coworker|doctor|client|girlfriend|boyfriend"
    r"|ex)s?\b",
    r"(?:the|this|that|one|an?) (?:author|article|guide|docs?|documentation|book|internet|manual|customer|video"
    r"|post|blog|study|recipe|expert|doctor|reviewer|seller|speaker|host|hero|guest|kid in)s?\b",
    r"(?:reddit|twitter|stackoverflow|the internet|google|wikipedia|they)\b",
    r"(?:(?:my|a|our|the|his|her|their|some|most|many|these|those|all)\s)?(?:colleagues?|co-?workers?|friends?"
    r"|neighbou?rs?|boss|editor(?= (?:prefers?|likes?|loves?|hates?|wants?))|manager|clients?|customers?|users?"
    r"|readers?|subscribers?|followers?|listeners?|viewers?"
    r"|people|everyone|everybody|somebody|someone|students?|teachers?|landlord|cousins?|uncle|aunt|classmates?"
    r"|buddy|mate|folks|guy|guys|girl|lady|ceo|vendor|competitors?|team ?mates?|ex|he|she|they|his|her|their|mike"
    r"|john|dave|bob|alice|jane|steve|sarah|anna|emma|james|kevin)\b",
    r"(?:a|one of my|another) (?:friend|colleague|mate|buddy|neighbou?r)s?",
)
# What comes before a statement and is no part of it.
LEAD_IN = any_of(
    r"(?:[a-z]+(?: [a-z]+){0,2}:(?= (?:i|i'm|my|we|our|never|always|please)\b)|(?:and|but|so|then|also|because|cause"
    r"|since|anyway|well|ok(?:ay)?|oh|hey|hi|hello|btw|by the way|fyi|ps"
    r"|p\.s\.|plus|though|besides|just so you know|for the record|note(?: to self)?|reminder|heads up"
    r"|[^(),.]{1,40}\)|(?:new )?house rule:?|one more thing|turns out|also note|remember|keep in mind|please note"
    r"|quick note"
    r"|please remember|as for me"
    r"|honestly|tbh|look|listen|sorry|actually|right|now|kindly|seriously|for real|i mean|again|once more"
    r"|oh and)[,: ]+)+",
)
# Courtesy, which belongs to the clause beside it.
POLITE = any_of(
    r"please|thanks|thx|okay|ok",
)
