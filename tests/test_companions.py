"""What is quoted first, and what beside it, on pages as offices, shops and clubs write them."""

from dataclasses import replace

import pytest

from actors.answering.companions import foremost, in_vain, says_of_it
from actors.answering.parts import Part
from actors.answering.questions import plan
from actors.answering.relevance import Judge, Ranked
from actors.answering.rules import PRESENT, SEVENTH
from actors.answering.terms import Terms
from actors.kinds.corpus import research
from events.catalogue import Brief
from tests.corpus_shelf import Shelf, candidates_of

CLUB = (
    "# Ostenby Rowing Club\n\nOstenby Rowing Club was founded in 1877 and has about 260 members. "
    "The boathouse is on Meadow Lane, just below the Wending Bridge. "
    "The club's greatest success was the win of the women's eight at the Sandhaven Regatta in 2008."
)
LIBRARY = (
    "# Market Square library\n\nThe Market Square library holds 84,000 items. "
    "Books can be kept for four weeks and films for one week. "
    "It lends projectors to clubs for 15 pounds a day."
)
DRILLS = (
    "# Tavo D300 and D500 cordless drills\n\n"
    "The D500 switches off by itself when the bit jams, because its torque could twist your wrist. "
    "Only the D500 has a hammer function for drilling in brick.\n\n"
    "To change the bit, turn the collar to the left and insert the new bit."
)
TIDES = (
    "# Spring tides\n\nA spring tide occurs twice a month. The name comes from the sea springing up. "
    "A spring tide was painted by Monet.\n\nEvery spring tide in March is announced."
)


def quoted(page: str, question: str, rules: str = PRESENT.model) -> str:
    """What is quoted of a page, on one line."""
    found = research(Brief(question=question), question, Shelf({"page.md": page}), rules)
    return " / ".join(" ".join(each.raw_excerpt.split()) for each in found.citations)


@pytest.mark.parametrize(
    ("page", "question", "told", "in_vain_before"),
    [
        (CLUB, "Where is the boathouse of Ostenby Rowing Club?", "Meadow Lane", "greatest success"),
        (
            LIBRARY,
            "How many weeks can books be kept at the Market Square library?",
            "four weeks",
            "84,000 items",
        ),
        (DRILLS, "How do I swap the bit on a Tavo drill?", "turn the collar", "hammer function"),
    ],
)
def test_what_only_names_the_thing_is_not_quoted_beside_what_is_told_of_it(
    page: str, question: str, told: str, in_vain_before: str
) -> None:
    now, then = quoted(page, question), quoted(page, question, SEVENTH.model)
    assert told in now and in_vain_before not in now
    assert in_vain_before in then


def judged(page: str, question: str, *relevance: float) -> tuple[Judge, Part, list[Ranked]]:
    """The sentences of a page in its order, weighed as is said."""
    pool = [each for each in candidates_of(page) if each.sentence.kind != "heading"]
    [part] = plan(question, "", Terms())
    judge = Judge(pool, [part], telling=True)
    ranked = [
        Ranked(value, each, judge.matched(part, each), frozenset())
        for value, each in zip(relevance, pool, strict=True)
    ]
    return judge, part, ranked


def test_a_close_second_that_says_what_is_asked_comes_first() -> None:
    question = "Where is the boathouse of Ostenby Rowing Club?"
    judge, part, ranked = judged(CLUB, question, 0.80, 0.75, 0.10)
    assert foremost(judge, part, ranked) == [ranked[1]]
    far = [ranked[0], replace(ranked[1], relevance=0.60)]
    assert foremost(judge, part, far) == [ranked[0]]
    assert foremost(judge, part, []) == []


def test_what_a_word_like_it_means_is_spoken_of_by_what_comes_first() -> None:
    question = "Where is the boathouse of Ostenby Rowing Club?"
    judge, part, ranked = judged(CLUB, question, 0.80, 0.75, 0.10)
    clearer = tuple(1.0 for _ in part.wanted)
    best = replace(ranked[0], matches=clearer)
    less = replace(ranked[1], matches=tuple(0.5 for _ in part.wanted))
    assert foremost(judge, part, [best, less]) == [less]
    taken_over = replace(
        part, wanted=tuple(replace(each, at=-1) for each in part.wanted[:1]) + part.wanted[1:]
    )
    assert foremost(judge, taken_over, [best, less]) == [best]


def test_how_and_why_are_told_on_by_what_follows_in_the_paragraph() -> None:
    question = "Do spring tides only happen in spring?"
    judge, part, (best, behind, further, elsewhere) = judged(
        TIDES, question, 0.50, 0.30, 0.30, 0.30
    )
    assert judge.asks_to_tell(part)
    assert not in_vain(judge, part, [best], behind)
    assert in_vain(judge, part, [best], further)
    assert in_vain(judge, part, [best], elsewhere)
    assert not in_vain(judge, part, [best], replace(further, relevance=0.48))
    assert not in_vain(judge, part, [], further)


def test_the_title_says_nothing_of_what_is_asked_but_a_heading_does() -> None:
    page = "# Allotment rules\n\nThe allotment rules are made by the parish."
    [part] = plan("What do the allotment rules say about water?", "", Terms())
    told = candidates_of(page)[-1]
    assert not says_of_it(part, told)
    assert says_of_it(part, replace(told, heading=Terms().of("Water")))


def test_sides_of_comparisons_and_japanese_have_rules_of_their_own() -> None:
    question = "Where is the boathouse of Ostenby Rowing Club?"
    judge, part, ranked = judged(CLUB, question, 0.75, 0.80, 0.75)
    best, other = ranked[1], ranked[2]
    assert in_vain(judge, part, [best], other)
    assert not in_vain(judge, replace(part, side=True), [best], other)
