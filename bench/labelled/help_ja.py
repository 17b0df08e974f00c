"""`help_ja`: Japanese help pages of LibreOffice, GNOME and GIMP, asked for by their headings.

The heading, or the sentence that says what the page is for, is not in the document.
"""

import html
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from bench.labelled.layout import Document, Draft, Question
from bench.labelled.packages import Packages
from bench.labelled.texts import cut, in_order, joined, letters, read, sections

DOCUMENTS = 3000
OF_EACH = {"lo": 130, "gnome": 110, "gimp": 60}
MALLARD = "{http://projectmallard.org/1.0/}"

_CHAPTER = re.compile(r"^(第?\s*\d+(\.\d+)*\s*[.章]?\s*)")
_SHOWN = re.compile(
    r'(?s)<div id="DisplayArea".*?(<h1.*?</h1>)(.*?)(<div id="DonationFrame|<footer|\Z)'
)


class _Page(NamedTuple):
    heading: str
    text: str
    asks: bool = True
    """Its heading makes a question."""


def help_ja(packages: Packages) -> Draft:
    """Draw questions from each program, and keep the other pages as documents."""
    chance = random.Random(8)
    pages = {
        "lo": _office(packages.debian("libreoffice-help-ja")),
        "gnome": _desktop(packages.debian("gnome-user-docs")),
        "gimp": _pictures(packages.debian("gimp-help-ja")),
    }
    documents: list[Document] = []
    asked: dict[str, list[Question]] = {program: [] for program in pages}
    for program, found in pages.items():
        for page in found:
            heading, text = joined(page.heading).rstrip("。"), joined(page.text)
            if letters(text) < max(70, 0.4 * len(text)):
                continue
            name = f"{program}{len(documents)}"
            documents.append(Document(name, "", cut(text, 1200)))
            if page.asks and _telling(heading) and _letters_of(heading) not in _letters_of(text):
                asked[program].append(Question(f"q-{name}", heading, frozenset({name})))
    first: dict[str, str] = {}
    documents = [
        each for each in documents if first.setdefault(_letters_of(each.text), each.id) == each.id
    ]
    questions = _drawn(asked, {each.id for each in documents}, chance)
    needed = frozenset[str]().union(*(one.answers for one in questions))
    others = [each for each in documents if each.id not in needed]
    chance.shuffle(others)
    kept = [each for each in documents if each.id in needed] + others[: DOCUMENTS - len(needed)]
    chance.shuffle(kept)
    chance.shuffle(questions)
    return Draft(kept, questions)


def _drawn(
    asked: dict[str, list[Question]], known: set[str], chance: random.Random
) -> list[Question]:
    """Questions that one page alone answers, so many from each program."""
    times = Counter(_letters_of(one.text) for each in asked.values() for one in each)
    chosen: list[Question] = []
    for program, most in OF_EACH.items():
        alone = [
            one
            for one in asked[program]
            if times[_letters_of(one.text)] == 1 and one.answers <= known
        ]
        chance.shuffle(alone)
        chosen += alone[:most]
    return chosen


def _telling(heading: str) -> bool:
    """Long enough, and mostly Japanese."""
    return len(heading) >= 8 and letters(heading) >= 6 and letters(heading) > 0.5 * len(heading)


def _letters_of(text: str) -> str:
    return re.sub(r"[\s。、,.]", "", text)


def _office(folder: Path) -> Iterator[_Page]:
    """LibreOffice: only its guides are asked for; the other pages describe single commands."""
    for path in in_order(folder.glob("usr/share/libreoffice/help/ja/text/*/*/*.html")):
        shown = _SHOWN.search(read(path))
        if shown:
            own = re.split(r'<div class="(?:relatedtopics|embedded)', shown[2])[0]
            text = own if len(own) > 400 else shown[2]
            yield _Page(_unmarked(shown[1]), _unmarked(text), "guide" in path.parts)


def _unmarked(page: str) -> str:
    return html.unescape(re.sub(r"(?s)<(script|style).*?</\1>|<[^>]+>", " ", page))


def _desktop(folder: Path) -> Iterator[_Page]:
    """GNOME: asked for by what each page says it is for."""
    for path in in_order(folder.glob("usr/share/help/ja/*/*.page")):
        try:
            page = ElementTree.parse(path).getroot()
        except ElementTree.ParseError:
            continue
        about = page.find(f"{MALLARD}info/{MALLARD}desc")
        if about is not None:
            left_out = (f"{MALLARD}info", f"{MALLARD}title")
            text = " ".join(" ".join(part.itertext()) for part in page if part.tag not in left_out)
            yield _Page("".join(about.itertext()), text)


def _pictures(folder: Path) -> Iterator[_Page]:
    """GIMP."""
    for path in in_order(folder.glob("usr/share/gimp/2.0/help/ja/*.html")):
        for heading, text in sections(path):
            yield _Page(_CHAPTER.sub("", heading), text)
