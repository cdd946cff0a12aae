"""Word classes of the English tables: people, things, actions, days. Each is the source of a regular expression."""

from appliance.memory.shapes import joined

KIN = (
    r"(?:wife|husband|partner|spouse|daughters?|sons?|kids?|child(?:ren)?|baby|toddler|twins|mum|mom|mother|dad"
    r"|father|parents?|brothers?|sisters?|grann?y|grand?dad|grandma|grandpa|gran|nan|grandmother|grandfather|dogs?"
    r"|cats?|puppy"
    r"|kitten|rabbit|parrot|hamster|fianc[eé]e?|girlfriend|boyfriend|roommate|flatmate|housemate|family|in-laws"
    r"|mother-in-law|father-in-law|teenager|eldest|youngest|niece|nephew)"
)
DEVICE = (
    r"(?:server|nas|router|printer|guest room|front door|garage door|pi|raspberry pi|box|homelab|laptop|desktop|pc"
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
    r"|cat flap|feeder|tank|charger|solar panels?|panels?|battery|water)"
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
    r"(?:split up|broke up|separated|changed (?:jobs?|careers?|schools?|doctors?|my (?:name|job|number|phone"
    r"|doctor|diet|surname))|got (?:laid off|fired|made redundant|sacked|hired|furloughed|pregnant|sober|braces"
    r"|glasses|diagnosed)|moved|bought|got (?!(?:a|an|the|this) (?:headache|cold|migraine|fever|meeting|call"
    r"|question|guest|visitor|flu|minute|problem))(?:a|an|the|married|engaged|divorced|promoted|laid|fired"
    r"|diagnosed|myself|into|my|our|rid|new|two)|switched|migrated|installed|set up|started|quit|gave up|given up"
    r"|adopted|replaced|upgraded|retired|joined|left (?:my|the|our|google|twitter|facebook)|finished|sold"
    r"|signed (?:up|the|our|my)|enrolled|began|stopped (?:eating|drinking|using|smoking|working|taking)"
    r"|broke (?:my|a|an|up)"
    r"|became|taken up|took up|built|lost (?:my|our)|hired|rented|launched|cancelled (?:my|our|netflix|the)"
    r"|canceled (?:my|our|the)|closed|opened (?:a|my|our)|put (?:in|the)|had (?:a baby|our|surgery|an operation"
    r"|twins|my)|been (?:off|on|working|learning|living|training|using|diagnosed|promoted|running|studying|doing"
    r"|wfh|sick|trying|going|teaching|writing|vegan|vegetarian)|hooked up|wired|planted|ordered|swapped|turned \d+"
    r"|passed|graduated|converted|ditched|dropped|resigned|landed|relocated|transferred|wfh|work(?:ing)? from home"
    r"|shut down|moved over|paid off|hung up|rewired|painted)"
)
# What the agent makes or shows.
OUTPUT = (
    r"(?:versions?|layouts?|formats?|summar(?:y|ies)|lists?|tables?|styles?|comparisons?|charts?|drafts?|repl(?:y|ies)"
    r"|answers?|breakdowns?|checklists?|overviews?|recaps?|digests?|write-?ups?|reports?|explanations?|diagrams?"
    r"|timelines?|outlines?|templates?)"
)
WEEKDAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
WEEKDAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
WORDS = {
    "kin": KIN,
    "device": DEVICE,
    "act": ACT,
    "very": VERY,
    "i_am": I_AM,
    "changed": CHANGED,
    "output": OUTPUT,
    "weekday": WEEKDAY,
    "weekdays": WEEKDAYS,
    "months": MONTHS,
}


def any_of(*shapes: str) -> str:
    """See `joined`; with the word classes of this module."""
    return joined(shapes, WORDS)
