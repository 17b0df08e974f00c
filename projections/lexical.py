"""Full-text index over chunks: BM25 over two fields, in memory.

What a search answers depends on the live chunks in its scope and on nothing else: not on what was
indexed before, in which order, or what other collections hold. So an index that grew step by step
answers like one built anew, and no collection's words weigh on another's answers.
"""

import math
import re
import unicodedata
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from snowballstemmer.english_stemmer import EnglishStemmer

K1 = 1.2
"""How soon repeating a word stops helping."""

B = 0.6
"""How much a long chunk must say a word more often."""

HEADING_WEIGHT = 2.0
"""What a word in the title or a heading counts, against one in the body."""

_CACHED_WORDS = 1 << 18


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that was found."""

    chunk: int
    score: float
    """0 to 1: the share of the best score that any chunk could have for this query."""


# -- words ---------------------------------------------------------------------------------------

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_LETTERS = rf"[^\W_{_CJK}]+"
_TOKEN = re.compile(
    rf"[{_CJK}]+|[0-9]+(?:[.,][0-9]+)*(?![^\W_{_CJK}])|{_LETTERS}(?:['’]{_LETTERS})?"
)
_WIDE = re.compile(rf"[{_CJK}]")
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_ENDINGS = frozenset({"s", "t", "d", "m", "ll", "re", "ve"})

STOP_WORDS = frozenset(
    """
    a about above after again all also am an and any are as at be because been before being below
    between both but by can could did do does doing down during each few for from further had has
    have having he her here hers him his how i if in into is it its itself just me more most my no
    nor not now of off on once only or other our ours out over own same she should so some such
    than that the their theirs them then there these they this those through to too under until up
    us very was we were what when where which while who whom whose why will with would you your
    yours
    """.split()  # noqa: SIM905 - a list of words reads better as words
)


class Words:
    """Turns text into the terms it is found by. Not for use by two threads at once."""

    def __init__(self) -> None:
        self._stemmer = EnglishStemmer()
        self._terms: dict[str, str] = {}

    def terms(self, text: str) -> dict[str, int]:
        """How often each term occurs in a text."""
        found: dict[str, int] = {}
        known = self._terms
        for token, times in Counter(_tokens(text)).items():
            term = known.get(token)
            if term is None:
                if _WIDE.match(token):
                    for gram in _grams(token):
                        found[gram] = found.get(gram, 0) + times
                    continue
                term = self._learn(token)
            if term:
                found[term] = found.get(term, 0) + times
        return found

    def query_terms(self, query: str) -> list[str]:
        """The distinct terms of a query, in a fixed order.

        A single ideograph is only looked for by itself when it stands alone: its bigrams
        say more.
        """
        found: set[str] = set()
        for token in _tokens(query):
            if _WIDE.match(token):
                found.update(gram for gram in _grams(token) if len(gram) == min(2, len(token)))
            else:
                found.add(self._terms.get(token) or self._learn(token))
        return sorted(found - {""})

    def _learn(self, token: str) -> str:
        """The term of a word; empty for a stop word."""
        if len(self._terms) >= _CACHED_WORDS:
            self._terms.clear()
        term = self._terms[token] = self._term(token)
        return term

    def _term(self, token: str) -> str:
        if _THOUSANDS.fullmatch(token):
            return token.replace(",", "")
        word, _, ending = token.replace("’", "'").partition("'")
        token = word if ending in _ENDINGS else word + ending
        if token in STOP_WORDS:
            return ""
        if not token.isascii():
            decomposed = unicodedata.normalize("NFD", token)
            token = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
        stem: str = self._stemmer.stemWord(token)
        return stem


def _tokens(text: str) -> list[str]:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return _TOKEN.findall(text.casefold())


def _grams(run: str) -> Iterator[str]:
    """The bigrams of a run of ideographs or kana, and its single ideographs."""
    for place, character in enumerate(run):
        if "\u3400" <= character <= "\u9fff" or len(run) == 1:
            yield character
        if place:
            yield run[place - 1 : place + 1]


# -- the index -----------------------------------------------------------------------------------

_HEADING_SHIFT = 16
_BODY_MASK = (1 << _HEADING_SHIFT) - 1


class LexicalIndex:
    """Chunks by their terms. Numbers are given in order of addition and never reused."""

    def __init__(self) -> None:
        self._words = Words()
        self._postings: dict[str, array[int]] = {}
        """For each term: chunk number, counts in body and headings, and so on in pairs."""

        self._body_lengths = array("I")
        self._heading_lengths = array("I")
        self._scopes = array("I")
        self._live = bytearray()
        self._scope_numbers: dict[str, int] = {}
        self._names: list[tuple[str, int, str]] = []

    def __len__(self) -> int:
        return sum(self._live)

    def add(self, collection: str, name: tuple[str, int, str], heading: str, body: str) -> int:
        """Index a chunk; its name settles the order of chunks that score the same."""
        number = len(self._live)
        in_body, in_heading = self._words.terms(body), self._words.terms(heading)
        counts = {term: min(times, _BODY_MASK) for term, times in in_body.items()}
        for term, times in in_heading.items():
            counts[term] = counts.get(term, 0) | min(times, _BODY_MASK) << _HEADING_SHIFT
        stored = self._postings
        for term, packed in counts.items():
            if term in stored:
                stored[term].extend((number, packed))
            else:
                stored[term] = array("I", (number, packed))
        self._body_lengths.append(sum(in_body.values()))
        self._heading_lengths.append(sum(in_heading.values()))
        self._scopes.append(self._scope_numbers.setdefault(collection, len(self._scope_numbers)))
        self._live.append(1)
        self._names.append(name)
        return number

    def mask(self, chunks: Iterable[int]) -> None:
        """Never find these again."""
        for chunk in chunks:
            self._live[chunk] = 0

    def search(self, query: str, limit: int, collections: Iterable[str] | None = None) -> list[Hit]:
        """The best chunks of the named collections, best first; without names, of all."""
        terms = self._words.query_terms(query)
        scope = self._in_scope(collections)
        size = int(scope.sum())
        if not terms or not size or limit < 1:
            return []
        scores, best = self._scores(terms, scope, size)
        found = np.flatnonzero(scores)
        if not found.size:
            return []
        values = np.round(scores[found] / best, 6)
        if found.size > limit:
            # Keep all that tie with the last one: names decide among them.
            floor = np.partition(values, found.size - limit)[found.size - limit]
            found, values = found[values >= floor], values[values >= floor]
        hits = [
            Hit(chunk, score) for chunk, score in zip(found.tolist(), values.tolist(), strict=True)
        ]
        hits.sort(key=lambda hit: (-hit.score, self._names[hit.chunk]))
        return hits[:limit]

    def _in_scope(self, collections: Iterable[str] | None) -> npt.NDArray[np.bool_]:
        live = np.frombuffer(bytes(self._live), dtype=np.uint8) > 0
        if collections is None:
            return live
        wanted = [self._scope_numbers[each] for each in collections if each in self._scope_numbers]
        return live & np.isin(_numbers(self._scopes), np.array(wanted, dtype=np.uint32))

    def _scores(
        self,
        terms: list[str],
        scope: npt.NDArray[np.bool_],
        size: int,
    ) -> tuple[npt.NDArray[np.float64], float]:
        """Score of every chunk, and the best that any chunk could have."""
        body_norm = _norms(_numbers(self._body_lengths), scope, size)
        heading_norm = _norms(_numbers(self._heading_lengths), scope, size)
        scores = np.zeros(len(scope))
        best = 0.0
        for term in terms:
            pairs = _numbers(self._postings.get(term, array("I")))
            chunks, counts = pairs[0::2], pairs[1::2]
            here = scope[chunks]
            chunks, counts = chunks[here], counts[here]
            rarity = math.log(1 + (size - len(chunks) + 0.5) / (len(chunks) + 0.5))
            weight = (counts & _BODY_MASK) / body_norm[chunks]
            weight += HEADING_WEIGHT * (counts >> _HEADING_SHIFT) / heading_norm[chunks]
            scores[chunks] += rarity * weight / (K1 + weight)
            best += rarity
        return scores, best


def _numbers(stored: "array[int]") -> npt.NDArray[np.uint32]:
    # A copy: an array that is being looked at refuses to grow.
    return np.array(np.frombuffer(stored, dtype=np.uint32)) if stored else np.zeros(0, np.uint32)


def _norms(
    lengths: npt.NDArray[np.uint32],
    scope: npt.NDArray[np.bool_],
    size: int,
) -> npt.NDArray[np.float64]:
    """What each chunk's counts are divided by, for its length against the others in scope."""
    mean = int(lengths[scope].sum(dtype=np.int64)) / size or 1.0
    return np.asarray(1 - B + B * lengths / mean, dtype=np.float64)
