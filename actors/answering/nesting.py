"""Questions within questions: what must be found out first, and what is asked about that then.

"Who is the mother of the director of film F?" asks for the director of F, then for that person's mother. The steps are
words only; who or what each leads to stands in the sources.
"""

import re

MOST_STEPS = 4
LONGEST = 400
"""What is longer than this is told, not asked."""

ROLES = (
    r"director|performer|composer|author|writer|creator|founder|co-founder|singer|lead singer|vocalist|lead vocalist"
    r"|frontman|drummer|guitarist|producer|screenwriter|lyricist|songwriter|actor|actress|star|owner|designer"
    r"|architect|inventor|discoverer|publisher|editor|leader|president|mayor|coach|manager|captain|winner|host"
    r"|developer|manufacturer|builder|sculptor|painter|artist|narrator|illustrator|translator|conductor|chairman"
    r"|chief executive|CEO|king|queen|ruler|emperor|commander|father|mother|husband|wife|spouse|son|daughter"
    r"|brother|sister|sibling|child|parent|parent company|record label|label|hometown|birthplace|alma mater"
    r"|capital|namesake|predecessor|successor|subject"
)
_ROLE = rf"(?P<role>(?:{ROLES})s?)"
_CAPITAL = r"(?-i:[A-Z0-9\"“])"
_KIND = (
    r"(?:(?:the |a )?(?:film|movie|song|album|novel|book|series|band|play|opera|show|game|magazine|poem|single"
    rf"|company) (?={_CAPITAL}))?"
)
_OF = re.compile(
    r"\b(?:the |a |its )?(?:(?:first|original|former|current|lead|main|chief) )?"
    rf"{_ROLE} (?:of|for|in|behind|from) {_KIND}(?P<whom>.+)",
    re.I,
)
_POSSESSIVE = re.compile(rf"(?P<whom>[^\s].*?)['’]s? {_ROLE}\b", re.I)
_NOUN = r"(?!(?:the|an?|by|for|to|with|from)\b|of\s+(?:the|an?)\b)[\w’'-]+"
_RELATIVE = re.compile(
    rf"\b(?:the|an?|this) (?P<noun>(?:{_NOUN} ){{0,5}}?{_NOUN}),? "
    r"(?P<link>who|whom|that|whose|where|which|(?:in|at|on|for|to|from|with|by|of|into|through) (?:which|whom))"
    r" (?P<clause>.+)"
)
_PARTICIPLE = re.compile(
    rf"\b(?:the|an?) (?P<noun>(?:{_NOUN} ){{0,4}}?{_NOUN}) "
    r"(?P<link>starring|featuring|directed by|written by|produced by|composed by|founded by|designed by|built by"
    r"|created by|performed by|recorded by|published by|sung by|owned by|named after|based on|located in"
    r"|known as|known for|played by|portrayed by|developed by|played in)"
    r" (?P<clause>.+)"
)
_IN_PLACE = re.compile(
    r"^(?P<told>(?:The|An?|[A-Z0-9\"“]).*?\S)\s+(?P<asked>(?:(?:held|won|comes?|came|is|was|are|were|has|had|did|in|at|on|from"
    r"|of|for|by|to|as|during|with|serves?|plays?|wrote|lies?|born|known|can|seats?|first|also|later|originally|a|an|the"
    r"|town|city|place|country|member|part|[a-z]+ed)\s+){0,6}(?:what|which|whom|how (?:many|much|long|old|far))\b.*)$"
)
_IN_SOMETHING = re.compile(
    r"^(?P<told>.+\S)\s+(?P<asked>(?:in|at|from|on|of|by|to|with|for)\s+an?\s+(?:[\w-]+\s+){1,3}"
    r"(?:in|on|of|from|at|by|whose|that|which|where|with|to)\b.*\b(?:what|which|whom|how)\b.*)$"
)
"""It has its seat in a town in which country."""

_STARTS_ASKING = re.compile(
    r"(?:(?:in|at|for|to|by|on|from|of|with|into|under|during) )?(?:how|what|when|where|which|who|whom|whose|why)\b"
    r"|(?:do|does|did|is|are|was|were|can|has|have|had|will|name|give|tell)\b",
    re.I,
)

