"""English words whose forms no stemmer brings together: went and go, children and child; allergy and allergic.

Texts and questions are both written with the plain form in the full-text table, so a question for what somebody "took"
finds "take" as well. Families are wider: what a take-back names.
"""

from __future__ import annotations

import re

# The plain form, then the others. Forms that are words of their own more often than not (left, lay, saw) stay out.
_FORMS = """
arise arose arisen; awake awoke awoken; bear bore; begin began begun; bite bit bitten; bleed bled; blow blew blown
break broke broken; breed bred; bring brought; build built; burn burnt; buy bought; catch caught; child children
choose chose chosen; come came; creep crept; deal dealt; dig dug; draw drew drawn; dream dreamt; drink drank drunk
drive drove driven; eat ate eaten; fall fell fallen; feed fed; feel felt; fight fought; find found; flee fled
fly flew flown; foot feet; forbid forbade forbidden; forget forgot forgotten; forgive forgave forgiven
freeze froze frozen; give gave given; go went gone; goose geese; grow grew grown; hang hung; have had; hear heard
hide hid hidden; hold held; keep kept; kneel knelt; knife knives; know knew known; lead led; leap leapt; learn learnt
lend lent; lose lost; loaf loaves; make made; man men; mean meant; meet met; mouse mice; pay paid; ride rode ridden
ring rang rung; rise rose risen; run ran; say said; seek sought; see seen; sell sold; send sent; shake shook shaken
shelf shelves; shine shone; shoot shot; shrink shrank shrunk; sing sang sung; sink sank sunk; sit sat; sleep slept
slide slid; speak spoke spoken; spell spelt; spend spent; spill spilt; spoil spoilt; stand stood; steal stole stolen
stick stuck; sting stung; strike struck; swear swore sworn; sweep swept; swim swam swum; swing swung; take took taken
teach taught; tear tore torn; tell told; thief thieves; think thought; throw threw thrown; tooth teeth
understand understood; wake woke woken; wear wore worn; weave wove woven; weep wept; wife wives; win won; wolf wolves
woman women; write wrote written
"""
# Words that name the same thing about a person, whichever of them is used.
_FAMILIES = """
allergic allergy allergies; anaemic anaemia anemic anemia; anxious anxiety; asthmatic asthma; bake baking
blind blindness; coeliac celiac; commute commuting commuter; cook cooking; cycle cycling cyclist; dance dancing dancer
deaf deafness; diabetic diabetes; diet dieting; divorce divorced; drive driving; dyslexic dyslexia; epileptic epilepsy
freelance freelancing freelancer; garden gardening gardener; hike hiking hiker; intolerant intolerance
insomnia insomniac; knit knitting; marry married marriage; nurse nursing; pregnant pregnancy; religious religion
retire retired retirement; run running runner; ski skiing; smoke smoking smoker; swim swimming swimmer
teach teaching teacher; vegan veganism; vegetarian vegetarianism veggie
"""


def _by_form(lists: str) -> dict[str, str]:
    """The first word of each list by each of the others."""
    entries = (entry.split() for entry in re.split(r"[;\n]", lists))
    return {form: words[0] for words in entries for form in words[1:]}


_PLAIN = _by_form(_FORMS)
_FAMILY = _by_form(_FAMILIES)
_FORM = re.compile(rf"\b(?:{'|'.join(_PLAIN)})\b")


def plain_form(word: str) -> str:
    """The plain form of one folded word."""
    return _PLAIN.get(word, word)


def plain_forms(text: str) -> str:
    """A folded text with each irregular form replaced by the plain one."""
    return _FORM.sub(lambda found: plain_form(found[0]), text)


def family(word: str) -> str:
    """One name for all words of a family, given one of them folded and in its plain form."""
    singular = word.removesuffix("s") if word.isascii() and len(word) > 3 else word
    return _FAMILY.get(word) or _FAMILY.get(singular, singular)
