"""What only looks like a wish, a limit or a fact in English: questions, guesses, the past, other people."""

from appliance.memory.words_en import any_of

# The form of a question.
ASKING = any_of(
    r"^(?:and |so |but )?(?:what|why|how|where|who|which|whose)\b",
    r"^(?:don't|doesn't|didn't|isn't|aren't|won't|wouldn't) (?:you(?! (?:dare|ever))|we|it|they|i|he|she|that)\b",
    r"^(?=.*or not)(?!.*\bwhether\b).*\bor not\b|\bright$|\bhuh$|\bisn't it\b",
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
    r"^(?:too (?:many|much)|(?:anything|more|longer|any more|any longer) (?:\w+ )?than .{3,30}|(?:an?|one|two|three"
    r"|four|five|ten"
    r"|\d+) [\w -]{3,30})[\w -]{0,20},? and (?:(?:i'm|i am|we're|you've) (?:a )?(?:happy|lost|out\b|gone|done|good"
    r"|sold|in heaven"
    r"|hooked|content|asleep|bored|delighted)|i (?:freeze|switch off|zone out|tune out|give up|skip|stall|panic"
    r"|drift|glaze"
    r"|lose|forget|won't|shut)|my (?:brain|eyes|mind|head)\b)",
    r"^(?:the )?[\w-]+(?: [\w-]+)? (?:first|up front), (?:then )?[\w ]{3,20} (?:after|second|last|later|never|next)\b",
    r"^(?:pet peeve|(?:my )?preference|hot take)s?: ",
    r"^if only (?:you|the|my|every|there)\b",
    r"^(?:rather than|instead of) .{2,40}, ?(?:just |please )?\w+ \w+",
    r"\bit (?:would|'d) (?:really |actually )?(?:help|be a (?:big |huge |great )?help|make \w+ (?:day|life)"
    r"|save me) (?:if|a|so|time)",
    r"\bi'd be (?:happier|better off|glad|grateful|delighted) (?:if|not|with|without)",
    r"^(?:what|the thing|all|the one thing) i (?:really |most |always )*(?:like|love|want|need|prefer|hate|enjoy"
    r"|dislike)\b.{0,30}\b(?:is|are)\b",
    r"\bit(?:'d| would) be (?:so |really |very )?(?:nice|lovely|great|handy|grand|brilliant|good|helpful|useful"
    r"|ideal|wonderful"
    r"|super|cool|perfect|amazing|better|best|easier|sweet|kind|fab|a help|a treat) if(?! you (?:could|can"
    r"|would) (?:find|check"
    r"|fix|look|help|explain|tell|translate)\b)",
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
    r"\bonly .{2,30} (?:till|until) ",
    r"^(?:don'?t|do not) \w+ (?:it|this|that|them) (?:off|on|up|down|out|in|away|yet)$",
    r"\bfor this (?!house|family|home|account|chat|group|device|speaker|room|server)\w+",
    r"^(?:please |so |and |but )*(?:don'?t|do not) \w+ (?:(?:the \w+|that|this) one|(?:that|this|the (?:first|second"
    r"|third|last)) \w+)$",
    r"\bjust (?:this )?once\b",
    r"\bfor (?:now|today|the moment|the time being|the next(?! (?:\w+ )?(?:weeks?|months?|years?|term))"
    r"|this (?:one|week|time)|a (?:bit|while|sec|second|minute|moment|few))\b",
    r"\bright now\b",
    r"^(?:please |so |but |and )*(?:don't|do not|no|not|never)\b.{0,40}\byet\b",
    r"\bthe next (?:\w+ )?(?:hour|hours|minutes|half|few|couple|day|two)\b",
    r"^(?:don'?t|do not) .{2,30} (?:until|till|before) (?:<weekday>|tomorrow)$",
    r"\b(?:until|till) (?:i'm|i am|i get|the (?:meeting|call|match|game|movie|film|show)|he|she|they|ci)\b",
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
    r"(?<!push )(?<!come )(?<!call )\bback (?:then|when|in the day|in (?:19|20)\d\d|in (?:college|school|uni))\b",
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
# Work to do now.
TASK = any_of(
    r"^(?:and |so |ok |okay |hey |hi |please |pls |plz |can you |could you |would you |now |then |also |next "
    r"|quick(?:ly)? |kindly )*(?:write(?! (?:amounts|numbers|dates|times|prices|temperatures|names|units|quantities"
    r"|my name|everything|in (?:british|american|plain))\b)"
    r"|draft|make (?:a|an|me|the|it|this)|find|translate|summari[sz]e (?:this|the"
    r"|my|it|that|these)|give me (?:a|an|the|five|three|some|ten|two|\d)|look up|check|fix|create|generate|book"
    r"|order|schedule|convert|rename|delete (?:the|this|my|that|all)|keep (?:the|this|that) (?:first|last|second"
    r"|third|rest|next|original|old|new)|list (?:the|all|my)|plan|explain (?:this|the"
    r"|how|what|why|it|to)|compare|sort|remind me|show me (?:the|how|my|a|what)|tell me (?:a|about|how|what|why"
    r"|the|more|if|when)|turn (?:on|off|the)|play|open|restart|reboot|set (?:a|an|the|up|my)|add|pull|download"
    r"|upload|move the|copy|search|help|suggest|recommend|calculate|run (?:the|a|this)|start (?:the|a)"
    r"|stop the(?! (?:hourly|daily|weekly|nightly|constant|endless|morning|evening))"
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
    r"^(?:not that|i can't say|i wouldn't say|who doesn't)\b",
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
    r"\b(?:dying|calling|asleep|crying|barking|whining|meowing|beeping|ringing|screaming|waiting|at the door|awake"
    r"|says? hi|arriv\w+|leaving|(?:is"
    r"|are|'s|'re) (?:in (?:bed(?! (?:by|at|before|from|until))|the (?:bath|shower|car|pool|loo|toilet|next room))"
    r"|at (?:the"
    r" (?:dentist|doctor|door|shops?|park|hairdresser|station|airport|pub|vet|supermarket|playground)s?)"
    r"|on (?:the (?:phone|loo"
    r"|toilet|bus|train|line)|a call)|(?:on|off|open|closed|shut|red|green|blank|empty)$|in the (?:oven|fridge|wash"
    r"|post)|sitting|lying|standing|asking|shouting|fighting|outside|upstairs now|sleeping|snoring|napping|over for"
    r"|back|home|here"
    r"|late|hungry|ready|delayed|out of(?! (?:use|action) (?:till|until))|out(?! of)|full|low|empty|wet|dirty|noisy"
    r"|hot|cold|offline"
    r"|unreachable|not responding)|on (?:his|her|their|its) way)\b",
    r"at \d+ ?%|\bneeds to\b|\bis (?:updating|charging|loading|restarting|rebooting|downloading|running$)"
    r"|\bfell (?:in|into|on|out)\b|\bhas an? (?:fever|cold|cough|temperature|headache|tummy ache|nosebleed|meeting)\b",
    r"\bdoesn't (?:work|compile|start|boot|load|open|respond)\b",
    r"\b(?:won't|isn't working|not working|is down|keeps? (?:crash|drop|fail|say|giv|restart)\w*|an error"
    r"|is broken|\bit (?:fails|crashes|breaks|freezes|hangs|dies|stops)|(?<!i )(?<!we )(?<!son )(?<!daughter )failed"
    r"|crashed|for a (?:second|moment|minute)"
    r"|(?<!pregnant )(?<!and )(?<! test )(?<!exam )(?<!single )again|stuck|is full"
    r"|timed out|looks wrong|is wrong"
    r"|is slow(?! (?:in"
    r"|at|on|every|when|during)))\b",
)
# People outside the household.
OTHERS = any_of(
    r"(?:my|our|the|this|that|a) (?:new |old |next-door )?(?:guy|lady|trainer|therapist|dentist|hairdresser|barber"
    r"|intern|tenant|professor|tutor|coach|accountant|lawyer|student|plumber|electrician|couple|family next door"
    r"|people next door|people upstairs"
    r"|people downstairs|folks|kids? next door|driver|waiter|barista|postman|(?:gardener|cleaner)(?! comes)|nanny's"
    r"|babysitter's|stranger"
    r"|roommate's|celebrity|singer|president|minister|sister's|brother's|cousin's|uncle's|aunt's)\b",
    r"my \w+'s (?:friend|boss|colleague|teacher|neighbou?r|mate|coworker|doctor|client|girlfriend|boyfriend"
    r"|ex)s?\b",
    r"(?:the|this|that|one|an?) (?:author|article|guide|docs?|documentation|book|internet|manual|customer|video"
    r"|post|blog|study|recipe|expert|doctor(?! (?:says|said|told|wants|thinks) (?:i|i've|i'm|me|we|us|my|our)\b)"
    r"|reviewer|seller|speaker|host|hero|guest|kid in)s?\b",
    r"an? (?:mum|mom|dad|man|woman|kid|boy|girl|lad|parent|nurse|bloke|person|child) (?:at|from|in|on|next|down|across"
    r"|opposite|who)\b",
    r"my (?:sister|brother)(?:-in-law)? (?:prefers|likes|loves|hates|swears by|can't stand|adores|is (?:into|mad"
    r"|obsessed))\b",
    r"我们? ?的? ?(?:supervisor|boss|manager|colleagues?|coworkers?|roommate|friends?|mentor|professor|advisor|client"
    r"|landlord"
    r"|neighbou?rs?|team ?mates?|classmates?|ex)\b",
    r"(?:my|our|the) (?:team lead|line manager|supervisor|head ?teacher|director|principal|agent|publisher|mechanic"
    r"|builder"
    r"|hairdresser|vicar|physio|surgeon|gp|landlord) (?:prefers|likes|loves|hates|wants|can't stand|thinks|says"
    r"|insists|never"
    r"|always|doesn't)\b",
    r"(?:reddit|twitter|stackoverflow|the internet|google|wikipedia)\b",
    r"(?:(?:my|a|our|the|his|her|their|some|most|many|these|those|all)\s)?(?:colleagues?|co-?workers?|friends?"
    r"|neighbou?rs?|boss|editor(?= (?:prefers?|likes?|loves?|hates?|wants?))|manager|clients?|customers?|users?"
    r"|guests|visitors|audience|patients?|pupils?|apprentice|trainee|landlady|readers?|subscribers?|followers?"
    r"|listeners?|viewers?"
    r"|people|everyone|everybody|somebody|someone|students?|teachers?|cousins?|uncle|aunt|classmates?"
    r"|buddy|mate|folks|guy|guys|girl|lady|ceo|vendor|competitors?|team ?mates?|ex(?! and i\b)|he|she|they(?! (?:let"
    r"|made"
    r"|promoted|offered|diagnosed|fired|laid|gave) (?:me|us)\b)|his|her|their|mike"
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