_COMPOUND = {
    "paternal grandfather": ("father", "father"),
    "paternal grandmother": ("father", "mother"),
    "maternal grandfather": ("mother", "father"),
    "maternal grandmother": ("mother", "mother"),
    "grandfather": ("parent", "father"),
    "grandmother": ("parent", "mother"),
    "mother-in-law": ("spouse", "mother"),
    "father-in-law": ("spouse", "father"),
    "brother-in-law": ("spouse", "brother"),
    "sister-in-law": ("spouse", "sister"),
    "sibling-in-law": ("spouse", "sibling"),
    "child-in-law": ("child", "spouse"),
    "son-in-law": ("daughter", "husband"),
    "daughter-in-law": ("son", "wife"),
    "stepmother": ("father", "wife"),
    "stepfather": ("mother", "husband"),
    "uncle": ("parent", "brother"),
    "aunt": ("parent", "sister"),
    "grandson": ("child", "son"),
    "granddaughter": ("child", "daughter"),
    "grandchild": ("child", "child"),
    "cousin": ("parent", "sibling"),
    "nephew": ("sibling", "son"),
    "niece": ("sibling", "daughter"),
}
_KIN = rf"(?P<kin>{'|'.join(sorted(_COMPOUND, key=len, reverse=True))})"
_KIN_OF = re.compile(
    rf"^(?P<ask>.*?)(?<![\w-])(?:the |an? )?{_KIN}s? of (?P<whom>.+)$",
    re.I,
)
_KINS = re.compile(
    rf"^(?P<ask>(?:.*?\b(?:is|was|were|are|did|does|do) )?)(?P<whom>.+?)['’]s? "
    rf"{_KIN}\b(?P<rest>.*)$",
    re.I,
)

_WHO_IS = re.compile(r"(?:whom? (?:is|was|are|were) )?", re.I)
"""What asks for nothing but the relative."""


def steps_of(clause: str) -> tuple[str, ...]:
    """The questions that a question consists of, innermost first; none where it is a plain one."""
    if len(clause) > LONGEST:
        return ()
    found = _steps(clause.strip(" ?.,"), MOST_STEPS)
    return tuple(found) if len(found) > 1 else ()


def step_about(thing: str, aspect: str) -> tuple[str, ...]:
    """The same for a thing that is compared with others: "which film has the director who is older"."""
    within = re.search(
        rf"\b(?:has|have|had|with|whose)\s+(?:the\s+|an?\s+)?{_ROLE}\b(?P<asked>.*)", aspect, re.I
    )
    if within and _says_something(within["asked"]):
        return (f"{_singular(within['role'])} of {thing}", _bare(within["asked"]))
    return ()


def _steps(clause: str, left: int) -> list[str]:
    if left < 2:
        return [clause]
    if compound := _KIN_OF.match(clause) or _KINS.match(clause):
        first, then = _COMPOUND[compound["kin"].casefold()]
        rest = compound.groupdict().get("rest", "")
        if _WHO_IS.fullmatch(compound["ask"]) and not rest:
            return [*_steps(f"{first} of {compound['whom'].strip()}", left - 1), then]
        plainly = f"{compound['ask']}the {then} of the {first} of {compound['whom']}{rest}"
        return _steps(plainly, left)
    for inner, outer in _cuts(clause):
        if _says_something(outer) and _has_name(inner):
            return [*_steps(inner, left - 1), outer]
    return [clause]


def _cuts(clause: str) -> list[tuple[str, str]]:
    """Ways to cut a clause into what is to be found first and what is asked of it, the outermost first."""
    if not _STARTS_ASKING.match(clause):
        placed = _IN_SOMETHING.match(clause) or _IN_PLACE.match(clause)
        if placed:
            return [(placed["told"], placed["asked"])]
    return [*_by_role(clause), *_by_description(clause)]


