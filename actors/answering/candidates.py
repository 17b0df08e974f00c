"""The sentences of what was read, each with all that weighing it needs to know."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, takewhile

from actors.answering.figures import figures
from actors.answering.rules import Rules
from actors.answering.terms import Terms, Token
from actors.ports import Passage
from actors.reports.wording import one_line
from language.listings import Listing, led_by, lists_around
from language.sentences import Sentence, clip

_LEANING = re.compile(
    r"(?:it(?! (?:is|was|has been|seems|remains) (?:\w+ )?(?:known|estimated|possible|believed|clear|unclear"
    r"|unknown|thought|said|likely|that|to)\b)|its|this|that|these|those|they|their|them|he|she|his|her|such"
    r"|both|the (?:former|latter)|however|but|therefore|thus|hence|moreover|furthermore|also|instead"
    r"|nevertheless|still|yet|so|in addition|as a result|for (?:example|instance)|neither|here|there|then"
    r"|none of them)\b|これ|それ|この|その|しかし|また|したがって",
    re.I,
)
_PERSONAL = re.compile(r"(?:he|she|they|it|his|her|their|its)\b", re.I)
_OWNING = re.compile(r"['’]s?\Z")
_LABEL = re.compile(r"(\*\*|__)[^*_]{1,80}\1[.:]?\Z|(\*|_)[^*_]{1,80}\2[.:]?\Z")
"""A heading run into its paragraph: **Ebb generation.**"""

_SOMEBODYS = re.compile(
    r"\A(?:file://)?(?:/home/[^/]+|/users/[^/]+|/root|/tmp|[a-z]:\\users\\[^\\]+)", re.I
)
"""A folder that is named for whose computer it is on, and not for what is in it."""

_FOLDER = re.compile(r"[/\\]+")
_FOLDERS = 4
"""Folders and names at the end of a path or an address that may say what a document is about, beside the site."""

_NAME = re.compile(r"[^\W\d_]{3,}")
_ENDS_ASKING = re.compile(r"[?\uff1f](?:\W|</\w+>)*\Z")
_MARKED_AS_QUESTION = re.compile(r"(?:Q|\uff31|問)[0-9]{0,3}\s?[.:\uff0e\uff1a、]")
"""Q. I have lost my card."""


@dataclass(frozen=True, slots=True)
class Source:
    """A document that was read."""

    passage: Passage
    """The first of its passages that was found."""

    text: str
    sentences: tuple[Sentence, ...]
    order: int
    """Sources are numbered as they are read."""

    def goes_on(self, end: int) -> bool:
        """Whether a place is in the middle of a sentence, and not at its end."""
        at = bisect_left(self.sentences, end, key=lambda each: each.end)
        return at < len(self.sentences) and self.sentences[at].start < end < self.sentences[at].end


@dataclass(frozen=True, slots=True)
class Led:
    """A list that a sentence is an item of."""

    listing: Listing
    terms: frozenset[str]
    """Of what leads to it."""

    heads: bool
    """Whether that is a heading, which is known as such already."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that might be quoted."""

    source: Source
    place: int
    """Its number among the sentences of its source."""

    start: int
    end: int
    passage: Passage
    text: str
    """On one line."""

    tokens: tuple[Token, ...]
    terms: frozenset[str]
    kin: frozenset[int]
    title: frozenset[str]
    """Terms of its document's title."""

    title_names: frozenset[str]

    heading: frozenset[str]
    """Terms of the nearest heading, or of a table's column heads."""

    above: frozenset[str]
    """Terms of the title and all headings."""

    above_kin: frozenset[int]
    before: frozenset[str]
    """Terms of the sentence before it in its paragraph."""

    earlier: frozenset[str]
    """Terms of the sentences before that one."""

    measures: frozenset[str]
    """Dimensions of its figures."""

    leans: bool
    """It begins with a word that points back."""

    opens: bool = False
    """It is the first sentence of its text."""

    owners: frozenset[str] = frozenset()
    """Terms that stand there only as whose something is: "her father's wishes"."""

    on_name: bool = False
    """Its page is about something that has a name, not about a topic."""

    compared: str = ""
    """What is compared in meaning with a question: with the name of its page, where it does not name that itself."""

    filed: frozenset[str] = frozenset()
    """Terms of the folders, the file or the site of its document."""

    stands: bool = False
    """It points back to what its title names, and so can stand alone."""

    leads: Listing | None = None
    """The list that it leads to, and is quoted with."""

    led: tuple[Led, ...] = ()
    """The lists that it is an item of, the innermost first."""

    @property
    def sentence(self) -> Sentence:
        """The sentence it was taken from, unclipped."""
        return self.source.sentences[self.place]


