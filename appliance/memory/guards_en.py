"""What of a message in English is no statement of the person: take-backs, play, mockery, text to send, questions."""

from appliance.memory.shapes import any_of

# What takes something back.
TAKE_BACK = any_of(
    r"\b(?=[cdefrsu])(?<!don't )(?<!never )(?<!not )(?:drop|delete|remove|undo|erase|cancel|scrap|forget) (?:the"
    r"|that|my|this) (?:\w+ ){0,3}(?:note|rule|memory|entry|thing|preference|ban|limit|setting|bit)\b",
    r"^(?:please |ok |okay |actually |and |so |you can )*(?:undo|cancel|lift|drop|remove|delete|scrap|forget"
    r"|revoke|clear|erase|end|disable|ditch)\b.{1,40}\b(?:i (?:gave|set|told|asked|made|mentioned|put|wanted)"
    r"|quiet hours?|do[- ]not[- ]disturb|dnd)\b",
    r"\b(?:take|get|pull|leave) (?:that|it|this) (?:out|off)\b(?! of (?!your|the (?:notes|memory|list)))",
    r"\bchanged my mind (?:about|on)\b",
    r"\bi'm not (?:a|an) \w+, (?:fix|correct|change) (?:that|it)\b",
    r"\byou can (?:stop|quit) \w+ing\b",
    r"^(?:please |and )*stop (?:remembering|storing|assuming i|thinking i)\b",
    r"(?<!i )(?<!we )\b(?:don't|do not|no need to|stop|quit) remember(?:ing)? (?:that|what|how) (?:i|we|my|our)\b",
    r"\bi (?:said|told you|asked for) .{2,40}\b(?:but now|well,? now|now i want)\b|^(?:no more|end of"
    r"|enough of) (?:the )?quiet hours\b",
    r"^no longer .{3,40}\b(?:update|fix|change|remove|delete|correct) (?:that|it|this|your)\b",
    r"\bnever true\b|\bi never was\b|\b(?:needn't|don't need to|don't have to)\b.* any ?(?:more|longer)$",
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
    r"\byou can (?:forget|ignore|drop|send|push|call|message|use|wake|ring|text|ping|remind|talk|speak|joke|swear"
    r"|post|share"
    r"|disturb|notify|alert|read|show) .{0,30}(?:again|now)\b",
    r"\b(?:got|had) (?:that|it) wrong\b",
    r"\byou (?:misheard|misunderstood|remembered wrong|got (?:that|it|me) wrong|must have me)",
    r"\bi never (?:told|said|asked)",
    r"\bun-?(?:remember|learn|know|save)\b",
    r"\bdon'?t (?:remember|store|save|keep) (?:that|this|it)$",
    r"\bactually,? (?:voice|pushes|notifications|calls|\w+) (?:is|are) (?:fine|ok|okay)\b",
    r"(?:\b(?:is|are)|'s|'re) (?:fine|ok|okay) (?:again|after all|now)\b|\bi(?:'ve| have) changed my mind\b",
    r"\bthat (?:thing|bit|stuff|part) about .{2,40}(?:wrong|not|wasn't|isn't|remove|forget|delete)",
)
# Invented people speak.
FICTION = any_of(
    r"^you(?:'re| are) (?:the|an?) \w+, (?:and )?i'?m (?:the|an?) ",
    r"^for (?:the|my) (?:novel|story|book|film|script|play|game|comic|screenplay)[:,]",
    r"\byou(?:'re| are) (?:the|a|an|my) (?:king|queen|pirate|wizard|knight|detective|captain|butler|robot|villain"
    r"|ghost|dragon|medieval)",
    r"\byou (?:be|play) (?:the|a|an|my)\b.* (?:i'm|i am|i'll be|i will be) ",
    r"\b(?:our|my|the) (?:campaign|session|one-shot|larp|sketch|skit|fanfic)\b.*\bi'?m\b|\b(?:story|scene"
    r"|writing) (?:starter|prompt)\b",
    r"\bcharacter (?:sheet|profile|bio|description)\b",
    r"\blet's play[:,]? (?=i'm|i am|you|a game where|pretend)",
    r"\blet'?s (?:play|do|be) (?:detectives?|doctors?|shop|house|school|pirates?|cops|spies|vets?|an? game)\b",
    r"(?<!when )(?<!if )\byou start\b(?! with)",
    r"^(?:let's|let us) (?:do|play|try) (?:some |a bit of )?(?:improv|charades|pretend|make-believe)\b",
    r"^(?:you )?be (?:my|an?|the) \w+[.,:] ",
    r"\b(?:novel|story|screenplay|fanfic|comic|book|play|script)'s (?:hero|heroine|villain|main|narrator"
    r"|protagonist|lead)",
    r"\blines? (?:like|such as|of dialogue)\b",
    r"(?<!don't )(?<!never )(?<!not )(?<!to )(?<!i )\b(?:write|give|make|tell|draft|invent|continue|add|create"
    r"|compose|pen|help"
    r"|need|finish)\b.{0,40}\b(?:villain|joke|riddle|scene|sketch|skit|fable|story|stories|novel|(?:a|main|my"
    r"|the) character\b"
    r"|dialogue|poem"
    r"|screenplay|line something|monologue|fairy ?tale|fiction|limerick|haiku|protagonist|heroine|narrator"
    r"|backstory|catchphrase|npc\b|saga)",
    r"\brole-?play\b",
    r"(?<!don't )(?<!never )\bpretend (?:to be|you're|you are)",
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
    r"\b(?:song|tune|jingle)\b[^.!?:]{0,24}:",
    r"\b(?:my|this|the|our) (?:song|verse|lyrics?|chorus|poem|tune)\b\s*[:\"]",
    r"\bfinish (?:my|this|the) (?:song|verse|poem|rhyme)",
    r"^\W*[🎵🎶♪♫]|[🎵🎶♪♫].*[🎵🎶♪♫]|\bthe hook\b",
    r"\blyrics?\b",
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
    r"^(?:sure|yeah|right|oh|go on)\b[, ].{0,40}\b(?:again|another)\b.{0,20}\b(?:i (?:live|love|adore|needed)"
    r"|my favou?rite"
    r"|i'?m a (?:huge|big|massive) fan|just what i)",
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
    r"|enjoy|adore) (?:\w+ing|a (?:good|nice|bit of)|me (?:a|some))|just what|because|exactly what|yet another|now)",
    r"^(?:oh|ah|wow|gee|sure|yeah)\b[,!. ]*(?:oh |just |sure |yeah |great |fantastic |wonderful |lovely "
    r"|brilliant |perfect |another |because |i (?:just |really |simply |absolutely |so |totally |truly "
    r"|do )*(?:love|adore|enjoy|live for|like|can'?t get enough))",
    r"\bjust (?:love|adore) (?:being|it when|when|how(?! (?:short|clear|brief|clean|simple|neat|quick|tidy"
    r"|concise))|getting|waking|having|that)",
    r"\babsolutely (?:love|adore) (?:being|it when|when|how|re\w+ing|getting|waking|having|debug|fix)",
    r"\bmy favou?rite (?:thing|part|hobby|way|pastime)\b.{0,30}\b(?:3 ?am|broken|crash|reboot|error|fail|waiting"
    r"|down|outage|(?<!pregnant )again|debug|reinstall)",
    r"^(?:oh |such |what )(?:good|joy|fun)\b[^.!?]{0,40}\bi (?:\w+ )?(?:love|adore|enjoy)",
    r"^(?:brilliant|great|fantastic|wonderful|lovely|perfect|awesome|superb|amazing)\b[^.!?]{3,40}\bi (?:do|so"
    r"|just) (?:love|adore)",
    r"^(?:ah|oh) yes\b.*\bmy favou?rite\b",
    r"^of course i (?:love|adore|enjoy)\b|^(?:ten|10) out of (?:ten|10) for \w+ing\b",
    r"^(?:oh |wow )?(?:great|super|brilliant|fantastic|lovely|wonderful|perfect)\b.*, (?:exactly|just) what (?:i"
    r"|we) (?:needed|wanted)$",
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
    r"\b(?:tell|let|inform|text|email|message|reassure) (?!me\b|us\b|you\b)[a-z]+ (?:that|know)\b",
    r"^(?:please |pls |just |and |so |can you |could you )*(?:reply|respond|answer|say|write back) that\b",
    r"^(?:summari[sz]e|fill in|shorten|simplify|improve|fix|correct|edit|spell-?check|rewrite|continue|complete"
    r"|rephrase"
    r"|reword|caption)"
    r"[^.!?\n:]{0,30}:(?!\d\d)",
    r"^(?:please |pls |can you |could you |now |and |just )*(?:put|text|tell|ask|email|message|write|say|type|print"
    r"|translate"
    r"|turn|reply|answer|draft|stick)\b(?! (?:\w+ )?(?:me|us)\b)[^.!?\n:]{0,50}:(?!\d\d)",
    r"^(?:please |pls |can you |could you |now |and |just )*(?:tell|message|text|inform|email|warn) (?!me\b|us\b|you\b)"
    r"(?:my |the |our )?\w+ (?=(?:i|i'm|we|we're|my|our|the|he|she|it|it's|they)\b)",
    r"\b(?:caption|line|bio|slogan|title|tagline|greeting)\b[^.!?]*\bsomething like\b",
    r"\binto an? \w+:",
    r"\b(?:write|compose|draft|post)\b.{0,30}\babout (?:how|why|me|being) ",
    r"^(?:please |pls |can you |could you )?(?:draft|write|compose|translate)\b[^.!?\n]{0,40}\b(?:from|as) (?:me|a"
    r"|my|the)\b",
)
# What follows was said or written by somebody.
REPORTED = any_of(
    r"^(?:pro tip|fun fact|rule of thumb|tip of the day|quote of the day|headline|task|joke|proverb|trivia"
    r"|note (?:to|for) (?!self)\w+"
    r"(?: \w+)?|message for \w+)\b[^.!?\n:]{0,20}:(?!\d\d)",
    r"(?:'s|\bhis|\bher|\btheir) (?:\w+ )?(?:toast|motto|saying|catchphrase|mantra|advice) (?:was|is)\b",
    r"\b(?:according to|as per|^per) (?:the|my|our|this|him|her|them)\b(?: \w+)?",
    r"\b(?:email|bio|cv|profile|tattoo|cap|letter|label|leaflet|manual|recipe|article|form|page|sign|poster|mug"
    r"|shirt|t-shirt|sticker|banner"
    r"|plaque|note on \w+(?: \w+)?) (?:says?|said|reads?|goes|states|ends with|starts with)\b",
    r"\b(?:said|says|say|quote|quotes|wrote|writes|tweeted|texted|posted|commented|sticker|sign|mug|headline|shirt"
    r"|t-shirt|review|comment|reads?|goes|asked|told (?:me|us|him|her)|replied|yelled|e-?mailed|messaged|answered"
    r"|complained|announced|shouted|message from \w+"
    r"|voicemail|note from \w+|email from \w+|quoting|forwarded|fwd|title|caption|poster|banner|motto"
    r"|subject)\b[^.!?\n:]{0,30}:(?!\d\d)",
)
# How a question begins.
QUESTION_FRAME = any_of(
    r"^(?:so |and |but |hey |ok |also |well |btw |wait |sorry )*(?:what(?:'s| is| are| do| does| did| was| if"
    r"| about| time| kind| the)|why|how (?:do|does|did|is|are|was|much|many|long|come|about|can|could|to|would"
    r"|should)|when (?:is|are|do|does|did|was|will|can|should)|where(?:'s| is| are| do| did| can| was)|who (?:is"
    r"|are|was|do|does|did)|which|whose|do (?:you|i|we|they|people|cats|dogs)\b|does|did (?:i|you|we|he|she|they"
    r"|it|my|the)\b|is (?:it|there(?! any (?:chance|way))|this|that|the|my|he|she|a|an|my|\w+ing)\b|are (?:there|you"
    r"|we|they|my|the|these"
    r"|cats)|am i\b|have (?:i|you|we)\b|has\b|was (?:i|it|there|the|my)|were\b|should (?:i|we)|shall (?:i|we)"
    r"|would (?:it|i|that|you say|a)|will (?:it|this|that|a|the)|could (?:it|i|we)|can (?:i|we|it)|any idea"
    r"|any (?:thoughts|good|recommendation)|remember when|who'?s|what'?s|since when|can (?:people|dogs|cats|kids"
    r"|anyone|someone)|ever (?:tried|heard|seen)|isn't|aren't"
    r"|didn't (?:i|you|we)|haven't|wasn't|ain't)\b",
)
# A sentence that only supposes.
WHOLE_HYPOTHESIS = any_of(
    r"\b(?:suppose|supposing|imagine|what if|hypothetically|let's say|lets say|in theory|say i (?:was|were|had"
    r"|live|like|hate|move)|assume (?:i|we|that)|assuming (?:i|we)|(?<!don't )(?<!never )pretend|if i (?:were|was"
    r"|had|could|lived|moved"
    r"|quit|became|owned|won|wanted|liked|hated|bought|chose|loved|gave up)|if we (?:were|had|moved|lived|bought)"
    r"|^say (?:i|we|my|our) |^picture (?:this|it)\b|were i\b|had i\b|if you think about it|would i\b|in another life"
    r"|in a perfect world"
    r"|theoretically"
    r"|for the sake of argument|philosophically|if only)\b",
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
# What only says that a wish holds for good, or is courtesy: it belongs to the clause beside it.
ONLY_STANDING = any_of(
    r"(?:from|as of|starting) (?:now on|now|today)(?: onwards)?|going forward|in future|in the future|always"
    r"|by default|as a rule|every time|each time|please|pls|thanks|thank you|thx|ta|cheers|ok|okay",
)
