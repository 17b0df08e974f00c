"""`man_ja`: Japanese manual pages by what they are for, and sections of Debian's handbooks by heading.

A manual page says in one line what it is for, and describes it at length elsewhere: the line is the
question, the description the document.
"""

import random
import re
from collections import Counter

from bench.labelled.layout import Document, Draft, Question
from bench.labelled.packages import Packages
from bench.labelled.roff import sections_of
from bench.labelled.texts import cut, in_order, joined, letters, read, sections, words_of

DOCUMENTS, OF_PAGES, OF_HANDBOOKS = 4000, 170, 130

PAGES = ("manpages-ja", "manpages-ja-dev")
HANDBOOKS = {
    "debian-reference-ja": "debian-reference/ch*.ja.html",
    "developers-reference-ja": "developers-reference/ja/*.html",
    "maint-guide-ja": "doc/maint-guide-ja/html/*.html",
    "installation-guide-amd64": "doc/installation-guide-amd64/ja/*.html",
    "aptitude-doc-ja": "doc/aptitude/html/ja/*.html",
    "debian-faq-ja": "doc/debian/FAQ/ja/*.html",
    "weechat-doc": "doc/weechat/html/weechat_*.ja.html",
    "debmake-doc": "doc/debmake-doc/html/*.ja.html",
}

_NAME = re.compile("名前|名称|NAME")
_DESCRIPTION = re.compile("説明|DESCRIPTION|解説|概要説明|機能説明|記述")
_PURPOSE = re.compile(r"\s(?:-+|[\u2014\u2013\u30fc\u2015\u2212])\s*(.+)$")
_NUMBER = re.compile(
    r"^(第?\s*[\dA-Z]+(\.\d+)*\s*[.章節]?\s+|付録\s*[A-Z][.\uff0e]?\s*|第\s*\d+\s*章\.?\s*"
    r"|Chapter \d+\.\s*|Appendix [A-Z]\.\s*)"
)
_LISTS = re.compile(r"(index|search|genindex|developers-reference)\.html")
_WAYS_ON = re.compile(r"\s*(戻る|前のページ|Prev)\s.{0,80}$")


def man_ja(packages: Packages) -> Draft:
    """Draw questions from both, and keep what else there is as documents."""
    chance = random.Random(7)
    documents, of_pages = _pages(packages)
    chance.shuffle(of_pages)
    of_handbooks = _handbooks(packages, documents)
    chance.shuffle(of_handbooks)
    questions = [*of_pages[:OF_PAGES], *of_handbooks[:OF_HANDBOOKS]]
    needed = frozenset[str]().union(*(one.answers for one in questions))
    others = [each for each in documents if each.id not in needed]
    chance.shuffle(others)
    kept = [each for each in documents if each.id in needed] + others[: DOCUMENTS - len(needed)]
    chance.shuffle(kept)
    return Draft(kept, questions)


def _pages(packages: Packages) -> tuple[list[Document], list[Question]]:
    """Descriptions of manual pages, each once, and what the pages are for."""
    found: dict[str, tuple[Document, Question]] = {}
    for package in PAGES:
        folder = packages.debian(package) / "usr/share/man/ja"
        for path in in_order(folder.glob("man*/*.gz")):
            if path.is_symlink():
                continue
            parts = sections_of(read(path))
            name = next((text for part, text in parts.items() if _NAME.fullmatch(part)), "")
            text = next(
                (t for part, t in parts.items() if _DESCRIPTION.match(part) and len(t) > 100), ""
            )
            purpose = _PURPOSE.search(name)
            if purpose is None:
                continue
            asked, text = joined(purpose[1]), joined(text)
            if letters(asked) < 6 or letters(text) < max(80, 0.35 * len(text)):
                continue
            page = f"man-{path.stem}"
            if page not in found and not _stands_in(asked, text):
                question = Question(f"q-{page}", asked, frozenset({page}))
                found[page] = (Document(page, "", cut(text, 1200)), question)
    first: dict[str, str] = {}
    once = [
        (document, question)
        for document, question in found.values()
        if first.setdefault(words_of(document.text), document.id) == document.id
    ]
    return [document for document, _ in once], _alone([question for _, question in once])


def _handbooks(packages: Packages, documents: list[Document]) -> list[Question]:
    """Adds the sections of the handbooks to the documents; gives the headings that tell enough."""
    asked = []
    for package, pages in HANDBOOKS.items():
        for path in in_order((packages.debian(package) / "usr/share").glob(pages)):
            if _LISTS.match(path.name):
                continue
            for title, body in sections(path):
                heading, text = joined(_NUMBER.sub("", title)), joined(_WAYS_ON.sub("", body))
                if letters(text) < max(80, 0.3 * len(text)) or _stands_in(heading, text):
                    continue
                name = f"s{len(documents)}"
                documents.append(Document(name, "", cut(text, 1200)))
                if len(heading) >= 8 and letters(heading) >= 6:
                    asked.append(Question(f"q-{name}", heading, frozenset({name})))
    return _alone(asked)


def _alone(asked: list[Question]) -> list[Question]:
    """Questions that are asked once."""
    times = Counter(words_of(one.text) for one in asked)
    return [one for one in asked if times[words_of(one.text)] == 1]


def _stands_in(asked: str, text: str) -> bool:
    return asked.replace(" ", "") in text.replace(" ", "")