def candidate(
    source: Source, place: int, passage: Passage, terms: Terms, rules: Rules
) -> Candidate:
    """A sentence of a source, which a search found in a passage."""
    sentence = source.sentences[place]
    start, end = clip(source.text, sentence.start, sentence.end)
    text = one_line(source.text[start:end])
    tokens = tuple(terms.tokens(text))
    own = terms.among(tokens)
    title = terms.of(passage.title)
    above = title.union(*map(terms.of, passage.headings))
    heading = terms.of(passage.headings[-1]) if len(passage.headings) > 1 else frozenset[str]()
    before, earlier = frozenset[str](), frozenset[str]()
    block = [each for each in source.sentences[:place] if each.block == sentence.block]
    opening = source.text[block[0].start : block[0].end] if block else ""
    labelled = len(block) == 1 and bool(_LABEL.match(opening))
    if sentence.kind == "table" or _LABEL.match(opening):
        heading |= terms.of(opening)
    elif block:
        before = terms.of(source.text[block[-1].start : block[-1].end])
        first, last = block[0].start, _end_of_block(source, place)
        earlier = terms.of_beginning(source.text[first:last], block[-1].start - first)
    if rules.exacting and (asked := _question_over(source, place, len(block), rules)):
        heading |= terms.of(asked)
        above |= terms.of(asked)
        labelled = labelled or len(block) == 1
    leads, led = _lists(source, place, terms) if rules.lists else (None, ())
    over = frozenset[str]().union(*(each.terms for each in led if not each.heads))
    heading |= over
    above |= over
    measured = figures(text, tokens, frozenset(), terms)
    titled = rules.chained and _titled(source, title, terms)
    names = frozenset(token.term for token in terms.tokens(passage.title) if token.name)
    on_name = bool(names) and len(names) >= 0.5 * len(title)
    return Candidate(
        source=source,
        place=place,
        start=start,
        end=end,
        passage=passage,
        text=text,
        tokens=tokens,
        terms=own,
        kin=terms.kins(own),
        title=title,
        title_names=names,
        heading=heading,
        above=above,
        above_kin=terms.kins(above),
        before=before,
        earlier=earlier,
        measures=frozenset(figure.dimension for figure in measured),
        leans=labelled or bool(_LEANING.match(text)),
        opens=all(each.kind == "heading" for each in source.sentences[:place]),
        owners=own - frozenset(t.term for t in tokens if not _OWNING.search(t.surface)),
        compared=f"{passage.title}: {text}"
        if ((titled and rules.closer and on_name) or not terms.capitals) and title - own
        else text,
        on_name=on_name,
        filed=_filed(passage.locator, terms) if rules.filed else frozenset(),
        stands=bool(_PERSONAL.match(text)) and titled,
        leads=leads,
        led=led,
    )


def _filed(locator: str, terms: Terms) -> frozenset[str]:
    """What the end of a path or an address is called, and the site; not whose home it is in."""
    site, path = "", _SOMEBODYS.sub("", locator)
    if "://" in path and not path.startswith("file:"):
        path = path.partition("://")[2]
        site, _, path = path.partition("/")
    parts = [site, *filter(None, _FOLDER.split(path)[-_FOLDERS:])]
    return frozenset(
        term for part in parts for word in _NAME.findall(part) for term in terms.of(word)
    )


def with_the_next(told: Candidate) -> Iterator[str]:
    """A sentence, and the one behind it in its paragraph, which may give its reason."""
    yield told.text
    sentences, behind = told.source.sentences, told.place + 1
    if behind < len(sentences) and sentences[behind].block == told.sentence.block:
        yield told.source.text[sentences[behind].start : sentences[behind].end]


def _is_question(source: Source, place: int, rules: Rules) -> bool:
    sentence = source.sentences[place]
    if _ENDS_ASKING.search(source.text, sentence.start, sentence.end):
        return True
    return rules.japanese and _MARKED_AS_QUESTION.match(source.text, sentence.start) is not None


def _question_over(source: Source, place: int, inside: int, rules: Rules) -> str:
    """What a sentence stands under as under a heading: a question, or a label in a paragraph of its own.

    `inside` is how many sentences of its block come before it. One question does not stand under another.
    """
    if _is_question(source, place, rules):
        return ""
    first = place - inside
    if inside and _is_question(source, first, rules):
        return _said(source, first)
    over = first - 1
    if over < 0 or source.sentences[over].kind not in {"prose", "item"}:
        return ""
    alone = over == 0 or source.sentences[over - 1].block != source.sentences[over].block
    asks = _is_question(source, over, rules) or _LABEL.match(_said(source, over))
    return _said(source, over) if alone and asks else ""


def _said(source: Source, place: int) -> str:
    sentence = source.sentences[place]
    return source.text[sentence.start : sentence.end]


def _end_of_block(source: Source, place: int) -> int:
    block = source.sentences[place].block
    following = takewhile(lambda each: each.block == block, islice(source.sentences, place, None))
    return max(each.end for each in following)


def _lists(source: Source, place: int, terms: Terms) -> tuple[Listing | None, tuple[Led, ...]]:
    """The list that a sentence leads to, and those that it is an item of."""
    text, sentences = source.text, source.sentences
    around = lists_around(text, sentences, place)
    led = tuple(
        Led(each, terms.of(_said(source, each.lead)), sentences[each.lead].kind == "heading")
        for each in around
    )
    return led_by(text, sentences, place), led


def _titled(source: Source, title: frozenset[str], terms: Terms) -> bool:
    """Whether a text begins with what its title names: then its pronouns mean that."""
    first = next((each for each in source.sentences if each.kind != "heading"), None)
    if not title or first is None:
        return False
    said = terms.of(source.text[first.start : first.end])
    return len(title & said) >= 0.5 * len(title)


def quotable(source: Source, place: int, rules: Rules) -> bool:
    """Whether a sentence can stand in an answer: no heading, label, code, or head of a table, nor a question that is
    answered below it."""
    sentence = source.sentences[place]
    if sentence.kind == "table":
        return place > 0 and source.sentences[place - 1].block == sentence.block
    if sentence.kind not in {"prose", "item"} or _LABEL.match(_said(source, place)):
        return False
    if not rules.exacting or not _is_question(source, place, rules):
        return True
    following = place + 1
    answered = following < len(source.sentences) and source.sentences[following].kind != "heading"
    return not answered or _is_question(source, following, rules)
