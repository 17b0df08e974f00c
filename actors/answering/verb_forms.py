"""Forms of a word that its stem does not share: "left" tells when somebody had to leave, and a
"directorial debut" who directed."""

import re
from functools import cache

_IRREGULAR = """
arise arose arisen, awake awoke, bear bore borne, beat beaten, begin began begun, bend bent, bind bound, bite bit
bitten, bleed bled, blow blew blown, break broke broken, breed bred, bring brought, build built, burn burnt, buy
bought, catch caught, choose chose chosen, cling clung, creep crept, deal dealt, dig dug, draw drew drawn, drink drank
drunk, drive drove driven, eat ate eaten, fall fell fallen, feed fed, feel felt, fight fought, flee fled, fly flew
flown, forbid forbade forbidden, forget forgot forgotten, freeze froze frozen, give gave given, grind ground, grow
grew grown, hang hung, hear heard, hide hid hidden, hold held, keep kept, kneel knelt, know knew known, lay laid, lead
led, learn learnt, leave left, lend lent, lose lost loss, meet met, overthrow overthrew overthrown, pay paid, ride
rode ridden, ring rang rung, rise rose risen, run ran, see saw seen, seek sought, sell sold, send sent, shake shook
shaken, shine shone, shoot shot, shrink shrank shrunk, sing sang sung, sink sank sunk, sit sat, sleep slept, slide
slid, speak spoke spoken, spend spent, spin spun, stand stood, steal stole stolen, stick stuck, strike struck
stricken, swear swore sworn, sweep swept, swim swam swum, swing swung, teach taught, tear tore torn, tell told, think
thought, throw threw thrown, understand understood, wake woke woken, wear wore worn, weave wove woven, weep wept, win
won, wind wound, withdraw withdrew withdrawn, write wrote written
"""

LONG = 6
"""Letters from which the beginning of a word tells it: photographs are what photographers take."""


@cache
def _groups() -> dict[str, tuple[str, ...]]:
    groups = [tuple(group.split()) for group in _IRREGULAR.split(",")]
    return {form: group for group in groups for form in group}


def with_forms(sense: re.Pattern[str] | None, word: str, stem: str) -> re.Pattern[str] | None:
    """What a sentence looks like that speaks of a word in other words, or has another form of it."""
    word = word.casefold()
    forms = [f"{re.escape(stem)}[a-z]*"] if len(stem) >= LONG and stem.isascii() else []
    for base in dict.fromkeys((word, word.removesuffix("s"), word.removesuffix("ing"))):
        forms += [f"{form}(?:s|ing)?" for form in _groups().get(base, ())]
    if not forms:
        return sense
    formed = rf"(?i:\b(?:{'|'.join(forms)})\b)"
    return re.compile(f"{sense.pattern}|{formed}" if sense else formed)
