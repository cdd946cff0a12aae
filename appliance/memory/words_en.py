"""Word classes of the English tables: people, things, actions, days. Each is the source of a regular expression."""

from appliance.memory.shapes import joined

KIN = (
    r"(?:wife|husband|hubby|missus|other half|partner|spouse|daughters?|sons?|kids?|child(?:ren)?|little ones?|boys"
    r"|girls|lads|baby"
    r"|newborn|toddlers?|twins|triplets|mum|mom|mother|mam|dad|father|step(?:mum|mom|dad|son|daughter|kids)|parents?"
    r"|brothers?|sisters?|grann?y|grand?dad|grandma|grandpa|gran|nan|nana|grandmother|grandfather|grandparents?"
    r"|grand(?:kids|son|daughter|children)s?|god(?:son|daughter)|dogs?|cats?|pupp(?:y|ies)|kittens?|rabbits?|parrots?"
    r"|hamsters?|budgies?|tortoises?|guinea pigs?|hens?|chickens|ponies|pony|horses?|goldfish|snake|ferrets?"
    r"|greyhounds?|labrador|lab|spaniel|retriever|poodle|terrier|collie|goats?"
    r"|fianc[eé]e?|girlfriend|boyfriend|roommate|flatmate|housemate|au pair|family|in-laws"
    r"|mother-in-law|father-in-law|teen(?:ager)?s?|eldest|oldest|youngest|nieces?|nephews?)"
)
DEVICE = (
    r"(?:server|nas|router|printer|(?:guest|spare|box|back|front|living|dining|utility|boiler|laundry) room"
    r"|front door|garage door|pi|raspberry pi|box|homelab|laptop|desktop|pc"
    r"|computer|machine|phone|tablet|mac(?:book)?|ipad|iphone|network|wifi|wi-fi|internet|broadband|connection"
    r"|data plan|isp|ups|drive|disk|backup|gpu|car|house|flat|apartment|garage|garden|office|study|studio|camera"
    r"|doorbell|thermostat|heating|boiler|tv|speaker|synology|truenas|switch|modem|domain|blog|site|website"
    r"|newsletter|channel|podcast|shop|company|team|job|boss|editor|landlord|calendar|birthday|name|email|address"
    r"|time ?zone|hearing|eyesight|back|knee|shift|shifts|commute|budget|mortgage|lease|visa|day job"
    r"|native language|first language|bathroom|kitchen|bedroom|hallway|stairs|roof|loft|attic|basement|cellar"
    r"|balcony|fridge|freezer|oven|dishwasher|washing machine|washer|dryer|vacuum|hoover|lights?|door|window|gate"
    r"|alarm|sensors?|sofa|shed|bikes?|van|truck|boat|scooter|parking|driveway|hob|stove|microwave|piano|pool"
    r"|greenhouse|allotment|chimney|stove|heater|radiators?|doorway|lift|socket|nursery|workshop|barn|inverter|kettle"
    r"|cottage|caravan|dog flap"
    r"|cat flap|feeder|tank|aquarium|meter|fuse ?box|stopcock|tumble dryer|motorbike|ebike|e-bike|campervan"
    r"|conservatory"
    r"|landing|patio|terrace|porch|pond|desk|monitor|keyboard|kindle|mesh|vpn|firewall|hub|dongle|charger"
    r"|solar panels?|panels?|battery|water)"
)
ACT = (
    r"(?:send|push|call|ping|notify|message|text|wake|disturb|post|share|upload|touch|delete|remove|buy|order"
    r"|spend|pay|use|reply|mention|tell|show|read|open|run|restart|reboot|update|upgrade|install|schedule|book"
    r"|email|forward|publish|tweet|commit|merge|deploy|change|edit|move|rename|write|put|add|include|play|turn"
    r"|switch|ring|bug|bother|interrupt|remind|bring up|talk|speak|give|make|let|store|save|log|record|sync|copy"
    r"|back ?up|download|print|scan|block|unlock|lock|leave|start|stop|suggest|recommend|ask|sign|subscribe"
    r"|contact|reveal|expose|leak|repeat|quote|guess|assume|auto\w*|translate|summari[sz]e|shorten|format|swear"
    r"|joke|lecture|call me|ever|even|start|mess|fiddle|go near|access|look|connect|enable|disable|cancel|accept"
    r"|answer|address|refer|treat|apologi[sz]e|explain|end|begin|pad|round|abbreviate|skip|hit|page|alert"
    r"|broadcast|announce|tag|invite|trust|keep|feed|water|plug|unplug|overwrite|wipe|format|reset|purge|archive"
    r"|cc|say|do (?:anything|that|this|it)|do)"
)
VERY = (
    r"(?:really|just|absolutely|totally|honestly|usually|generally|actually|personally|also|still|much|kinda"
    r"|kind of|definitely|strongly|truly|always|do|so|quite|rather|genuinely|particularly|especially|sort of"
    r"|tend to|would)?\s?"
)
I_AM = r"(?:\bi(?:'m| am|m)\b|\bim\b)"
CHANGED = (
    r"(?:(?:buried|put an offer|downsized|rescued|rehomed|split up|broke up|separated|changed (?:jobs?|careers?"
    r"|schools?|doctors?"
    r"|my (?:name|job|number|phone"
    r"|doctor|diet|surname))|got (?:laid off|fired|made redundant|sacked|hired|furloughed|pregnant|sober|braces"
    r"|glasses|diagnosed)|moved(?! on\b)|bought(?= (?:an?|the|our|my|two|three|another|new|second|in|land)\b)"
    r"|got (?!(?:a|an|the|this) (?:headache|cold|migraine|fever|meeting|call"
    r"|question|guest|visitor|flu|minute|problem))(?:a|an|the|married|engaged|divorced|promoted|laid|fired"
    r"|diagnosed|myself|into|my|our|rid|new|two)|switched|migrated|installed|set up|started|quit|gave up|given up"
    r"|adopted|replaced|upgraded|retired|joined(?! the (?:call|meeting|queue|line))|left (?:(?:my|the|our) (?:job"
    r"|company|firm|team|band|husband|wife|partner|church|army|navy|choir|club|city|country|practice)"
    r"|google|twitter|facebook|teaching|nursing)|finished (?!early|late|it|that|this|reading|the (?:chapter|film"
    r"|book|call|game))|sold"
    r"|signed (?:up|the (?:lease|contract|papers|deed|mortgage|divorce)|our|my (?!form)|off)|enrolled|began"
    r"|stopped (?:eating|drinking|using|smoking|working|taking)"
    r"|broke (?:my|a|an|up)"
    r"|became|taken up|took up|built|lost (?:my|our)|hired|rented|launched|cancell?ed (?:netflix|(?:my|our"
    r"|the) (?:\w+ )?(?:subscription|membership|insurance|contract|gym|wedding|holiday|trip"
    r"|lease|paper|broadband|cable))|closed|opened (?:a|my|our)|put (?:in|the)|had (?:a baby|our|surgery|an operation"
    r"|twins|my|an? (?:baby|stroke|fall|heart attack|miscarriage|operation|op|c-section))|been (?:made (?!to\b|up\b"
    r"|aware)\w+|off|on|working"
    r"|learning|living|training|using|diagnosed|promoted|running|studying|doing"
    r"|wfh|sick|ill|unwell|veggie|pescatarian|sober|single|clean|retired|widowed|signed off|trying|going|teaching"
    r"|writing|vegan|vegetarian)|hooked up|wired|planted|ordered(?= (?:an?|the|our|new) )|swapped|turned \d+"
    r"|passed (?:my|the|our|his|her)|failed (?:my|the) \w+|graduated|converted|ditched|dropped|resigned"
    r"|landed (?:a|an|the|my)|came off|come off|went (?:vegan|vegetarian|freelance|part[- ]time|solo|back to|private)"
    r"|remarried|miscarried|relapsed|qualified|cut (?:the cord|ties|my hours|down|out)|fell (?:off|down)|inherited"
    r"|won (?:the|a|an|custody)|relocated|transferred|wfh|work(?:ing)? from home"
    r"|shut down|moved over|paid off|hung up|rewired|painted|slipped a disc|tore (?:a|my)|sprained|fractured"
    r"|dislocated|handed in my (?:thesis|notice|resignation|badge))"
    r"(?! (?:it|that|this|them|those|one)\b)(?! (?:(?:the|a|an|my|our|this|that|your|some|it) )?(?:\w+ )?<trifle>s?\b))"
)
# What passes within the hour or the day: to have it or to have changed it is no news about the household.
TRIFLE = (
    r"(?:question|minute|min|hour|second|sec|moment|problem|idea|meeting|call|request|favou?r|feeling|hunch|point|look"
    r"|bug|issue|task|few|lot|bit|clue|theory|headache|cold|migraine|fever|cough|hangover|guest|visitor|appointment"
    r"|file|folder|download|upload|form|invoice|receipt|chapter|film|movie|build|timer|app|page|tab|window|document|doc"
    r"|draft|message|email|mail|text|ticket|pr|branch|link|umbrella|tent|milk|bread|egg|pizza|sushi|lunch|dinner"
    r"|breakfast"
    r"|coffee|tea|beer|drink|snack|nap|walk|game|match|code|script|line|title|photo|picture|song|queue|thread|reply"
    r"|order|report|essay|dishes|homework|laundry|washing|copies|left|right|winner|flight|train|parcel|package"
    r"|screen|battery|browser)"
)
# What the agent makes or shows.
OUTPUT = (
    r"(?:versions?|layouts?|formats?|summar(?:y|ies)|lists?|tables?|styles?|comparisons?|charts?|drafts?|repl(?:y|ies)"
    r"|answers?|breakdowns?|checklists?|overviews?|recaps?|digests?|write-?ups?|reports?|explanations?|diagrams?"
    r"|timelines?|outlines?|templates?)"
)
# What people are by trade.
JOB = (
    r"(?:nurse|teacher|tutor|lecturer|professor|student|apprentice|engineer|developer|programmer|designer|architect"
    r"|artist"
    r"|illustrator|writer|author|editor|journalist|translator|photographer|musician|drummer|actor|chef|cook|baker"
    r"|butcher"
    r"|barista|waiter|waitress|bartender|farmer|gardener|florist|beekeeper|fisherman|miner|builder|bricklayer|carpenter"
    r"|joiner|plumber|electrician|welder|mechanic|locksmith|roofer|painter|tailor|seamstress|potter|driver|trucker"
    r"|pilot"
    r"|sailor|captain|soldier|veteran|firefighter|paramedic|midwife|doctor|gp|surgeon|dentist|vet|pharmacist|therapist"
    r"|physio|carer|childminder|nanny|cleaner|caretaker|janitor|porter|postman|courier|guard|officer|detective|lawyer"
    r"|solicitor|barrister|judge|accountant|bookkeeper|banker|broker|consultant|analyst|manager|director|recruiter"
    r"|clerk"
    r"|cashier|librarian|scientist|biologist|chemist|physicist|geologist|researcher|technician|tester|administrator"
    r"|sysadmin|secretary|receptionist|hairdresser|barber|beautician|salesman|shopkeeper|landlord|priest|vicar|monk"
    r"|coach|referee|instructor|miller|signalman|operator)"
)
WEEKDAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
WEEKDAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
WORDS = {
    "kin": KIN,
    "job": JOB,
    "device": DEVICE,
    "act": ACT,
    "very": VERY,
    "i_am": I_AM,
    "changed": CHANGED.replace("<trifle>", TRIFLE),
    "trifle": TRIFLE,
    "output": OUTPUT,
    "weekday": WEEKDAY,
    "weekdays": WEEKDAYS,
    "months": MONTHS,
}


def any_of(*shapes: str) -> str:
    """See `joined`; with the word classes of this module."""
    return joined(shapes, WORDS)