def _by_role(clause: str) -> list[tuple[str, str]]:
    cuts: list[tuple[str, str]] = []
    place = 0
    while role := _OF.search(clause, place):
        before = clause[: role.start()]
        whom, after = _tail(role["whom"], before)
        cuts.append((f"{role['role']} of {whom}", _tidy(f"{before} {after}")))
        place = role.end("role")
    if owned := _POSSESSIVE.search(clause):
        who = _AFTER_AUXILIARY.sub("", owned["whom"])
        before = clause[: owned.end("whom") - len(who)]
        cuts.append((f"{owned['role']} of {who}", _tidy(f"{before} {clause[owned.end() :]}")))
    return cuts


def _by_description(clause: str) -> list[tuple[str, str]]:
    cuts: list[tuple[str, str]] = []
    nested = [match for pattern in (_RELATIVE, _PARTICIPLE) if (match := pattern.search(clause))]
    for match in sorted(nested, key=lambda each: each.start()):
        before = clause[: match.start()]
        if _ENDS_ASKING.search(clause):
            cuts.append((before.strip(), clause[match.start() :]))
            continue
        inner, after = _tail(clause[match.start() :], before)
        if not after and _PENDING.search(before) and " " in match["noun"]:
            # "In which town was the actor born who …": the verb stands before the clause.
            noun, _, after = match["noun"].rpartition(" ")
            inner = inner.replace(match["noun"], noun, 1)
        cuts.append((inner, _tidy(f"{before} {after}")))
    return cuts


_ENDS_ASKING = re.compile(r"\b(?:who|whom|what)\s*$")
_FROM = re.compile(r"\s(?:is|was|are|were|comes?|came|hails?)\s+from\s*$")
_PENDING = re.compile(r"\b(?P<aux>is|was|are|were|did|does|do|that|which|whom)\s*$", re.I)
"""An auxiliary or a pronoun whose verb is still to come."""

_AFTER_AUXILIARY = re.compile(
    r"^.*?\b(?:is|are|was|were|did|does|do|has|have|had|of|where|when|who|which|what)\s+(?=[A-Z\"“])"
)
_LAST_VERB = re.compile(
    r"\s(?P<verb>[a-z]+)(?P<prep>\s(?:in|at|from|to|for|on|with|by|of|as|into|under|about))?\s*$"
)
_DONE = re.compile(r"(?:[a-z]{2,}ed|born|[a-z]+wn|[a-z]+en|made|held|set|from|shot|led|won)\Z")


def _tail(inner: str, before: str) -> tuple[str, str]:
    """Words without the verb at their end that an auxiliary before them waits for, and that verb."""
    if origin := _FROM.search(inner):
        return inner[: origin.start()], inner[origin.start() :].strip()
    pending, last = _PENDING.search(before), _LAST_VERB.search(inner)
    if not pending or not last or not _has_name(inner[: last.start()]):
        return inner, ""
    verb = last["verb"]
    match pending["aux"].casefold():
        case "did" | "does" | "do":
            fits = not re.search(r"(?<!s)s\Z|ed\Z", verb)
        case "that" | "which" | "whom":
            fits = True
        case _:
            fits = bool(_DONE.match(verb))
    return (inner[: last.start()], inner[last.start() :].strip()) if fits else (inner, "")


def _has_name(text: str) -> bool:
    return bool(re.search(r"[A-Z0-9\"“]", text))


_SAYS_NOTHING = re.compile(
    r"\b(?:the|an?|of|in|at|on|to|by|from|for|with|is|are|was|were|did|does|do|has|have|had|be|been|who|whom|whose|what"
    r"|which|when|where|why|how|many|much|and|or|both|name|that|it|this|one|his|her|their|its)\b|[^\w]",
    re.I,
)


def _says_something(outer: str) -> bool:
    """Whether words ask for anything by themselves."""
    left = _SAYS_NOTHING.sub(" ", outer).split()
    return bool(left)


def _tidy(text: str) -> str:
    return " ".join(text.split())


def _bare(asked: str) -> str:
    return _tidy(re.sub(r"^\s*(?:who|that|which)\s+", "", asked))


def _singular(role: str) -> str:
    return role[:-1] if role.endswith("s") and not role.endswith("ss") else role
