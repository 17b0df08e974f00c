"""Whether what would be quoted answers a part of a question, and not one like it: told of another thing, time or place.

    score   the share of what is asked that the quotations speak of, by weight
            + how near the best of them is to the question in meaning
            - a price for each thing in the question that they never speak of

They suffice from a score on, if they also speak of every name and every year of the question, and have a figure or a
date where one is asked for. A word of what is asked may be missing where the meaning is near enough: questions have
other words for what was done than texts do. Names and years have no other words. Where a question is open, as those
for a reason are, what speaks of its names bears on it in whatever words.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from actors.answering.aspects import measures_nothing, tells_of_another
from actors.answering.candidates import Candidate, with_the_next
from actors.answering.figures import UNITS, counts_things
from actors.answering.giving import EXACT, counts, given
from actors.answering.parts import Part, Wanted
from actors.answering.relevance import Judge
from actors.answering.rules import Rules
from actors.answering.seeking import Seeks
from actors.answering.senses import DEMONYM
from actors.answering.telling import asks_openly
from actors.answering.terms import Terms

ENOUGH = 0.93
"""The score from which quotations suffice."""

ENOUGH_SAID = 0.5
"""The same where a question is open: texts answer those in words of their own."""

ENOUGH_TOLD = 0.7
"""The same where whether something is so is asked of no name that a page is about."""

THING = 0.15
"""The price of a thing that is never spoken of."""

USUAL_LIKENESS = 0.7
"""What stands for the likeness in meaning where nobody compared meanings: then other words are given more credit."""

OF_A_NAME = 0.6
"""How much of a name must be there, by its words: some have more of them in a question than in a text."""

HALF_A_NAME = 0.5
"""The same where a chain of sentences begins: a son may be found by the page of his father."""

SPOKEN_OF = 0.35
"""How far a term must be matched to be spoken of."""

NEAR = 40
"""Characters before a word that are looked at."""

ARTICLE = len(" “The ")
"""Characters between a word and the name behind it, at the most."""

OPENING = 1000
"""Characters of a page that say what it is about."""

SHORT = 16
"""Sentences of a page that speaks of one thing throughout."""


class Sufficing:
    """Holds quotations against the parts of a question."""

    def __init__(self, judge: Judge, terms: Terms, rules: Rules) -> None:
        self._judge, self._terms, self._rules = judge, terms, rules
        self._pages: dict[str, frozenset[str]] = {}
        """Terms of short pages, by the hash of their text."""

    def lacking(self, part: Part, told: Sequence[Candidate]) -> list[str]:
        """What of a part is missing so much that some sentences do not answer it, in its words; empty where they do.

        Where something must be found out before what is asked, only the names that this begins with are looked for:
        a step of the way is worth telling.
        """
        names = list(_names(part))
        by_meaning = self._judge.asks_to_tell(part)
        if names and by_meaning:
            # Each by itself: of several sentences one might have the name, and another what is asked of others.
            told = [each for each in told if self._has_all(part, names, each)]
            if not told:
                return _words(names)
        if part.steps:
            begins = [each for each in names if each[0].surface in part.steps[0]]
            return _words(each for each in begins if not self._named(part, each, told, HALF_A_NAME))
        missing = [each for each in names if not self._named(part, each, told, OF_A_NAME)]
        missing += [[each] for each in part.wanted if _is_year(each) and not _dated(each, told)]
        missing += [[each] for each in part.wanted if _is_of_another_kind(part, each, told)]
        if missing:
            return _words(missing)
        if focus := self._unspoken_focus(part, told):
            return focus
        said = [each.text for each in told]
        if not self._gives(part, told) or tells_of_another(part.text, said):
            return [part.text]
        if self._rules.fitting and (_names_nobody(part, told) or _gives_no_reason(part, told)):
            return [part.text]
        if (_asks_only_of_names(part) and measures_nothing(part.text, said)) or _uncounted(
            part, said
        ):
            return [part.text]
        if names and _is_open(part) and not by_meaning:
            return []
        return self._unsaid(part, told)

    def _has_all(self, part: Part, names: Sequence[Sequence[Wanted]], told: Candidate) -> bool:
        return all(self._named(part, each, [told], OF_A_NAME) for each in names)

    def _named(
        self, part: Part, name: Sequence[Wanted], told: Sequence[Candidate], enough: float
    ) -> bool:
        """Whether a name is spoken of: in a sentence itself, if what has the name has a page of its own."""
        own = any(
            self._terms.of(title) <= {word.term for word in name}
            for title in self._judge.about(part)
        )
        return any(
            sum(word.term in around for word in name) >= enough * len(name)
            for around in map(_closely if own else self._around, told)
        )

    def _around(self, candidate: Candidate) -> frozenset[str]:
        """Terms of a sentence, of what stands over and before it, of its page where that is short, and of its file."""
        near = candidate.terms | candidate.above | candidate.before | candidate.earlier
        near |= candidate.filed
        source = candidate.source
        if len(source.sentences) > SHORT:
            return near
        page = source.passage.text_hash
        if page not in self._pages:
            self._pages[page] = self._terms.of(source.text)
        return near | self._pages[page]

    def _gives(self, part: Part, told: Sequence[Candidate]) -> bool:
        """Whether a figure or a date is there, where nothing else is asked for."""
        exact = part.seeks & EXACT
        if not exact or exact != part.seeks or not _EXACTLY.search(part.text):
            return True
        for each in told:
            kinds = given(part, each.text, each.tokens, self._rules) & exact
            if kinds and (kinds != {"number"} or counts(_DECADE.sub(" ", each.text))):
                return True
        return False

    def _unspoken_focus(self, part: Part, told: Sequence[Candidate]) -> list[str]:
        """What is counted or measured, where no sentence speaks of it."""
        asked = _FOCUS.search(part.text)
        if not asked:
            return []
        at, measured = asked.start(asked.lastgroup or 0), asked.lastgroup == "measured"
        places = [
            place
            for place, each in enumerate(part.wanted)
            if each.at == at and (each.strong or measured)
        ]
        spoken = any(
            self._judge.matched(part, each)[place] >= SPOKEN_OF for each in told for place in places
        )
        return [] if spoken else [part.wanted[place].surface for place in places]

    def _unsaid(self, part: Part, told: Sequence[Candidate]) -> list[str]:
        """The words that are not spoken of, where too little is."""
        matches = [self._judge.matched(part, each) for each in told]
        asked = {each.term for each in part.wanted}
        # What a page is about is told by its title, and nothing that is asked of it.
        subjects = frozenset[str]().union(*(each.title for each in told if each.title <= asked))
        whole = said = 0.0
        unsaid: list[Wanted] = []
        for place, each in enumerate(part.wanted):
            if not each.strong or each.entity or each.at < 0:
                continue
            if each.term in subjects or _says_little(each):
                continue
            got = max(one[place] for one in matches)
            weight = self._judge.weight(each) / each.weight
            whole += weight
            said += weight * got
            if got < SPOKEN_OF:
                unsaid.append(each)
        alike = [how for each in told if (how := self._judge.likeness(part, each)) is not None]
        score = said / whole if whole else 1.0
        score += max(alike, default=USUAL_LIKENESS)
        score -= THING * sum(_is_thing(part, each, unsaid) for each in unsaid)
        return (
            [] if score >= self._enough(part) else [each.surface for each in unsaid] or [part.text]
        )

    def _enough(self, part: Part) -> float:
        if _is_open(part):
            return ENOUGH_SAID
        told = self._judge.asks_to_tell(part) and asks_openly(part)
        return ENOUGH_TOLD if told else ENOUGH


# -- reading a question ----------------------------------------------------------------------------

_LIGHT = re.compile(
    r"(?:get|got|take|took|taken|go|went|gone|put|hold|held)(?:s|es|ting|ing)?", re.I
)
"""Verbs that say hardly anything without what stands beside them."""

_FOCUS = re.compile(
    r"\bhow (?:many (?P<counted>[a-z]+)|(?P<measured>tall|deep|wide|heavy)\b)", re.I
)
_MANY = re.compile(r"\bhow many ([a-z-]+)", re.I)
_NUMBER_IN_WORDS = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|\w+teen|twenty|thirty|forty|fifty|sixty"
    r"|seventy|eighty|ninety|hundreds?|thousands?|millions?|once|twice|no|none|single|both|pair|unlimited|several|many"
    r"|few)\b",
    re.I,
)
_EXACTLY = re.compile(
    r"\b(?:how|when|what (?:is|was|are|were)|(?:what|which) (?:year|date|century|decade|month|price))\b",
    re.I,
)
"""Where money stands beside something else that is asked for, it is not what is asked for."""

_WHO = re.compile(r"(?:by |to |for |with )?who(?:m|se)?\b", re.I)
_SOMEBODY = re.compile(
    r"\b(?:he|she|they|we|you|I|his|her|their|our|anyone|everyone|nobody|people|man|men|woman|women|family|children"
    r"|child|staff|team|council|company|firm|government|parliament|king|queen|emperor|monks"
    r"|by (?:the|an?|its|some|several)|[a-z]{3,}(?:ers?|ors?|ists?|ians?|ents?|ants?|ees?|smiths?))\b"
)
_DAY_OR_MONTH = re.compile(
    r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\Z|(?:January|February|March|April|May|June|July|August|September"
    r"|October|November|December)\Z"
)
_REASON = re.compile(
    r",\s+so\b|[:;–—]|\b(?:because|since(?! (?:[0-9]|then|the ))|due to|caus\w*|owing to|so that|so as to|therefore"
    r"|thus|hence|as a result|in order to|for|reasons?|why|makes?|made|leads? to|led to|thanks to|lack of|after|with"
    r"|which|to (?:avoid|prevent|protect|keep|make|reduce|save|allow|let|help|give|stop)|when|as|if|by|from"
    r"|means? that|otherwise|would|could|must|too)\b",
    re.I,
)
_TOLD: frozenset[Seeks] = frozenset({"reason", "effect", "manner", "definition", "topic"})
_SEVERAL = re.compile(r"\s*(?:what|which) (?:are|were) (?:the|some)\b", re.I)
_YEAR = re.compile(r"(?:1[0-9]{3}|20[0-9]{2})\Z")
_SPAN = re.compile(
    r"\b((?:1[0-9]|20)[0-9]{2})\b(?:\s?[–-]\s?|\s(?:to|until|till|and)\s)((?:1[0-9]|20)[0-9]{2})\b"
)
_DECADE = re.compile(r"\b((?:1[0-9]|20)[0-9])0s\b")
_BEFORE_A_SUBJECT = re.compile(r"\b(?:does|do|did|is|are|was|were)\s+\Z", re.I)
_BEFORE_A_THING = re.compile(
    r"\b(?:of|in|on|for|from|at|by|with|to|into|against|an?|the|my|your)\s+\Z", re.I
)
_WORKS = (
    "film films movie movies",
    "novel novels novella book books memoir",
    "song songs single singles ballad",
    "album albums record ep",
    "play plays drama",
    "opera operas operetta",
    "poem poems",
    "painting paintings",
    "series show sitcom",
    "game games",
    "magazine newspaper journal periodical quarterly weekly",
)
_KIND_OF = {word: kind for kind, words in enumerate(_WORKS) for word in words.split()}
# In plain letters only: others that count as the same in either case are not among the words.
_WORK = re.compile(rf"\b(?:{'|'.join(_KIND_OF)})\b", re.I | re.A)
_IS_A_WORK = re.compile(rf"\b(?:is|was) (?:an?|the)\b[^.;]{{0,80}}?{_WORK.pattern}", re.I | re.A)
_IS_DEMONYM = re.compile(rf"{DEMONYM}\Z")
_IS_IT = re.compile(r"\s*(?:is|was|are|were)\b(?:(?!\b(?:in|at|of|from|to)\b).)*\Z", re.I | re.S)


def _is_open(part: Part) -> bool:
    """Whether something is to be told at length, as a reason is, and no one fact is asked for."""
    return (bool(part.seeks) and part.seeks <= _TOLD) or bool(_SEVERAL.match(part.text))


def _closely(candidate: Candidate) -> frozenset[str]:
    """Terms of a sentence, of what stands over it, and of the one that it points back to."""
    near = candidate.terms | candidate.above
    return near | candidate.before if candidate.leans and not candidate.stands else near


def _names(part: Part) -> Iterator[list[Wanted]]:
    """The names that a part has itself; not words for a people, nor letters that stand for a name."""
    named = [each for each in part.wanted if each.entity > 0 and each.at >= 0]
    others = {each.at for each in part.wanted if not each.entity}
    shouted = part.text.isupper()
    for _, words in groupby(named, key=lambda each: each.entity):
        name = list(words)
        if len(name) == 1 and _is_of_a_people(part, name[0], others):
            continue
        kept = [each for each in name if shouted or not _is_letters(each.surface)]
        if kept:
            yield kept


def _is_letters(word: str) -> bool:
    """Whether a word is letters that stand for a name; a code with a figure is the name itself."""
    return word.isupper() and not any(map(str.isdigit, word))


def _asks_only_of_names(part: Part) -> bool:
    return not any(each.strong and not each.entity and each.at >= 0 for each in part.wanted)


def _uncounted(part: Part, said: Sequence[str]) -> bool:
    """Whether it is asked how many of some things there are, and no sentence counts anything."""
    many = _MANY.search(part.text)
    if many is None or many.group(1).casefold() in UNITS or part.seeks != {"number"}:
        return False
    return not any(_NUMBER_IN_WORDS.search(text) or counts_things(text) for text in said)


def _names_nobody(part: Part, told: Sequence[Candidate]) -> bool:
    """Whether it is asked who did something, and no sentence speaks of anybody: that a club was founded in 1877 does
    not tell who founded it."""
    if part.seeks != {"person"} or not _WHO.match(part.text):
        return False
    asked = {each.term for each in part.wanted}
    return not any(
        _SOMEBODY.search(each.text)
        or any(
            token.name and token.term not in asked and not _DAY_OR_MONTH.match(token.surface)
            for token in each.tokens
        )
        for each in told
    )


def _gives_no_reason(part: Part, told: Sequence[Candidate]) -> bool:
    """Whether it is asked why, and neither a sentence nor the one behind it has the wording of a reason."""
    if part.seeks != {"reason"}:
        return False
    return not any(_REASON.search(text) for each in told for text in with_the_next(each))


def _is_of_a_people(part: Part, wanted: Wanted, others: set[int]) -> bool:
    """Whether a word says where something is from: before it, or at the end, as in the German firm and is he Dutch.

    Jordan and Munich end like such words, too.
    """
    if not _IS_DEMONYM.match(wanted.surface):
        return False
    end = wanted.at + len(wanted.surface)
    if end + 1 in others:
        return True
    return _IS_IT.match(part.text) is not None and not part.text[end:].strip(" ?.")


def _says_little(wanted: Wanted) -> bool:
    """Whether a word is looked for elsewhere, or means hardly anything by itself."""
    return _is_year(wanted) or bool(_LIGHT.fullmatch(wanted.surface))


def _words(names: Iterable[Sequence[Wanted]]) -> list[str]:
    return [" ".join(word.surface for word in name) for name in names]


def _is_year(wanted: Wanted) -> bool:
    return wanted.at >= 0 and bool(_YEAR.match(wanted.surface))


def _dated(wanted: Wanted, told: Sequence[Candidate]) -> bool:
    """Whether a sentence speaks of a year, or of years that it lies within."""
    year = int(wanted.surface)
    for each in told:
        if wanted.term in each.terms | each.above | each.before | each.earlier:
            return True
        if any(int(start) <= year <= int(end) for start, end in _SPAN.findall(each.text)):
            return True
        if any(int(decade) == year // 10 for decade in _DECADE.findall(each.text)):
            return True
    return False


def _is_of_another_kind(part: Part, wanted: Wanted, told: Sequence[Candidate]) -> bool:
    """Whether a word says what the name behind it names, and the page of that name is on a work of another kind.

    Who wrote the novel The Mill is not told by who wrote the film.
    """
    kind = _KIND_OF.get(wanted.surface.casefold())
    end = wanted.at + len(wanted.surface)
    named = {each.term for each in part.wanted if each.entity and 0 < each.at - end <= ARTICLE}
    if kind is None or wanted.at < 0 or not named:
        return False
    theirs = [each.source.text for each in told if each.title & named]
    return bool(theirs) and all(_other_work(text[:OPENING], kind) for text in theirs)


def _other_work(text: str, kind: int) -> bool:
    said = {_KIND_OF[word.casefold()] for word in _WORK.findall(text)}
    first = _IS_A_WORK.search(text)
    return first is not None and kind not in said


def _is_thing(part: Part, wanted: Wanted, unsaid: Sequence[Wanted]) -> bool:
    """Whether a word stands where a thing is named, and not what is done with it: of a lead singer, the singer."""
    before = max(0, wanted.at - NEAR)
    if _BEFORE_A_SUBJECT.search(part.text, before, wanted.at):
        return True
    if not _BEFORE_A_THING.search(part.text, before, wanted.at):
        return False
    behind = wanted.at + len(wanted.surface) + 1
    return not any(each.at == behind and each not in unsaid for each in part.wanted)
