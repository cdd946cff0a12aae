"""How people say in English who, where and what they are, and what changed (tag O)."""

from appliance.memory.words_en import any_of

# What stands by itself as a fact: who, where, since when.
NATURE = any_of(
    r"^(?:officially|finally|newly) (?:an?|single|married|divorced|retired|unemployed|home ?owners?|parents|engaged"
    r"|pregnant)\b",
    r"^(?:(?:retired|former|ex|semi-retired|freelance|part-time|full-time|newly|student|trainee|junior|senior|night"
    r"|shift)[ -])+"
    r"(?:\w+ )?<job>\b",
    r"^[a-z]+ is an? (?:\w+ )?(?:<kin>|<job>|beagle|lurcher|whippet|rescue|tabby|bulldog|dachshund|corgi|husky|pug"
    r"|mongrel|cross)\b",
    r"\bbrings? me out in\b|<i_am> type \w+$|\b(?:braille|sign language|bsl|lip-?read)\b",
    r"^(?:i|we) (?:repair|restore|build|sell|collect|paint|draw|bake|brew|knit|sew|weave|carve|garden|illustrate"
    r"|translate|design"
    r"|breed|groom|tutor|referee|tattoo|busk|stammer|stutter|work) (?!it\b|that\b|this\b|on it)\w+",
    r"\bi can'?t (?:climb|swim|walk|lift|bend|kneel|cycle|spell|cook|taste|smell|tolerate) ?(?!the|that|this|it|any"
    r"|what|anything)",
    r"\bi get (?:car|sea|travel |air)?(?:sick|migraines|hay ?fever|panic attacks|nosebleeds|cold sores|dizzy)\b",
    r"\bi(?:'ve| have) never (?:had|owned|learnt|learned|driven|smoked|drunk|eaten|flown|lived|been able)\b",
    r"^(?:on )?<weekday>s?(?: and|,| to| &) <weekday>s?\b.* (?:i'm|i am|i|we|we're|the kids)\b",
    r"^(?:one|two|three|four|all|both|none|half) of us (?:is|are|has|have|can't|works?|lives?|eats?|speaks?)\b",
    r"\b(?:doctor|vet|gp|dentist|consultant|midwife|physio|optician|specialist) (?:says|said|thinks|told us"
    r"|told me) (?:i|i've|i'm|we"
    r"|my|our|he|she|\w+) (?:has|have|is|am|need|can't|must)?",
    r"\b(?:'s|is|are) allergic\b",
    r"<i_am> in an? (?:choir|band|team|club|league|wheelchair|care home|relationship|union|cast)\b"
    r"|^\w+'s <kin> (?:here|speaking)\b",
    r"^it'?s an? (?:listed|terraced|detached|rented|council|ground[- ]floor|top[- ]floor|semi|bungalow|cottage"
    r"|houseboat|new build)\b",
    r"^still (?:on|in|at|without|off) (?!hold|it\b|the (?:phone|way|bus|train|line)|my way|a call|bed)\w+",
    r"^(?:can't|cannot) (?:do|eat|drink|have|drive|climb|lift|hear|see) (?!it\b|that|this|the\b|anything|any\b"
    r"|what)\w+",
    r"^(?:\w+ )?(?:days|weeks|months|years) into (?:an?|my|the) |^(?:fasting|dieting|training|revising|renovating"
    r"|commuting|job-?hunting"
    r"|house-?hunting)\b.*\b(?:this|all|till|until|since|for) ",
    r"\b(?:partially sighted|hard of hearing|visually impaired|hearing[- ]impaired|housebound|wheelchair)\b",
    r"<i_am> on (?:blood thinners|statins|insulin|steroids|beta blockers|the pill|hrt|chemo|dialysis|oxygen|warfarin"
    r"|metformin|crutches|probation|parole|benefits|universal credit|the spectrum|the waiting list|furlough"
    r"|(?:a |an )(?:\w+[ -]){0,2}(?:diet|plan|contract|tariff|visa|pension|budget|waiting list|course)"
    r"|the (?:\w+ )?(?:floor|board|committee|council|night shift))\b",
    r"\b(?:gives?|brings?) me (?:a rash|heartburn|reflux|an upset|the runs|cramps|a reaction|migraines)\b"
    r"|\bmakes? my (?:throat|lips|tongue|skin|face|eyes|nose|mouth) (?!glaze|hurt|roll)\w+",
    r"^<weekday>s? (?:is|are) (?:my|our) (?!limit|favou?rite)\w+",
    r"\b(?:is|are|'s) (?:my|our) (?:day off|days off|(?:first|second|third|native|mother|main|best) (?:language|tongue)"
    r"|(?:only )?<kin>|sur ?name|middle name|maiden name|landlord|cleaner|carer|gp|dentist|home ?town|next of kin)\b",
    r"^(?:the |our |my )?(?:school run|school|nursery|bed ?time|bath time|dinner|shift|curfew|nap) (?:is|starts"
    r"|ends) at ",
    r"\bmy (?:sur|first |last |middle |maiden |full )name (?:has|ends|begins|starts)\b|\b(?:is|it's) spel(?:led"
    r"|t) with\b",
    r"\bwe keep (?:kosher|halal|shabbat|the sabbath)\b",
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
    r"|most|all|none|any|more|out|what|sign|click|press|wait|stay|look|stop|come|start|put|tap|no\w+|every\w+|right"
    r"|still)\w+ (?:of (?:two|three|four|five|\d)\b|here$|here,)",
    r"^(?!i\b|i'm|im\b|it|we|is|are|the|in|from|over|right|still|not|out|back|down|up|what"
    r"|how)\w+(?: \w+){1,3} here$",
    r"^(?:i|we|i'm|we're|my|our|the|there's|there is|there are|\w+ and \w+|grandma|grandpa|mum|dad)\b(?!.*\b(?:you"
    r"|your|please|should|must)\b).*\b(?:every (?:morning|evening|night|day|week|month|year|other \w+|\w+day)"
    r"|on \w+days|<weekday> (?:nights|mornings|evenings|afternoons)|\w+ a (?:day|week|month)|weekly|monthly"
    r"|quarterly|yearly)\b",
    r"^(?:the )?name'?s \w+",
    r"\b(?:comes?|visits?|leaves?|opens?|closes?|starts?|ends?|arrives?) <weekday>s?\b",
    r"\bi'?m in (?:utc|gmt|est|pst|cet|[a-z]+ time)\b",
    r"\b(?:she|he)(?:'s| is) my (?:wife|husband|daughter|son|mum|mom|dad|mother|father|sister|brother|partner"
    r"|girlfriend|boyfriend|grandma|grandpa|kid)",
    r"\bi do the \w+ for\b",
    r"^(?:dad|mum|mom|grandma|grandpa|grand?dad|granny|gran|nana|nan|baby|the (?:dog|cat|kids|baby|boys|girls|twins"
    r"|children|puppy"
    r"|kitten))(?:'s| has| have| only| can't| won't| doesn't| don't| lives?| eats?| sleeps?| goes| needs?| gets"
    r"| takes| hates?| loves?| uses?| wears?| had (?:an? (?:stroke|fall|baby|operation|seizure|accident|heart)"
    r"|surgery)| broke| (?:is|are) (?:nearly |almost |quite |very |mostly |half |now "
    r"|totally )*(?:a|an|the|in|on|from|allergic|deaf|blind|diabetic|lactose|vegan|vegetarian|epileptic|asthmatic"
    r"|housebound|\d))\b(?! (?:asleep|here|home|calling|crying|awake))",
    r"\bi'?m (?:breastfeeding|nursing|bilingual|trilingual|lactose|agoraphobic|epileptic|insured|self-taught"
    r"|semi-retired|sober|gluten|ambidextrous|introverted|an introvert|single-handed)\b",
    r"\b(?:handed in|gave) (?:in )?my notice\b",
    r"\bit'?s (?:just|only) (?:me|us)\b",
    r"\bhours? (?:ahead|behind)\b",
    r"\bthere(?:'?s| is| are) (?:a|an|no|only|two|three) .{2,24} (?:out (?:the )?back|on (?:the|our) (?:roof|patio"
    r"|drive|landing)"
    r"|(?:in|at) (?:the|our|my|this) (?:house|home|flat"
    r"|garden|office|basement|attic|loft|shed|cellar|spare room|bedroom|room|family))",
    r"\b(?:baby|son|daughter|puppy|twins) (?:arrived|was born|came|were born)",
    r"\b(?:baby|twins|number two)(?:'s|\b.* (?:is|are)) due\b",
    r"\bdoctor (?:told|put|says?|ordered|wants|has) (?:me|us)\b",
    r"^(?:the |our |my |most of )?(?!it\b|that\b|this\b|what\b|there\b|he\b|she\b|they\b|you\b"
    r"|i\b)[a-z]+(?: [a-z]+){0,2} (?:is|are|happens?|starts?|comes?|runs?|goes|leaves|arrives?|closes?|opens?"
    r"|falls?|ends?|visits?) .{0,30}\b(?:every|each|on <weekday>s?|daily|weekly|monthly|once a)\b",
    r"^(?:been (?:vegan|vegetarian|on|off|learning|living|working|training|sober|single|married|with|doing"
    r"|running)|turned \d+|turning \d+)\b",
    r"\bwe(?:'re| are) (?:on a|a family|both|a (?:couple|household|team)|in the|from|vegan|vegetarian|renting"
    r"|based|expecting|pretty|on (?:the|holiday until)|home ?owners|parents|grandparents|\d+|four|five|three|six)\b",
    r"\bi work (?:\w+ (?:days|hours|shifts|nights)|evenings|alone|remote|freelance|part|shifts|\d)",
    r"<i_am> registered \w+|\bi was (?:adopted|born|raised|widowed|diagnosed|brought up|home-?schooled|named after)\b",
    r"^(?:the|my|these) (?:old |right |left |poor |bad )*(?:knees?|back|hips?|eyes|ears?|hearing|eyesight|memory"
    r"|hands?|legs?|feet"
    r"|heart|lungs|joints|shoulders?|neck|wrists?|fingers) (?:has|have|is|are|shake|swell|lock|cramp|tremble|can't"
    r"|won't|don't|doesn't|went|gave"
    r"|does|do)\b(?! (?:tired|sore|killing|freezing|cold|full|wet|dirty|sticky|shaking|hurting))",
    r"\ba (?:married|divorced|widowed|working) (?:man|woman|mum|mom|dad|parent)\b",
    r"^(?:the |our |my )?(?:\w+ ){0,2}(?:password|passcode|pin|alarm code|combination|ssid|(?:number|licence"
    r"|license) plate"
    r"|postcode|address|landline|iban) (?:is|has|was changed|changed)\b",
    r"^everything (?:at home|here|in the house) \w+s\b",
    r"\bi (?:have|'ve got) (?:asthma|arthritis|tinnitus|anxiety|ibs|epilepsy|lupus|eczema|psoriasis|glaucoma|gout"
    r"|crohn'?s"
    r"|parkinson'?s|ms|cancer|angina|vertigo|sciatica|osteo\w+|fibromyalgia|endometriosis|pcos|ptsd|ocd|autism|bipolar"
    r"|depression|narcolepsy|celiac|coeliac|hypertension|high blood|low blood|diabetes|dyslexia|dyspraxia|hepatitis|hiv"
    r"|sleep apn\w+|a bad|a dodgy|a heart|hay ?fever"
    r"|allergies)",
    r"<i_am> (?:partially |partly |completely |totally |legally |chronically |actually |currently |also |now "
    r"|based |both |basically |really |just |only |still |originally |mostly |half |usually |quite |very |rather "
    r"|severely |mildly |deathly |highly |slightly |recently |newly |officially |finally |almost |nearly "
    r"|self-)*(?:a (?!bit|little|lot"
    r"|few|mess|fan|sucker|big fan|huge fan|minute|while|tad|moment)|an (?!idiot|hour|email|expert at nothing)"
    r"|the (?!same|only one who|one who(?! (?:does|cooks|drives|pays|walks|takes|looks))|first|last)|from |based "
    r"|allergic|intolerant|vegan|vegetarian|pescatarian"
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
    r"|have (?:(?:a |an )(?!(?:\w+ )?<trifle>\b)|two|three|four|five|six|\d|no (?:car|kids|garden|lift|signal)|asthma"
    r"|diabetes|migraines|insomnia|kids|twins|children|adhd|solar|fibre|celiac|coeliac|trouble|bad|poor)|use (?:a"
    r"|an|the|linux|windows|mac|arch|debian|ubuntu|vim|firefox|home|python|dvorak|immich|plex|jellyfin)"
    r"|wear (?:glasses|hearing)|take (?:the|my|insulin|medication|care)|grew up|was born|were born|eat (?:no|only"
    r"|halal|kosher|gluten|vegan|vegetarian|at)|don'?t (?:eat|drink|drive|smoke|own|speak|use|have(?! (?:the|any"
    r"|time|that|it|this|your|a)\b)|work|read"
    r"|do (?:mondays|mornings))|can'?t (?:eat|drink|drive|(?:hear|see)(?! (?:the|that|this|it|any|a|your|you"
    r"|anything|what|where|why|how)\b)|have|digest|do|read small|tell)|cannot (?:eat"
    r"|drink|drive|hear|see)|do (?:night|shift|nights|the (?:\w+ )?(?:shift|run|round|books)|the school|school)"
    r"|co-parent|play (?:the|in|football|tennis|chess|bass"
    r"|guitar)|cycle|ride|practi[sc]e|stream|translate|farm|bake|homeschool|foster|co-own|share (?:a|the|my)"
    r"|look after|care for|pick (?:up )?the kids|pay|train)\b",
    r"\bmy name(?:'s| is)",
    r"\bi go by\b|\bthe name'?s\b",
)
# What is a fact unless it goes on about another one: what we have and do.
HAVING = any_of(
    r"\b(?:i|we)'ve (?:a|an|no|two|three) (?!(?:\w+ )?<trifle>\b)\w+",
    r"\b(?:we|i)(?:'ve| have)? (?:got|have) (?:a|an|two|three|four|five|six|\d+|twins|kids|no|only"
    r"|one)\s(?!go\b|(?:\w+ )?<trifle>s?\b|(?:\w+ )?(?:missed|unread))",
    r"^both (?:of )?our \w+",
    r"\bi won't be (?:working|living|at|in|with|driving|teaching) .{2,30}\b(?:after|from|until|any ?more)\b",
    r"\bwe(?:'re| are) (?:two|three|four|five|six|a|both|all(?! (?:good|set|fine|done|ready|ears))) \w+",
    r"\b(?:i|we)(?:'ve|ve| have) got (?!to\b|an? (?:\w+ )?<trifle>\b|some|it\b|this|that|your|the (?:same|error"
    r"|file)|nothing|no idea|time|an (?:idea"
    r"|error|issue|hour)|\w+ (?:minutes|mins|hours|seconds|secs)\b)\w+",
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
    r"\b(?:is|are|starts|begins|ends|expires|renews|runs out|opens|closes) (?:on |from |until "
    r"|by )?(?:the )?\d{1,2}(?:st|nd|rd|th)?"
    r"(?: of)? (?:<months>)\b",
    r"^(?:the |my |our )?(?:chemo|radiotherapy|term|nursery|uni|physio|dialysis|treatment|rehearsals?|season|harvest"
    r"|maternity leave"
    r"|course|training) (?:starts|begins|ends|finishes|restarts)\b",
    r"^(?:my|our|the) [\w ]{2,25} (?:is|are) now (?:the|an?|my|our|in the|with)\b",
    r"^(?:(?:the|our|my) )?[\w' ]{2,20} (?:is|falls on) (?:on )?the \d+(?:st|nd|rd|th)\b",
    r"\b(?:is|are) (?:due|scheduled|booked)(?: for| in| on)? (?:\d|<months>|next|<weekday>)",
    r"^(?:the|our|my) [\w' -]{2,30} (?:is|are) (?:due |up |booked |scheduled )?(?:in|on|by|from|until) (?:<months>"
    r"|easter|christmas|spring|summer|autumn|the \d)",
    r"\ballergic to\b",
    r"\bour (?:flat|house|place|street|building|village|street|home)\b .{0,16}(?:has|is|sits|gets|lies|doesn)",
    r"\bboth (?:of us )?work\b",
    r"\b(?:kids|children|boys|girls|twins|daughter|son|grandson|granddaughter|grandkids|wife|husband|baby|dog"
    r"|cat) (?:is|are|has"
    r"|have|goes|go|stays?|comes?|visits?|sleeps?|naps?|starts?)\b",
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
    r"\b(?:they|work|the (?:company|firm|bank|school|council|hospital|landlord|doctors?|boss))(?:'ve| have"
    r"| has)? (?:just "
    r"|finally )?(?:let me go|made me|promoted me|offered me|diagnosed|fired me|laid (?:me|us) off|cut (?:my|our)"
    r"|raised (?:my|our)|moved (?:me|us)|put me on|gave me (?:notice|the sack|the job|a raise))",
    r"\b(?:scan|tests?|results?|biopsy|bloods?|x-?ray|mri|lump|screening|smear)\b.{0,12} (?:came back|is|was|were|are)"
    r" (?:all )?(?:clear|benign|negative|positive|normal|malignant|cancer)",
    r"^(?:finally |just |recently )?(?:downsized|relocated|retired|remarried|divorced|emigrated|graduated|qualified"
    r"|adopted|rescued"
    r"|inherited) (?!you\b|this\b|that\b|it\b)\w+",
    r"\b(?:divorce|visa|mortgage|offer|loan|grant|adoption|planning|green card|citizenship|passport|diagnosis"
    r"|pension|probate"
    r"|application|daughter|son|wife|husband)\b.{0,24} (?:came through|(?:was|got) (?:accepted|approved|granted"
    r"|rejected|refused"
    r"|denied)|is (?:final|through)|went through|fell through)\b",
    r"\bi'?m (?:getting (?:braces|glasses|treatment|dentures|laser|physio|counselling|a hearing)|doing my (?:theory"
    r"|driving|finals"
    r"|a-levels|gcses|masters?|apprenticeship|training))\b",
    r"^(?:i |we )?had to (?:say goodbye to|put down|rehome|let go of) (?:our|my|the)\b",
    r"\blandlord(?:'s| is| has|s)? (?:selling|raising|evicting|put|sold|banned|died|lives)\b",
    r"^(?:my|our|the|<kin>) .*\b(?:\w+ed|broke|got|left|went|came|gave|lost|began|fell|became|sold|built|bought"
    r"|died)\b.*\b(?:last"
    r" (?:year|month|week|winter|summer|spring|autumn|<weekday>)|(?:at|over) (?:easter|christmas|new year|half term)"
    r"|since)\b",
    r"^not \w+ing .*\bsince\b|^not \w+ing since\b|^left .* after (?:\w+ )?(?:years|months)\b",
    r"^(?:my |our )?<kin>(?: [a-z]+)? (?:passed(?: away)?|died)\b|^got custody\b",
    r"\b(?:i|we) got (?:the (?:job|role|flat|house|place|keys|promotion|mortgage|visa|grant|all[- ]clear)|in to"
    r"|into)\b",
    r"\b(?:band|marriage|engagement|company|shop|club|team) (?:broke up|split up|folded|went under|fell apart|is over"
    r"|shut down)\b",
    r"\b(?:i|we) (?:no longer|don't) (?:work|live|own|use|drive|have(?=.* any ?more\b)) .{1,30}(?:any ?more)?$",
    r"\b(?:we|i) (?:just |finally )?(?:brought|took) .{2,30} home\b",
    r"\b(?:the |our |my |^)(?:wedding|move|surgery|operation|birth|funeral|exam|interview|baby|christening|due date"
    r"|graduation|viva|hearing|trial)(?:'s| is) (?:in|on|at|next|the)\b",
    r"^(?:just |finally |recently )?(?:\w+ed|got|sold|bought|quit|left|lost|broke|began) (?:my|our) .*\b(?:last"
    r"|yesterday|ago|since|on \w+day|this (?:week|month|year|spring|summer|autumn|fall|winter))\b",
    r"^(?:we|i)(?:'re|'m| are| am) (?:down to|without|short of|on (?:crutches|leave|parole|probation|a diet))\b",
    r"^(?:the|our|my) (?!file|folder|page|window|cursor|meeting|call|deadline|game|match|message|email|tab"
    r"|mouse)(?:[\w-]+ ){1,2}(?:just |recently |finally |has |have |was |were )*(?:moved|switched|migrated"
    r"|replaced|renamed|upgraded|relocated|changed)\b.{0,40}\b(?:last|yesterday|this|into|with|from|to)\b",
    r"\bwe(?:'ve| have) \w+(?:ed|t|n|de|ld) (?:the|our|to|from|all)\b",
    r"\b(?:i've|we've) (?:left|quit|given up|taken up|handed in) \w+",
    r"\b(?:i've|i have|we've|we have) (?:just |recently |lately |finally |now )+(?!parked|arrived|landed|eaten|woken"
    r"|left\b|finished|come\b|sat\b|put\b|paid"
    r"|ordered|missed|realised|realized|remembered|forgotten|tried|sent|asked|read|seen"
    r"|noticed|found|checked|tested|rebooted|updated|said|told|attached|heard|looked|run|restarted|uploaded"
    r"|emailed|finished reading|been (?:told|thinking|wondering|trying))\w+",
    r"\b(?:i've|we've) gone (?!to|home|out|back|off|through)\w+",
    r"^(?:the|our|my) \w+(?: \w+)?(?:'s| is| are| has been| have been| will be) .{0,40}\b(?:until (?:<months>"
    r"|christmas|easter|summer|spring|next \w+|the (?:new year|end of))|for the (?:winter|summer|season)|since \w+"
    r"|this (?:month|year|winter|summer|spring|autumn|term))",
    r"^(?:finally |just |recently )?(?:got rid of|took up|taken up|i've taken up|gave up|quit) \w+",
    r"^(?:i|we|my [\w ]{2,20}|our [\w ]{2,20}|the (?:twins|kids|boys|girls|baby|dog|cat|children|puppy)) (?:\w+ly "
    r"|just |finally |both )?(?:changed|switched|moved|swapped|replaced|upgraded|sold|bought|got|started|quit|left"
    r"|joined|signed|took|lost|broke|finished|opened|closed|turned|became|won|paid off|gave up|had (?:to put|an?|the"
    r"|our|my|his|her|their) (?!(?:great|good|nice|bad|lovely|long|rough|busy|<trifle>)\b)|made|built"
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
    r"<i_am> (?:restoring|recovering|grieving|mourning|rebuilding|converting|saving|nursing|volunteering|interning"
    r"|reading for|revising"
    r"|rehearsing|touring|backpacking|house-?sitting|dog-?sitting|pet-?sitting|subletting|weaning|isolating"
    r"|paying off)\b",
    r"<i_am> (?:stuck|stranded|posted|abroad|overseas) (?:in|at|until|till|for) |<i_am> between (?:jobs|flats|homes"
    r"|houses|places|roles"
    r"|contracts)\b",
    r"<i_am> on (?:call|nights|days|earlies|lates|leave|shift)\b.*\b(?:this|next|all) (?:week|month)\b",
    r"\b(?:out of (?:use|action)|closed|shut) (?:till|until) ",
    r"^(?:ever )?since (?:the|my|our) .*\b(?:i|i'm|i've|my|we|we've|our)\b",
    r"^(?:finally |just |recently )?(?:replaced|swapped|upgraded|migrated|switched|moved) (?:the|my|our|from|to|all"
    r"|everything)\b"
    r"(?! (?:\w+ )?<trifle>).* (?:with|for|to|into|onto|from)\b",
    r"^got (?:promoted|hired|laid off|fired|engaged|married|divorced|diagnosed|pregnant)\b",
    r"^just (?:quit|gave up|stopped|started|switched|moved|joined|adopted)\b",
    r"\b(?:we're|we are|i'm|im) (?:relocating|emigrating|downsizing|remodell?ing|fostering|homeschooling"
    r"|separating|divorcing|retraining)\b",
    r"^(?:my|our) (?!<trifle>\b)\w+(?: \w+)? (?:just |recently |finally |has |have |'s )*(?:got (?!an? error|stuck"
    r"|me|it)"
    r"|was (?:renamed|diagnosed|promoted|cancelled|approved|born|sold|laid)|been|moved|changed|became|turned \d"
    r"|died|passed away|retired|graduated|started|switched|left (?:for|home|school)|joined|lost (?:his|her|their"
    r"|its)|gave birth|proposed|left me|walked out|came out|broke (?:his|her|their|its|a)|failed|passed (?:his|her"
    r"|their|the)|enlisted|enrolled|qualified|relapsed|had (?:a|an|his|her|their) (?!idea|question|point|lunch|nap)\w+"
    r"|quit|is (?:getting|having|expecting|pregnant|moving|leaving home|retiring))\b",
    r"^(?:finally )?(?:got .{2,30} (?:running|working|set up|installed)|got (?:my|our) .*|(?:swapped|moved"
    r"|switched|installed|adopted|replaced) .*) today\b",
    r"^(?:started|moved|switched|adopted|got (?!(?:a|an|the|this) (?:headache|cold|migraine|fever|meeting|call"
    r"|question|guest|visitor|flu|minute|problem))(?:a|an|the|married|engaged|divorced|our|my)|quit|gave up|joined"
    r"|retired|became|bought|broke|lost|finished|signed up|sold|turned)\b(?=.*\b(?:since|last|this (?:month|week"
    r"|year)|on <weekday>|ago|a new|two|three|months?|weeks?|years?|yesterday|in (?:<months>)|(?:at"
    r"|over) the weekend|second-?hand)\b)",
    r"^(?:finally|just) (?:i |we )?got .{2,30} (?:installed|fitted|connected|approved|hooked up|put in|insulated)\b",
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
    r"|our)|having (?:a baby|our|my (?!lunch|dinner|breakfast|tea\b|coffee|nap"
    r"|hair|nails|supper|shower|bath)|an? (?:operation|op|scan|biopsy|mri)|the (?:roof|kitchen|bathroom|house)"
    r"|surgery|work done|builders)|expecting"
    r"|renovating|on holiday|travelling|traveling|away (?:from|until|for|next|all|in)|off (?:sick|until"
    r"|to [a-z]+ (?:for|until|next))|finishing (?:a|my)|starting (?:a|my|at|school|work|uni|in|on|the)|selling"
    r"|buying a|adopting"
    r"|switching|retiring|quitting|closing|opening|training for|doing (?:a|dry|whole|sober|night|keto|couch|an)"
    r"|cutting (?:out|down|back)|trying (?:to|for)|learning(?! it\b)|studying|working|living|taking (?:a course"
    r"|lessons|insulin"
    r"|classes)|going (?:through|vegan|vegetarian|part|freelance|back to)|preparing|in the middle of (?:moving"
    r"|a move|renovat)|house-?hunting|job-?hunting|pregnant)\b",
    r"\b(?:最近|today|刚|lately)[^,，。]{0,8}(?:wfh|work from home|moved?|switch(?:ed)?|migrat\w*|upgrad\w*"
    r"|install\w*|start(?:ed)?|quit|onboard\w*|diet\w*|keto|fasting|gym|training|renovat\w*|remote|freelanc\w*"
    r"|bought|join(?:ed)?)|\bpregnant…{0,6}(?:个月|周)|^my …{2,16}是(?!什么|不是)…+",
    r"\bthis (?:month|year|week|term)\b…{0,20}(?:出差|住|上班|实习|在家|搬)",
)
