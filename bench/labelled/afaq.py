"""`afaq_en`: long answers to questions about one subject, each in up to four passages.

All passages of an answer are right, and the others are about much the same things.
"""

import random
import re
from pathlib import Path

from bench.labelled.layout import Document, Draft, Question
from bench.labelled.packages import Packages
from bench.labelled.texts import cut, in_order, read, squeezed

QUESTIONS, PASSAGES = 300, 4


def afaq_en(packages: Packages) -> Draft:
    """Draw from the questions of the package `anarchism`; every passage is a document."""
    chance = random.Random(4)
    documents: dict[str, Document] = {}
    asked: dict[str, Question] = {}
    pages = packages.debian("anarchism") / "usr/share/doc/anarchism/markdown"
    for path in in_order(pages.glob("*.md.gz")):
        if not re.match(r"sec[A-J]\d+", path.name):
            continue
        for number, question, passages in _answers(path):
            mine = [Document(f"{number}-{place}", "", text) for place, text in enumerate(passages)]
            # The first that has a number keeps it.
            if mine and number not in asked:
                documents |= {each.id: each for each in mine}
                asked[number] = Question(number, question, frozenset(each.id for each in mine))
    shuffled, questions = list(documents.values()), list(asked.values())
    chance.shuffle(shuffled)
    chance.shuffle(questions)
    return Draft(shuffled, questions[:QUESTIONS])


def _answers(path: Path) -> list[tuple[str, str, list[str]]]:
    """The numbers, questions and passages of one page."""
    found = []
    for section in re.split(r"(?m)^#+ (?=[A-J]\.\d)", read(path))[1:]:
        head = re.match(r"([A-J](?:\.\d+)+)\s+((?:.+\n)+?)(?=\n|\Z)", section)
        if head is None:
            continue
        question = squeezed(re.sub(r"[*_\\]", "", head[2]))
        if question.endswith("?") and len(question.split()) >= 4:
            found.append((head[1], question, _passages(section[head.end() :])))
    return found


def _passages(markdown: str) -> list[str]:
    """The first passages of an answer: paragraphs together until they are long enough."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", markdown)
    text = re.sub(r"[*_\\#]+|^\s*>\s?", "", text, flags=re.MULTILINE)
    found: list[str] = []
    passage = ""
    for paragraph in text.split("\n\n"):
        if len(paragraph.split()) > 5:
            passage = f"{passage} {squeezed(paragraph)}".strip()
        if len(passage.split()) >= 130:
            found.append(cut(passage, 1800))
            passage = ""
    if len(passage.split()) >= 60:
        found.append(passage)
    return found[:PASSAGES]
