"""Which pages a question in Japanese is about: those whose titles it names, whole or by one end."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from actors.answering.candidates import Candidate
from actors.answering.japanese.terms import even, is_name, squeezed
from actors.answering.parts import Part
from language.japanese import morphemes

_BORDER = re.compile(r"[\s「」『』（）()【】〈〉《》:：|｜/／,、。~〜–—]+")  # noqa: RUF001
_NOUNS = frozenset({"名詞", "接尾辞", "接頭辞"})
_SHORTEST = 2
_MOST_OF_A_TITLE = 0.5
_AS_ITS_TOPIC = "はがもをにへで、と。」』"
"""What stands behind a name that something is said of; の would make it only whose or where that is."""


def titles_named(part: Part, titles: Iterable[str]) -> dict[str, str]:
    """The titles that a part names, each with the words by which it does."""
    named = {title: words for title in titles if (words := _named_by(part.text, title))}
    longest = {
        title: words
        for title, words in named.items()
        if not any(words != other and words in other for other in named.values())
    }
    # Of several by the same words, those that also have the figures of the question: the list of that year.
    figures = [each.term for each in part.wanted if each.surface[:1].isdigit()]
    told = {title for title in longest if any(each in squeezed(title) for each in figures)}
    same = {longest[title] for title in told}
    return {t: words for t, words in longest.items() if words not in same or t in told}


def is_of(titles: Mapping[str, str], candidate: Candidate) -> bool:
    """Whether a sentence is of a page that a part names, or of what such a page is about; so is any where none is."""
    if not titles or candidate.passage.title in titles:
        return True
    said = squeezed(candidate.text)
    return any(
        said[at + len(words) : at + len(words) + 1] in _AS_ITS_TOPIC
        for words in titles.values()
        for at in _places(words, said)
    )


def _places(words: str, said: str) -> Iterable[int]:
    at = said.find(words)
    while at >= 0:
        yield at
        at = said.find(words, at + 1)


def _named_by(question: str, title: str) -> str:
    """The words of a question that a title begins or ends with, or one of its parts does."""
    return max((_shared(question, piece) for piece in _pieces(title)), key=len, default="")


@lru_cache(maxsize=1 << 12)
def _pieces(title: str) -> tuple[str, ...]:
    return tuple(filter(None, map(squeezed, _BORDER.split(title))))


@lru_cache(maxsize=1 << 14)
def _shared(question: str, piece: str) -> str:
    found = [
        said
        for said in _phrases(question)
        if (piece.startswith(said) or piece.endswith(said)) and _tells(said, piece)
    ]
    return max(found, key=len, default="")


def _tells(said: str, piece: str) -> bool:
    """Whether words that a title begins or ends with say which page is meant, and not only of what kind it is."""
    if len(said) >= _MOST_OF_A_TITLE * len(piece):
        return True
    parts = list(morphemes(said))
    return len(parts) > 1 or any(map(is_name, parts))


@lru_cache(maxsize=64)
def _phrases(question: str) -> tuple[str, ...]:
    """All that may be a name in a question: from where a noun begins to where a word ends, some words on."""
    plain = even(question)
    words = list(morphemes(plain))
    phrases = []
    for place, first in enumerate(words):
        before = words[place - 1] if place else None
        inside = before is not None and before.kind in _NOUNS and before.end == first.start
        if inside or first.kind in {"助詞", "助動詞", "補助記号", "空白"}:
            continue
        for last in words[place : place + 8]:
            said = squeezed(plain[first.start : last.end])
            if len(said) >= _SHORTEST and last.kind not in {"助詞", "助動詞", "補助記号"}:
                phrases.append(said)
    return tuple(dict.fromkeys(phrases))
