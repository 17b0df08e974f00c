"""The terms that earlier versions of the analyser found, kept as they were found."""

import re
from collections import Counter
from collections.abc import Iterator

from language import words
from language.folding import normalised, plain
from language.stems import stem

_INVISIBLE = re.compile("[\u00ad\u200d\u2060\ufeff]")
_ELIDED = re.compile(
    r"(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|un|quest|quell|gl|d?all|dell|nell|sull)['’](?=[^\W\d_]{2})"
)
_FURTHER = re.compile(
    r"(?<![^\W_])(?:(?P<dotted>[a-z](?:\.[a-z]){1,9})"
    r"|(?P<name>[a-z]{1,20})(?P<number>[0-9]{1,8}(?:\.[0-9]{1,8}){1,4}))(?![^\W_])"
)


def former_terms(analyser: int, text: str) -> dict[str, int]:
    """Of a text without Japanese, by version 1 or 2."""
    found: Counter[str] = Counter()
    folded = normalised(_INVISIBLE.sub("", text)).casefold()
    folded = folded if analyser == 1 else plain(folded)
    for token in words._tokens(folded):
        if words._UNSPACED.match(token):
            found.update(words._grams(token))
        elif analyser == 1 or len(token) > 64:
            found.update(filter(None, [stem(token)]))
        else:
            found.update(_terms(token))
    if analyser == 2:
        found.update(_further(folded))
    return dict(found)


def _terms(token: str) -> list[str]:
    elided = _ELIDED.match(token)
    found = (stem(token), stem(token[elided.end() :])) if elided else (stem(token),)
    return [*filter(None, found)]


def _further(folded: str) -> Iterator[str]:
    for word in folded.split():
        if "." in word[:-1]:
            for dotted, name, number in _FURTHER.findall(word):
                for written in (dotted.replace(".", ""), name, number):
                    yield from () if written in {"", "eg", "ie"} else _terms(written)
