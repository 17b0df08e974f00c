"""By which rules the corpus researcher works: those of today, and those that older records were made by.

A record replays only by the rules that made it. So rules are never changed, only followed by others with another
name, and the name stands in the record.
"""

from dataclasses import dataclass, replace

from events.errors import BadRequest


@dataclass(frozen=True, slots=True)
class Rules:
    """What differs from one generation to the next."""

    model: str
    """What findings call it."""

    hinted: float
    """What it counts that a sentence has the wording of a manner, a reason or an effect; anything may have it."""

    chained: bool
    """Whether names are followed from page to page, other words for a thing count, and a title says who "he" is."""

    closer: bool
    """Whether words are read by what stands around them, sentences of linked pages are tried together, and what follows
    from the quotations of a comparison is said, as an inference."""

    pointed: bool = False
    """Whether a sentence must say what is asked of a thing, and not only name it: what something did to something else
    is not told by what it is, nor who wrote the score of a film by who wrote the film. Where nothing says it, nothing
    is quoted."""

    exacting: bool = False
    """Whether what is quoted must keep to all that a question names: its names, its years, its things, what is counted
    and what was done. Where the sources tell it of something else, or of another time or place, nothing is quoted. A
    question in a text is the heading of its answer."""

    telling: bool = False
    """Whether questions that ask for no one fact are answered by what sentences mean where they stand, and not only by
    the words that they share with the question."""

    japanese: bool = False
    """Whether questions in Japanese are read by its words and its grammar, and held to all that they ask."""

    fitting: bool = False
    """Whether who did something is answered only by what speaks of somebody, and why by what may be a reason."""

    everyday: bool = False
    """Whether pages are read as offices, shops and clubs write them: their titles and headings say what a sentence is
    about, and what adds nothing to an answer is not quoted beside it."""

    weighs_in_japanese: bool = False
    """Whether it is said what follows from the quotations of a comparison in Japanese."""

    shows_plainly: bool = False
    """Whether words of documents can be neither image, link, HTML nor mark where an answer shows them."""

    lists: bool = False
    """Whether a sentence that leads to a list is quoted with it."""

    searches_within: bool = False
    """Whether the caller's filter narrows the search itself, and a gap names one that leaves nothing."""

    owns_up: bool = False
    """Whether the last step of a research without an answer says that there is none."""

    marks_cuts: bool = False
    """Whether a sentence that is too long to be quoted whole is said to go on where its quotation ends."""

    learned: str = ""
    """Which weights, learned from labelled questions, choose what is quoted, and whether anything is; empty where the
    rules alone do."""

    filed: bool = False
    """Whether a name is spoken of where the folder, the file or the site of a document is called so: a page of a manual
    seldom says whose manual it is."""

    weighs_every_part: bool = False
    """Whether the weights also choose for each of several questions that are asked at once."""

    names_by_rules: bool = False
    """Whether the rules alone choose where nothing is asked but who or what has a name."""

    parts_whether: bool = False
    """Whether a question is also taken apart before one that asks if something is so: "and may I bring a bicycle"."""

    disputes_widely: bool = False
    """Whether what contradicts a quotation is looked for among all that bears on the question by the rules, and not
    only among what the weights put near it."""

    surveys: bool = False
    """Whether a request for an overview of a topic is answered by what several sections and sources say about it."""

    counts_whole: bool = False
    """Whether only whole numbers count things where figures are held against each other: versions do not."""

    sums_alone: bool = False
    """Whether disputed sums of money are told without the word behind them, which is no unit."""

    names_the_unheard: bool = False
    """Whether a gap names what no passage speaks of before it says what kind of answer is missing."""

    gaps_hold: bool = False
    """Whether a gap says of words only what holds of the passages that were found: which do not stand in them, and
    whether a sentence has all of them."""

    worded_as_asked: bool = False
    """Whether gaps, remarks and reports are in the language of the question, and in plain words."""


FIRST = Rules("corpus-extractive-1", hinted=0.20, chained=False, closer=False)
SECOND = Rules("corpus-extractive-2", hinted=0.08, chained=True, closer=False)
THIRD = Rules("corpus-extractive-3", hinted=0.08, chained=True, closer=True)
FOURTH = Rules("corpus-extractive-4", hinted=0.08, chained=True, closer=True, pointed=True)
FIFTH = replace(FOURTH, model="corpus-extractive-5", exacting=True)
SIXTH = replace(FIFTH, model="corpus-extractive-6", telling=True)
SEVENTH = replace(
    SIXTH, model="corpus-extractive-7", japanese=True, fitting=True, shows_plainly=True
)
EIGHTH = replace(SEVENTH, model="corpus-extractive-8", everyday=True, weighs_in_japanese=True)
NINTH = replace(EIGHTH, model="corpus-extractive-9", worded_as_asked=True)
TENTH = replace(
    NINTH,
    model="corpus-extractive-10",
    lists=True,
    marks_cuts=True,
    searches_within=True,
    owns_up=True,
)
ELEVENTH = replace(TENTH, model="corpus-extractive-11", learned="eleventh", filed=True)
PRESENT = replace(
    ELEVENTH,
    model="corpus-extractive-12",
    learned="twelfth",
    weighs_every_part=True,
    names_by_rules=True,
    parts_whether=True,
    disputes_widely=True,
    surveys=True,
    counts_whole=True,
    sums_alone=True,
    names_the_unheard=True,
    gaps_hold=True,
)

_ALL = {
    each.model: each
    for each in (
        FIRST,
        SECOND,
        THIRD,
        FOURTH,
        FIFTH,
        SIXTH,
        SEVENTH,
        EIGHTH,
        NINTH,
        TENTH,
        ELEVENTH,
        PRESENT,
    )
}


def rules_called(model: str) -> Rules:
    """The rules that a record names."""
    if model not in _ALL:
        raise BadRequest(
            f"This version does not know the rules {model!r}.", "Use the version that recorded it."
        )
    return _ALL[model]
