"""Words that rules for endings keep apart and readers do not: mice and mouse, colour and color.

Only what is the same word wherever it stands. Leaves may be of a tree or of absence, what was found
need not have been founded, and a tyre is not what tires: such words stay as they are.
"""

import re

from language.stems import stem

_IRREGULAR = """
man men, woman women, child children, foot feet, tooth teeth, goose geese, mouse mice, louse lice,
ox oxen, wife wives, knife knives, wolf wolves, calf calves, half halves, shelf shelves,
thief thieves, loaf loaves, hoof hooves, index indices, matrix matrices, vertex vertices,
vortex vortices, cortex cortices, appendix appendices, criterion criteria, phenomenon phenomena,
automaton automata, ganglion ganglia, polyhedron polyhedra, mitochondrion mitochondria,
bacterium bacteria, spectrum spectra, stratum strata, corpus corpora, curriculum curricula,
symposium symposia, memorandum memoranda, erratum errata, genus genera, ovum ova, nucleus nuclei,
fungus fungi, stimulus stimuli, radius radii, focus foci, locus loci, bacillus bacilli,
alumnus alumni, cactus cacti, syllabus syllabi, thrombus thrombi, schema schemata, crisis crises,
thesis theses, learned learnt, burned burnt, dreamed dreamt,

aluminum aluminium, airplane aeroplane aeroplanes, defense defence defences,
offense offence offences, practice practise practised practises practising,
program programme programmes, judgment judgement judgements, judgmental judgemental,
skillful skilful, skillfully skilfully, counselor counsellor counsellors, fuel fuelled fuelling,
jewelry jewellery, pajamas pyjama pyjamas, yogurt yoghurt yoghurts
"""
"""Groups of words: the first is what the others are taken for."""

_TAKEN_FOR = {
    form: base
    for base, *forms in (group.split() for group in _IRREGULAR.split(","))
    for form in forms
}

_AFTER_IS = r"(?:e[drs]?|ers|ings?|ingly|abl[ey]|ability|ations?|ational(?:ly)?)$"

_IS_EVERYWHERE = (
    "advertis|advis|chastis|circumcis|concis|despis|exercis|expertis|franchis|improvis|merchandis|paradis"
    "|precis|premis|promis|revis|supervis|surmis|televis|treatis|wis|[b-df-hj-np-sv-xz]ris"
)
"""What nobody writes with a z, whatever precedes it: neither precise nor imprecise.

A vowel or a t before -rise makes a verb, as in vaporise; other letters make a sunrise or a surprise.
"""

_SPELLINGS = (
    (
        r"(behavi|col|fav|flav|hon|lab|neighb|hum|rum|tum|harb|vap|od|rig|vig|arm|endeav|demean|savi"
        r"|splend|parl|cand|clam|glam|ferv|sav|val|ard|ranc)our",
        r"\1or",
    ),
    (r"manoeuv", "maneuv"),
    (
        r"(cent|theat|fib|lit|met|calib|spect|sab|(?<!l)lust|meag|somb|maneuv)"
        r"r(?:e(?=s?$)|(?=(?:ed|ings?|able|ability)$))",
        r"\1er",
    ),
    (r"(cata|dia|ana|homo)logu(?:e(?=s?$)|(?=(?:e[dr]|ers|ing)$))", r"\1log"),
    (r"licenc(?=e|ing)", "licens"),
    (r"mould", "mold"),
    (r"plough", "plow"),
    (r"^sceptic", "skeptic"),
    (r"^artefact", "artifact"),
    (r"sulph", "sulf"),
    (r"aem(?=i)|(?<=^h)aem(?=[aop])", "em"),
    (r"aesth", "esth"),
    (r"(p|gyn|medi)ae(?=di|do|c|v)", r"\1e"),
    (r"(arch|pal)aeo", r"\1eo"),
    (r"^aetiolog", "etiolog"),
    (r"^faec(?=[ae])", "fec"),
    # An o may belong to what precedes it: it goes from gastrooesophageal, and stays in gastroesophageal.
    (
        r"(^|o|^(?:an|anti|di|hyper|lymph|met|myx|non|papill|para|peri|poly|post|pre|sub|trans))"
        r"oe(?=str[ou]|soph|dema)",
        r"\1e",
    ),
    (r"^foet(?=us|al)", "fet"),
    (r"(rrh|pn|^c)oe(?=a|ic|liac)", r"\1e"),
    # From -ise and not to it: what ends in -ize has the stem of what it is made of, as randomized and
    # random have. Four letters precede it, except in ions and iodine: what is shorter is a name, as Denise
    # is, or made of nothing, as devise is.
    (
        rf"^(?![a-z]*(?:{_IS_EVERYWHERE}){_AFTER_IS})((?:[a-z]{{3,}}[b-df-hj-np-tv-z]|io[dn])i)s(?={_AFTER_IS})",
        r"\1z",
    ),
    (r"(?<=ly)z(?=(?:e[drs]?|ers|ing|able)$)", "s"),
    # Analyses and diagnoses are what somebody made or what somebody makes: nothing tells the noun from the
    # verb, so that both are one. Of hypotheses and the like there is no such verb.
    (r"(ly|diagno)s[ei]s$", r"\1se"),
    (r"(hypothe|synthe|parenthe|prosthe|metasta|progno|empha|psycho)ses$", r"\1sis"),
)
"""How others write it, and what is written instead."""

_RESPELLED = tuple((re.compile(written), instead) for written, instead in _SPELLINGS)
_MAY_BE_RESPELLED = re.compile(
    r"our|r(?:e[sd]?|ings?)$|logu|licenc|mould|plough|sceptic|artefact|sulph|ae|oe|yz|is[eia]|s[ei]s$"
)


def shared_stem(word: str) -> str:
    """The stem of a word in lower case, which its irregular forms and its other spellings share."""
    word = word.removesuffix("'s").removesuffix("’s")
    return stem(_TAKEN_FOR.get(word) or _respelled(word)) if word.isascii() else stem(word)


def _respelled(word: str) -> str:
    if not _MAY_BE_RESPELLED.search(word):
        return word
    for written, instead in _RESPELLED:
        word = written.sub(instead, word)
    return word
