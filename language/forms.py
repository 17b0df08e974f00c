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

aluminum aluminium, airplane aeroplane aeroplanes, artifact artefact artefacts,
defense defence defences, offense offence offences, license licence licences,
practice practise practised practises practising, program programme programmes,
judgment judgement judgements, fulfillment fulfilment, enrollment enrolment,
installment instalment instalments, skillful skilful, skillfully skilfully,
counselor counsellor counsellors, fuel fuelled fuelling, jewelry jewellery,
skeptic sceptic sceptics, skeptical sceptical, skepticism scepticism, mold mould moulds,
plow plough ploughs ploughed ploughing, pajamas pyjamas, yogurt yoghurt yoghurts,
maneuver manoeuvre manoeuvres manoeuvred, maneuvering manoeuvring
"""
"""Groups of words: the first is what the others are taken for."""

_TAKEN_FOR = {
    form: base
    for base, *forms in (group.split() for group in _IRREGULAR.split(","))
    for form in forms
}

_OWN_ENDING = (
    "(?:re|un|mis|pre|over)?(?:advis|advertis|appris|aris|chastis|circumcis|compris|compromis|concis|demis|despis"
    "|devis|dis|disguis|enterpris|excis|exercis|expertis|franchis|improvis|incis|likewis|merchandis|mis|otherwis|paradis"
    "|prais|precis|premis|pris|promis|provis|rais|ris|revis|sunris|supervis|surmis|surpris|televis|treatis|vis|wis)[eia]"
)
"""What ends in -ise everywhere."""

_SPELLINGS = (
    (
        r"(behavi|col|fav|flav|hon|lab|neighb|hum|rum|tum|harb|vap|od|rig|vig|arm|endeav|demean|savi"
        r"|splend|parl|cand|clam|glam|ferv|sav|val|ard|ranc)our",
        r"\1or",
    ),
    (r"(cent|theat|fib|lit|met|calib|spect|sab|lust|meag|somb)re([sd]?)$", r"\1er\2"),
    (r"(cata|dia|ana|homo)logue(?=[sd]?$)", r"\1log"),
    (r"sulph", "sulf"),
    (r"aem(?=i)|(?<=^h)aem(?=[aop])", "em"),
    (r"aesth", "esth"),
    (r"(p|gyn|medi)ae(?=di|do|c|v)", r"\1e"),
    (r"(arch|pal)aeo", r"\1eo"),
    (r"^aetiolog", "etiolog"),
    (r"^faec(?=[ae])", "fec"),
    (r"oe(?=str[ou]|soph|dema)", "e"),
    (r"^foet(?=us|al)", "fet"),
    (r"(rrh|pn|^c)oe(?=a|liac)", r"\1e"),
    # From -ise and not to it: what ends in -ize has the stem of what it is made of, as randomized and
    # random have. Precise and precision are not to be parted, nor are others that are made of nothing.
    (
        rf"^(?!{_OWN_ENDING})(?=.{{3}})([a-z]*[b-df-hj-np-tv-z]i)"
        r"s(?=(?:e[drs]?|ers|ings?|ingly|abl[ey]|ability|ations?|ational(?:ly)?)$)",
        r"\1z",
    ),
    (r"(?<=ly)z(?=(?:e[drs]?|ers|ing|able)$)", "s"),
    (r"(analy|hypothe|synthe|diagno|parenthe|prosthe|metasta|progno|empha|psycho)ses$", r"\1sis"),
)
"""How others write it, and what is written instead."""

_RESPELLED = tuple((re.compile(written), instead) for written, instead in _SPELLINGS)
_MAY_BE_RESPELLED = re.compile(r"our|re[sd]?$|logue|sulph|ae|oe|yz|is[eia]|ses$")


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
