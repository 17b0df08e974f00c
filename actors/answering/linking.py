"""From the names in a sentence to the pages about them."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from actors.answering.figures import is_unit
from actors.answering.senses import sense_of
from actors.answering.terms import Token

NAMESAKE = 0.8
"""How surely a name in full means a page whose brackets say something that its setting does not…"""

ANOTHER = 0.5
"""…and where the brackets of another page of that name do say it."""

_ASIDE = re.compile(r"\s*\([^()]*\)\s*$")
_SPACES = re.compile(r"\W+")
_PARTICLES = {
    " of ",
    " de ",
    " of the ",
    " von ",
    " van ",
    " du ",
    " da ",
    " la ",
    " le ",
    " and the ",
    " for ",
    " the ",
    " in ",
    " der ",
}
_ADJECTIVE = re.compile(
    r"[A-Z][a-z]+(?:ese|ian|ean|can|ish|nch|tch|lsh|wiss|zech|eek|aqi|ani|eli)\Z"
    r"|(?:January|February|March|April|May|June|July|August|September|October|November|December)\Z"
)


@lru_cache(maxsize=1 << 14)
def plain(name: str) -> str:
    """A name as it is compared: letters and digits, folded, one blank between words."""
    return _SPACES.sub(" ", name.casefold()).strip()


def subject(title: str) -> str:
    """What a page with a title is about: "Ed Wood (film)" is about Ed Wood."""
    return plain(_ASIDE.sub("", title)) or plain(title)


def exact_titles(text: str, titles: Iterable[str], *, nouns: bool = False) -> frozenset[str]:
    """The titles whose subject stands in a text in full; not those that are part of a longer such one.

    In a language that writes all nouns with a capital, one capital does not make a name.
    """
    padded = f" {plain(text)} "
    found = {title: subject(title) for title in titles}
    named = {
        title: about
        for title, about in found.items()
        if about and f" {about} " in padded and _as_a_name(about, text, nouns=nouns)
    }
    longest = {
        title
        for title, about in named.items()
        if not any(about != other and f" {about} " in f" {other} " for other in named.values())
        or padded.count(f" {about} ") > _within(about, named.values(), padded)
    }
    return frozenset(
        title for about in set(named.values()) for title in _meant(about, longest, padded)
    )


def _meant(about: str, titles: Iterable[str], padded: str) -> list[str]:
    """Of the titles with one subject, those that a text means: by the words in brackets, else the plain one."""
    same = sorted(title for title in titles if subject(title) == about)
    told = [title for title in same if any(f" {word} " in padded for word in _aside(title))]
    return told or [title for title in same if not _aside(title)] or same


def _aside(title: str) -> list[str]:
    """The words in brackets behind a title."""
    aside = _ASIDE.search(title)
    return plain(aside.group()).split() if aside and subject(title) != plain(title) else []


def _as_a_name(about: str, text: str, *, nouns: bool) -> bool:
    """Whether words stand in a text with a capital that no beginning of a sentence explains."""
    words = re.escape(about).replace(r"\ ", r"\W+")
    for match in re.finditer(rf"(?<!\w){words}(?!\w)", text, re.I):
        said = match.group() if match.start() else match.group()[1:]
        if nouns:
            if sum(word[0].isupper() or word[0].isdigit() for word in said.split()) > 1:
                return True
        elif any(letter.isupper() or letter.isdigit() for letter in said):
            return True
        if not match.start() and text[match.end() : match.end() + 1] == ":":
            return True
    return False


def _within(about: str, others: Iterable[str], padded: str) -> int:
    """How often a name stands in a text as part of longer names."""
    longer = {other for other in others if about != other and f" {about} " in f" {other} "}
    return sum(padded.count(f" {other} ") for other in longer)


def names_in(text: str, tokens: Sequence[Token]) -> list[tuple[str, int]]:
    """The names in a sentence, each whole and where it begins."""
    names: list[tuple[int, int]] = []
    for token in tokens:
        if not token.name or is_unit(token):
            continue
        between = text[names[-1][1] : token.start] if names else ""
        if names and (
            between in {" ", "-", "–", ". ", "’", "'"} or between.casefold() in _PARTICLES
        ):
            names[-1] = names[-1][0], token.end
        else:
            names.append((token.start, token.end))
    found = [(text[start:end], start) for start, end in names]
    return [(name, at) for name, at in found if not _ADJECTIVE.match(name)]


def leads_to(name: str, title: str) -> float:
    """How surely a name means the page with a title: 1 in full, less by a part of it."""
    called, about = plain(name).split(), subject(title).split()
    if not called or not about:
        return 0.0
    if called == about:
        return 1.0
    shorter, longer = sorted((called, about), key=len)
    if longer[-len(shorter) :] == shorter or longer[: len(shorter)] == shorter:
        return 0.7 if len(shorter) > 1 else 0.45
    if len(shorter) > 1 and shorter[0] == longer[0] and shorter[-1] == longer[-1]:
        return 0.6  # With or without the names in the middle.
    return 0.0


def surely_meant(name: str, titles: Iterable[str], said: str) -> dict[str, float]:
    """The titles of pages that a name may mean, each with how surely; what is said around it tells namesakes apart."""
    sure = {title: how for title in titles if (how := leads_to(name, title)) > 0}
    full = [title for title, how in sure.items() if how == 1.0]
    told = [title for title in full if _has_word(_aside(title), said)]
    told = told or [title for title in full if _told_by(_aside(title), said)]
    for title in full:
        if told and title not in told:
            sure[title] = ANOTHER
        elif not told and _aside(title):
            sure[title] = NAMESAKE
    return sure


def _has_word(aside: list[str], said: str) -> bool:
    padded = f" {plain(said)} "
    return any(f" {word} " in padded for word in aside)


def _told_by(aside: list[str], said: str) -> bool:
    """Whether what is said means a word in brackets without having it: "directed by" a director."""
    return any(sense.search(said) for word in aside if (sense := sense_of(word)))
