"""`hops_en` and `hops_made_en`: questions that name what they ask about, and need one to four pages for it.

The pages are those that the researcher without a key is tried on, written by hand and made by a
seed; beside them stand entries of a dictionary. The first set has the questions that were written
by hand, the second those that were made.
"""

import random

from bench.labelled.foldoc import wiki_en
from bench.labelled.layout import Document, Draft, Question
from bench.labelled.packages import Packages
from tests.asked_by_hand import ENCYCLOPEDIAS, Asked, by_hand
from tests.encyclopedia import FAMILIES, World, world

SEEDS = range(100, 106)
EACH = 3
"""How often a made question is asked, of different things."""

MADE, ENTRIES = 400, 1500


def hops_en(packages: Packages) -> Draft:
    """The questions that were written by hand."""
    asked = [question for name in ENCYCLOPEDIAS for _, question in by_hand(name)[1]]
    return _draft(_pages(), asked, packages)


def hops_made_en(packages: Packages) -> Draft:
    """Questions that were made, as far as their pages are not others' of the same title."""
    pages = _pages()
    asked = [
        question
        for each in _worlds()
        for question in each.questions
        if all(pages[title] == each.pages[title] for title, _ in question.gold)
    ]
    random.Random(1).shuffle(asked)
    return _draft(pages, asked[:MADE], packages)


def _worlds() -> list[World]:
    return [world(seed, family, EACH) for family in FAMILIES for seed in SEEDS]


def _pages() -> dict[str, str]:
    """Of several pages with one title, what was written by hand counts, else what was made first."""
    pages: dict[str, str] = {}
    for name in ENCYCLOPEDIAS:
        pages |= by_hand(name)[0]
    for each in _worlds():
        pages = each.pages | pages
    return pages


def _draft(pages: dict[str, str], asked: list[Asked], packages: Packages) -> Draft:
    numbers = {title: f"p{number}" for number, title in enumerate(sorted(pages))}
    documents = [Document(numbers[title], title, text) for title, text in sorted(pages.items())]
    questions = [
        Question(f"q{number}", each.question, frozenset(numbers[title] for title, _ in each.gold))
        for number, each in enumerate(asked)
        if each.gold
    ]
    return Draft([*documents, *wiki_en(packages).documents[:ENTRIES]], questions)
