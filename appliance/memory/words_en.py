"""Classes of English words, each as the source of a regular expression."""

# Who belongs to the household, pets too.
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
WEEKDAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
