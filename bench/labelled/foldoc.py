"""`wiki_en`: entries of a dictionary of computing, asked for by what their first sentences say of them.

The sentence is taken out of the entry, so that the rest of it has to be recognised. Where it names
another entry, that name is replaced by how the other entry describes it, and both are right.
"""

import gzip
import random
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from bench.labelled.layout import Document, Draft, Question
from bench.labelled.packages import Packages
from bench.labelled.texts import cut, sentences, squeezed, words_of

DOCUMENTS, OF_TWO, OF_ONE = 4000, 110, 120


@dataclass(frozen=True)
class Entry:
    """What stands under one or several names."""

    id: str
    names: tuple[str, ...]
    text: str
    references: tuple[str, ...]

    @property
    def first(self) -> str:
        """The sentence that says what it is."""
        return next(iter(sentences(self.text)), "")

    @property
    def rest(self) -> str:
        """What is said after it; nothing if that is little."""
        found = sentences(self.text)
        return " ".join(found[1:]) if len(found) >= 3 else ""


class _Asked(NamedTuple):
    """An entry that can be asked for, and the entries its first sentence names."""

    entry: Entry
    named: list[tuple[str, Entry]]


def wiki_en(packages: Packages) -> Draft:
    """Draw entries that can be asked for, alone and with another one."""
    chance = random.Random(6)
    path = packages.debian("dict-foldoc") / "usr/share/dictd/foldoc.dict.dz"
    entries = _entries(path)
    long = [each for each in entries if _words(each.text) >= 35]
    can_be = _askable(entries, long)
    two = [each for each in can_be if each.named]
    one = [each for each in can_be if not each.named]
    chance.shuffle(two)
    chance.shuffle(one)
    questions: list[Question] = []
    shown: dict[str, Document] = {}
    for asked in two:
        if len(questions) < OF_TWO:
            _ask_for_two(asked, questions, shown)
    for entry in [each.entry for each in one if each.entry.id not in shown][:OF_ONE]:
        shown[entry.id] = _shown(entry, entry.rest)
        questions.append(Question(f"s{entry.id}", entry.first.rstrip("."), frozenset({entry.id})))
    others = [each for each in long if each.id not in shown]
    chance.shuffle(others)
    for entry in others[: DOCUMENTS - len(shown)]:
        shown[entry.id] = _shown(entry, entry.rest if _words(entry.rest) >= 35 else entry.text)
    documents = list(shown.values())
    chance.shuffle(documents)
    chance.shuffle(questions)
    return Draft(documents, questions)


def _askable(entries: Iterable[Entry], long: list[Entry]) -> list[_Asked]:
    """Entries whose first sentence says what they are without naming them."""
    by_name: dict[str, Entry] = {}
    for entry in entries:
        for name in entry.names:
            by_name.setdefault(name.lower(), entry)
    known = {entry.id for entry in long}
    found = []
    for entry in long:
        first, rest = entry.first, entry.rest
        if not 9 <= _words(first) <= 34 or _words(rest) < 35 or _named(entry.names, first):
            continue
        if not re.match(r"(An? |The |Any |One |Software|Hardware|Programs?\b)", first):
            continue
        if len(entry.names[0]) < 3 and not _named(entry.names[:1], rest):
            continue
        named = [
            (name, other)
            for name in dict.fromkeys(entry.references)
            if (other := by_name.get(name.lower())) is not None
            and other is not entry
            and other.id in known
            and len(name) > 2
            and name.lower() in first.lower()
        ]
        found.append(_Asked(entry, named))
    return found


def _ask_for_two(asked: _Asked, questions: list[Question], shown: dict[str, Document]) -> None:
    """Ask for an entry by way of the first one it names that can be described without its name."""
    entry = asked.entry
    for name, other in asked.named:
        told, rest = other.first, other.rest
        if entry.id in shown or other.id in shown or _named(other.names, told):
            continue
        if not 5 <= _words(told) <= 24 or not re.match(r"(An? |The |Any )", told):
            continue
        if re.search(r"\b(He|She|was born|author)\b", told) or _words(rest) < 30:
            continue
        whole = entry.first.rstrip(".")
        said = re.sub(rf"(?i)\b(an? |the )?{re.escape(name)}(e?s)?\b", "X", whole, count=1)
        if said == whole or _named((name,), said):
            continue
        told = told.rstrip(".")
        shown[entry.id] = _shown(entry, entry.rest)
        shown[other.id] = _shown(other, rest)
        text = f"{said}, where X is {told[0].lower()}{told[1:]}"
        questions.append(Question(f"b{entry.id}", text, frozenset({entry.id, other.id})))
        return


def _shown(entry: Entry, text: str) -> Document:
    return Document(entry.id, entry.names[0], cut(text, 3000))


def _words(text: str) -> int:
    return len(text.split())


def _named(names: Iterable[str], text: str) -> bool:
    said = words_of(text)
    spelled = [words_of(name) for name in names]
    return any(re.search(rf"\b{re.escape(name)}\b", said) for name in spelled if name)


def _entries(path: Path) -> list[Entry]:
    """The entries of a dictionary in dictd's form: names at the margin, text indented."""
    with gzip.open(path, "rt", encoding="utf-8", errors="replace") as file:
        lines = file.read().split("\n")
    found: list[tuple[list[str], list[str]]] = [([], [])]
    for line in lines:
        names, text = found[-1]
        if not line or line.startswith(" "):
            if names:
                text.append(line)
        elif "".join(text).strip():
            found.append(([line.strip()], []))
        else:
            names.append(line.strip())
    told = [(names, text) for names, text in found if not names[0].startswith("00-")]
    return [
        _entry(f"f{number}", tuple(names), "\n".join(text))
        for number, (names, text) in enumerate(told)
    ]


def _entry(name: str, names: tuple[str, ...], text: str) -> Entry:
    """An entry without marks, dates, its field, the long form of its name, and where it is from."""
    text = re.sub(r"\(\d{4}-\d\d-\d\d\)", "", text)
    text = re.sub(r"^\s*<[^>]*>\s*", "", text)
    references = tuple(
        squeezed(each)
        for each in re.findall(r"\{([^{}]+?)\}", text)
        if not any(mark in each for mark in ("http", "@", "ftp"))
    )
    text = re.sub(r"\{([^{}]*?)\s*\(https?:[^{}]*\)\}", r"\1", text)
    text = squeezed(re.sub(r"[{}]", "", text))
    text = re.sub(r'^\([A-Z0-9/., "a-z-]{2,40}\)\s*', "", text)
    text = re.sub(r'^("[^"]{1,30}",?\s*)+', "", text)
    text = re.sub(r"\[(Jargon File|What\?|Source\?|[A-Z][^\]]{2,80})\]\s*", "", text)
    about = r"(Usenet newsgroup|E-mail|Telephone|Latest version|Home ?page)[^.]*\."
    return Entry(name, names, squeezed(re.sub(about, "", text)), references)
