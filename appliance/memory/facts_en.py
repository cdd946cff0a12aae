"""How people say in English who, where and what they are, and what changed (tag O)."""

from appliance.memory.words_en import any_of

# What stands by itself as a fact: who, where, since when.
NATURE = any_of(
    r"\b(?:partially sighted|hard of hearing|visually impaired|hearing[- ]impaired|housebound|wheelchair)\b",
    r"\b(?:where i am|where i live|over here|in (?:this|our) (?:house|home|flat|household|family|office|village"
    r"|town)|at (?:ours|our place))\b",
    r"\bi (?:play|practise|practice|coach|sing in|volunteer at|cook for|walk the|feed the|pick up|drop off) \w+",
    r"^(?:the|our|my) (?:(?:spare|main|front|back|old|other|second) )?(?:keys?|fuse ?box|stopcock|meter|ladder"
    r"|tool ?box|first[- ]aid kit|passports?|manuals?|remote|charger|lawn ?mower|suitcases?|documents|medicines?"
    r"|tools|torch|batteries|vaccination \w+|birth certificates?)(?: \w+){0,2} (?:is|are|lives?|sits?|hangs?"
    r"|stays?) (?:in|on|at|under|behind|beside|next to|with|above|below|by|near|inside|over)\b",
    r"^(?:the )?(?:bins?|rubbish|trash|garbage|recycling|post|mail|cleaner|gardener|market|bakery|library|pharmacy"
    r"|school bus)\b.{0,24}\b(?:on|every|each) <weekday>s?\b",
    r"\bwe(?:'re| are) (?:on|with) (?!it\b|our\b|the way|time|hold|track|board|fire|a call|top|you\b|him|her|them"
    r"|us\b)\w+",
    r"^(?:proud |busy |single |retired |full-time |part-time |freelance |stay-at-home )*(?!that|this|it|one|some"
    r"|most|all|none|any|more|out|what)\w+ (?:of (?:two|three|four|five|\d)\b|here$|here,)",
    r"^(?!i\b|i'm|im\b|it|we|is|are|the|in|from|over|right|still|not|out|back|down|up|what"
    r"|how)\w+(?: \w+){1,3} here$",
    r"^(?:i|we|i'm|we're|my|our|the|there's|there is|there are|\w+ and \w+|grandma|grandpa|mum|dad)\b(?!.*\b(?:you"
    r"|your|please|should|must)\b).*\b(?:every (?:morning|evening|night|day|week|month|year|other \w+|\w+day)"
    r"|on \w+days|weekly|monthly|quarterly|yearly)\b",
    r"^(?:the )?name'?s \w+",
    r"\b(?:comes?|visits?|leaves?|opens?|closes?|starts?|ends?|arrives?) <weekday>s?\b",
    r"\bi'?m in (?:utc|gmt|est|pst|cet|[a-z]+ time)\b",
    r"\b(?:she|he)(?:'s| is) my (?:wife|husband|daughter|son|mum|mom|dad|mother|father|sister|brother|partner"
    r"|girlfriend|boyfriend|grandma|grandpa|kid)",
    r"\bi do the \w+ for\b",
    r"^(?:dad|mum|mom|grandma|grandpa|grand?dad|granny|gran|nana|the (?:dog|cat|kids|baby|boys|girls|twins"
    r"|children|puppy"
    r"|kitten))(?:'s| has| have| only| can't| won't| doesn't| don't| lives?| eats?| sleeps?| goes| needs?| gets"
    r"| takes| hates?| loves?| is (?:a|an|the|in|on|from|allergic|deaf|blind|\d)| are (?:a|in|on|from|allergic"
    r"|\d))\b(?! (?:asleep|here|home|calling|crying|awake))",
    r"\bi'?m (?:breastfeeding|nursing|bilingual|trilingual|lactose|agoraphobic|epileptic|insured|self-taught"
    r"|semi-retired|sober|gluten|ambidextrous|introverted|an introvert|single-handed)\b",
    r"\b(?:handed in|gave) (?:in )?my notice\b",
    r"\bit'?s (?:just|only) (?:me|us)\b",
    r"\bhours? (?:ahead|behind)\b",
    r"\bthere(?:'?s| is| are) (?:a|an|no|only|two|three) .{2,24} (?:in|at) (?:the|our|my|this) (?:house|home|flat"
    r"|garden|office|basement|room|family)",
    r"\b(?:baby|son|daughter|puppy|twins) (?:arrived|was born|came|were born)",
    r"\b(?:baby|twins|number two)\b.* (?:is|are) due\b",
    r"\bdoctor (?:told|put|says?|ordered|wants|has) (?:me|us)\b",
    r"^(?:the |our |my |most of )?(?!it\b|that\b|this\b|what\b|there\b|he\b|she\b|they\b|you\b"
    r"|i\b)[a-z]+(?: [a-z]+){0,2} (?:is|are|happens?|starts?|comes?|runs?|goes|leaves|arrives?|closes?|opens?"
    r"|falls?|ends?|visits?) .{0,30}\b(?:every|each|on <weekday>s?|daily|weekly|monthly|once a)\b",
    r"^(?:been (?:vegan|vegetarian|on|off|learning|living|working|training|sober|single|married|with|doing"
    r"|running)|turned \d+|turning \d+)\b",
    r"\bwe(?:'re| are) (?:on a|a family|both|a (?:couple|household|team)|in the|from|vegan|vegetarian|renting"
    r"|based|expecting|pretty|on (?:the|holiday until)|\d+|four|five|three|six)\b",
    r"\bi work (?:\w+ (?:days|hours|shifts|nights)|evenings|alone|remote|freelance|part|shifts|\d)",
    r"\bi (?:have|'ve got) (?:asthma|arthritis|tinnitus|anxiety|ibs|epilepsy|a bad|a dodgy|a heart|hay ?fever"
    r"|allergies)",
    r"<i_am> (?:partially |partly |completely |totally |legally |chronically |actually |currently |also |now "
    r"|based |both |basically |really |just |only |still |originally |mostly |half |usually |quite |very |rather "
    r"|severely |mildly |deathly |highly |slightly |recently |newly |officially |finally |almost |nearly "
    r"|self-)*(?:a (?!bit|little|lot"
    r"|few|mess|fan|sucker|big fan|huge fan|minute|while|tad|moment)|an (?!idiot|hour|email|expert at nothing)"
    r"|the (?!same|only one who|one who|first|last)|from |based |allergic|intolerant|vegan|vegetarian|pescatarian"
    r"|pregnant|diabetic|celiac|coeliac|colou?r.?blind|left.?handed|dyslexic|deaf|blind|hard of hearing|married"
    r"|divorced|single|retired|widowed|unemployed|self-employed|freelance|working|living|learning|training"
    r"|studying|moving|driving|teaching|writing (?:a|my)|building|renovating|raising|caring|commuting|running (?:a"
    r"|the|my|home|two|three|an)|using|off (?:sick|work)|on (?:parental|maternity|paternity|sick|a (?:diet"
    r"|sabbatical)|leave|call every|night|days|holiday until|medication|a tight|antibiotics)|in (?:\w+ (?:school"
    r"|year)|my (?:\w+ )?(?:twenties|thirties|forties|fifties|sixties|final)|charge|sales|marketing|it\b|finance"
    r"|hr\b|the (?:army|navy|uk|us|eu)|(?!awe|love|luck|trouble|pain|tears|bed|shock|doubt)[a-z]+(?:, [a-z]+)?$)"
    r"|up (?:at|by) \w+ every|\d+|called|named|on UTC|on gmt"
    r"|utc|gmt|photosensitive|short-?sighted|near-?sighted|wheelchair|autistic|adhd|asthmatic|anaemic"
    r"|home (?:alone|schooling)|part of|half|back (?:in|to) (?:school|uni|college|work)|new to|expecting"
    r"|trying to (?:quit|lose|eat|learn|get pregnant)|preparing|between jobs|job hunting|dieting|fasting)",
    r"\b(?:i|we|both|my \w+ and i)\s(?:both |mostly |usually |currently |now |also |actually |only |just |already "
    r"|recently |always |normally |mainly |still |only ever |finally )*(?:live|lives|teach|run (?!out|into"
    r"|the (?:script|command|test|job))|publish|own|study|commute|work (?:nights|days|shifts|from|at|in|as|for"
    r"|with|part|full|remotely|weekends|on|the|mondays)|rent|host|breed|keep (?:bees|hens|chickens|goats|horses|a"
    r"|two|three)|sell|drive (?:a|an|the|to|for)|speak|edit|record|shoot|coach|volunteer|manage|produce"
    r"|sleep (?:in|at|until|from|with|early|late|badly|upstairs)|wake up|get up|go to (?:bed|the gym|church|work)"
    r"|have (?:(?:a |an )(?!question|minute|problem|meeting|call|request|favou?r|feeling|hunch|point|idea|look|bug"
    r"|issue|task|second|moment|few|lot|bit)|two|three|four|five|six|\d|no (?:car|kids|garden|lift|signal)|asthma"
    r"|diabetes|migraines|insomnia|kids|twins|children|adhd|solar|fibre|celiac|coeliac|trouble|bad|poor)|use (?:a"
    r"|an|the|linux|windows|mac|arch|debian|ubuntu|vim|firefox|home|python|dvorak|immich|plex|jellyfin)"
    r"|wear (?:glasses|hearing)|take (?:the|my|insulin|medication|care)|grew up|was born|were born|eat (?:no|only"
    r"|halal|kosher|gluten|vegan|vegetarian|at)|don'?t (?:eat|drink|drive|smoke|own|speak|use|have|work|read"
    r"|do (?:mondays|mornings))|can'?t (?:eat|drink|drive|hear|see|have|digest|do|read small|tell)|cannot (?:eat"
    r"|drink|drive|hear|see)|do (?:night|shift|nights|the school|school)|play (?:the|in|football|tennis|chess|bass"
    r"|guitar)|cycle|ride|practi[sc]e|stream|translate|farm|bake|homeschool|foster|co-own|share (?:a|the|my)"
    r"|look after|care for|pick (?:up )?the kids|pay|train)\b",
    r"\bmy name(?:'s| is)",
    r"\bi go by\b|\bthe name'?s\b",
)
# What is a fact unless it goes on about another one: what we have and do.
HAVING = any_of(
    r"\b(?:i|we)'ve (?:a|an|no|two|three) (?!question|problem|meeting|call|feeling|minute|moment|idea|request|bug)\w+",
    r"\b(?:we|i)(?:'ve| have)? (?:got|have) (?:a|an|two|three|four|five|six|\d+|twins|kids|no|only"
    r"|one)\s(?!question|minute|idea|problem|second|feeling|look|meeting|call|go\b|moment|few|sec\b|request|bug"
    r"|clue|issue|task|favou?r|point)",
    r"^both (?:of )?our \w+",
    r"\bi won't be (?:working|living|at|in|with|driving|teaching) .{2,30}\b(?:after|from|until|any ?more)\b",
    r"\bwe(?:'re| are) (?:two|three|four|five|six|a|both|all(?! (?:good|set|fine|done|ready|ears))) \w+",
    r"\b(?:i|we)(?:'ve|ve| have) got (?!to\b|a (?:question|minute|problem|meeting|call|feeling|sec|moment|bug"
    r"|headache|cold|request)|some|it\b|this|that|your|the (?:same|error|file)|nothing|no idea|time|an (?:idea"
    r"|error|issue|hour))\w+",
    r"\bwe're \w+(?: \w+){0,2} (?:now|these days)$",
    r"\b(?:my|our)(?: \w+){0,3}? <kin>(?: and i)?(?:'s)?(?: \w+){0,2}?(?:'s| is| are| has| have| works?| lives?"
    r"| goes| go| sleeps?| was born| were born| turns?| turned| started?| starts| can'?t| cannot| won'?t eat"
    r"| doesn'?t| don'?t| hates?| loves?| likes?| prefers?| needs?| eats?| uses?| plays?| speaks?| gets| had"
    r"| comes| visits?| sits|'re| needs| only| just| wears| takes| studies| teaches| moved| broke)\b",
    r"\b(?:my|our|the|this|that|home)(?: \w+(?:'s)?){0,3}? <device>(?: upstairs| downstairs| outside| room"
    r"| lights?)?(?:'s| is| are| has| have| runs?| lives?| sits?| was| were| goes| only|'re| uses?| sleeps?"
    r"| can'?t| doesn'?t| died| broke| ends| renews| expires| starts| got| gets| will be| takes| comes| hosts"
    r"| hangs| stays| belongs| points| costs| needs a)\b(?! (?:down|slow|broken|fine|ok|up|ready|not working|too"
    r"|so|this (?:green|ok|fine)|it|that|there|any|full|offline|the (?:issue|problem)))",
    r"\bthere (?:are|is) (?:\w+ )?(?:of us|people|kids|cats|dogs|adults)",
    r"\b(?:is|are) allergic to",
    r"\ballergic to\b",
    r"\bour (?:flat|house|place|street|building|village|street|home)\b .{0,16}(?:has|is|sits|gets|lies|doesn)",
    r"\bboth (?:of us )?work\b",
    r"\b(?:kids|children|daughter|son|wife|husband|baby|dog|cat) (?:is|are|has|have|goes|go|sleeps?|naps?"
    r"|starts?)\b",
    r"\bi(?:'m| am) \d+\b",
    r"\btwo kids\b|\bborn (?:on|in)\b",
)
# What has changed or is going on for more than a day.
RECENT = any_of(
    r"\b(?:i've|i have|we've|we have) been (?!trying|waiting|thinking|wondering|here|up"
    r"|meaning)\w+ .{2,40} since (?!i\b|you\b)",
    r"^(?:and |so |well |just |recently |lately |finally |also |i )*(?:just |recently |lately |finally )(?:i "
    r"|we )?(?:'ve |have )?<changed>\b",
    r"\bi (?:got|was|am|'m) (?:laid off|made redundant|fired|promoted|diagnosed|pregnant|widowed|engaged)\b",
    r"\b(?:i|we) (?:no longer|don't) (?:work|live|own|use|drive|have) .{1,30}(?:any ?more)?$",
    r"\b(?:we|i) (?:just |finally )?(?:brought|took) .{2,30} home\b",
    r"\b(?:the|our|my) (?:wedding|move|surgery|operation|birth|funeral|exam|interview|baby) is (?:in|on|at|next)\b",
    r"^(?:just |finally |recently )?(?:\w+ed|got|sold|bought|quit|left|lost|broke|began) (?:my|our) .*\b(?:last"
    r"|yesterday|ago|since|on \w+day|this (?:week|month|year|spring|summer|autumn|fall|winter))\b",
    r"^(?:we|i)(?:'re|'m| are| am) (?:down to|without|short of|on (?:crutches|leave|parole|probation|a diet))\b",
    r"^(?:the|our|my) (?!file|folder|page|window|cursor|meeting|call|deadline|game|match|message|email|tab"
    r"|mouse)(?:[\w-]+ ){1,2}(?:just |recently |finally |has |have |was |were )*(?:moved|switched|migrated"
    r"|replaced|renamed|upgraded|relocated)\b.{0,40}\b(?:last|yesterday|this|into|with|from|to)\b",
    r"\bwe(?:'ve| have) \w+(?:ed|t|n|de|ld) (?:the|our|to|from|all)\b",
    r"\b(?:i've|we've) (?:left|quit|given up|taken up|handed in) \w+",
    r"\b(?:i've|i have|we've|we have) (?:just |recently |lately |finally |now )+(?!tried|sent|asked|read|seen"
    r"|noticed|found|checked|tested|rebooted|updated|said|told|attached|heard|looked|run|restarted|uploaded"
    r"|emailed|finished reading|been (?:told|thinking|wondering|trying))\w+",
    r"\b(?:i've|we've) gone (?!to|home|out|back|off|through)\w+",
    r"^(?:the|our|my) \w+(?: \w+)?(?:'s| is| are| has been| have been| will be) .{0,40}\b(?:until (?:<months>"
    r"|christmas|easter|summer|spring|next \w+|the (?:new year|end of))|for the (?:winter|summer|season)|since \w+"
    r"|this (?:month|year|winter|summer|spring|autumn|term))",
    r"^(?:finally |just |recently )?(?:got rid of|took up|taken up|i've taken up|gave up|quit) \w+",
    r"^(?:i|we|my [\w ]{2,20}|our [\w ]{2,20}|the (?:twins|kids|boys|girls|baby|dog|cat|children|puppy)) (?:\w+ly "
    r"|just |finally |both )?(?:changed|switched|moved|swapped|replaced|upgraded|sold|bought|got|started|quit|left"
    r"|joined|signed|took|lost|broke|finished|opened|closed|turned|became|won|paid off|gave up|had|made|built"
    r"|set up|cut)\b.*\b(?:last|yesterday|this (?:week|month|year|spring|summer|autumn|winter)|on <weekday>"
    r"|in (?:<months>)|ago|since|now)\b",
    r"^(?:i'?m|i am|we're|we are|my \w+(?:'s| is)) (?!waiting|wondering|thinking|sure|not sure|asking"
    r"|looking)\w+ .{2,40}\b(?:this (?:month|year|term|semester|winter|summer|spring|autumn|fall|season|quarter)"
    r"|until (?:<months>|christmas|easter|summer|spring|next \w+|the (?:new year|end of))|for (?:the next \w+|the"
    r"|a few|two|three|several|six|\d+) (?:winter|summer|months?|weeks?|years?|season)|since \w+|these days"
    r"|nowadays|lately)\b",
    r"^(?:off|on|back on|without|back at|back in|down with) (?!the way|it\b|that\b).{2,30}\b(?:since|for"
    r"|these days|now)\b",
    r"^(?:quit|stopped|gave up|dropped) .{2,30}\b(?:ago|last|since|in (?:<months>))\b",
    r"^(?:the |a |our )?new \w+(?: \w+)? (?:arrived|came|is (?:here|in|installed|set up)|just arrived|has arrived)",
    r"\b(?:is|are) being (?:redone|renovated|rebuilt|repaired|painted|replaced|refurbished|remodell?ed|decorated"
    r"|rewired)",
    r"\b(?:is|are) (?:staying|living) with (?:us|me)\b",
    r"\b(?:i|we)(?:'ve|ve| have) been (?!trying|waiting|thinking|wondering|looking|getting|having|meaning|staring"
    r"|seeing|told)\w+ing\b",
    r"\bi(?:'m| am) not (?:at|in|with|working|living|on|a|an) .{1,24}any ?more\b",
    r"\b(?:i've|i have|we've|we have|my \w+ has|my \w+'s) been (?:in|at|under|without|away|stuck|ill|unwell|back"
    r"|out of) .{0,30}\b(?:since|for|all)\b",
    r"^just (?:quit|gave up|stopped|started|switched|moved|joined|adopted)\b",
    r"\b(?:we're|we are|i'm|im) (?:relocating|emigrating|downsizing|remodell?ing|fostering|homeschooling"
    r"|separating|divorcing|retraining)\b",
    r"^(?:my|our) \w+(?: \w+)? (?:just |recently |finally |has |have |'s )*(?:got (?!an? error|stuck|me|it)"
    r"|was (?:renamed|diagnosed|promoted|cancelled|approved|born|sold|laid)|been|moved|changed|became|turned \d"
    r"|died|passed away|retired|graduated|started|switched|left (?:for|home|school)|joined|lost (?:his|her|their"
    r"|its)|gave birth)\b",
    r"^(?:finally )?(?:got .{2,30} (?:running|working|set up|installed)|got (?:my|our) .*|(?:swapped|moved"
    r"|switched|installed|adopted|replaced) .*) today\b",
    r"^(?:started|moved|switched|adopted|got (?!(?:a|an|the|this) (?:headache|cold|migraine|fever|meeting|call"
    r"|question|guest|visitor|flu|minute|problem))(?:a|an|the|married|engaged|divorced|our|my)|quit|gave up|joined"
    r"|retired|became|bought|broke|lost|finished|signed up|sold|turned)\b(?=.*\b(?:since|last|this (?:month|week"
    r"|year)|on <weekday>|ago|a new|two|three|months?|weeks?|years?|yesterday|in (?:<months>))\b)",
    r"\bas of (?:this|last|next)\b",
    r"\bsplit up\b",
    r"\b(?:i|we|i've|we've|ive|weve|i have|we have)\s(?:have |'ve )?(?:just |recently |finally |already |now "
    r"|both |also |actually |only |officially |completely |since )*<changed>\b",
    r"\b(?:recently|lately|these days|nowadays|this (?:month|year|term|semester|winter|summer|spring|autumn|fall)"
    r"|since (?:monday|tuesday|wednesday|thursday|friday|last|january|february|march|april|june|july|august"
    r"|september|october|november|december|christmas|easter|the (?:move|baby|surgery|accident)))\b.{0,16}\b(?:i|we"
    r"|i'm|we're|i've|we've|my|our)\b",
    r"\b(?:i|we)(?:'ve| have) (?:had|lived|worked|owned|kept|used|suffered|struggled|always (?:had|been))\b",
    r"\b(?:we're|we are|i'm|i am|im) (?:moving|getting (?:married|divorced|a (?:dog|cat|puppy|kitten|divorce|new)"
    r"|our)|having (?:a baby|our|the (?:roof|kitchen|bathroom|house)|surgery|work done|builders)|expecting"
    r"|renovating|on holiday|travelling|traveling|away (?:from|until|for|next|all|in)|off (?:sick|until"
    r"|to [a-z]+ (?:for|until|next))|finishing (?:a|my)|starting (?:a|my|at|school|work|uni|in|on|the)|selling"
    r"|buying a|adopting"
    r"|switching|retiring|quitting|closing|opening|training for|doing (?:a|dry|whole|sober|night|keto|couch|an)"
    r"|cutting (?:out|down|back)|trying to|learning|studying|working|living|taking (?:a course|lessons|insulin"
    r"|classes)|going (?:through|vegan|vegetarian|part|freelance|back to)|preparing|in the middle of (?:moving"
    r"|a move|renovat)|house-?hunting|job-?hunting|pregnant)\b",
    r"\b(?:最近|today|刚|lately)[^,，。]{0,8}(?:wfh|work from home|moved?|switch(?:ed)?|migrat\w*|upgrad\w*"
    r"|install\w*|start(?:ed)?|quit|onboard\w*|diet\w*|keto|fasting|gym|training|renovat\w*|remote|freelanc\w*"
    r"|bought|join(?:ed)?)",
)
