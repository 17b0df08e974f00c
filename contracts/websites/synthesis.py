"""An answer made of the sentences that were found, each with the page it stands on.

Nothing is added to what the pages say, so it needs no model and can be wrong only where they are.
"""

import math
import re
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from contracts.websites.query import MEDIUM
from language.detection import UNKNOWN, language_of
from language.plain import inert, plainly
from language.scripts import UNSPACED
from language.sentences import sentences
from language.words import HIRAGANA_PAIR_WEIGHT, query_terms, terms

SOURCES = 5
"""Results that an answer is made of."""

MOST_SENTENCES = 6
LONGEST = 400
SAME = 0.7
"""Sentences that share this much of their words say the same."""

TELLING = 0.4
"""Share of the best sentence's worth that another must have."""

FOREIGN = 0.85
"""Distance up to which a result in another language than the question may answer it: it shares no word
with it, and is held for farther than one of the same language. What has nothing to do with it is at 0.9 and beyond."""

FOLLOWS = 0.5
"""Share of its worth that a sentence hands on to the next."""

_LITTLE = 0.1
_UNSPACED = re.compile(f"[{UNSPACED}]")
_SKIPPED = {"heading", "code", "table"}

Reply = dict[str, Any]


class _Said(NamedTuple):
    """A sentence, and the number of the result that it stands in."""

    place: int
    text: str
    terms: frozenset[str]


def synthesis(query: str, results: list[Reply]) -> str | None:
    """The sentences that bear most on the question, with numbered sources; none without results."""
    results = results[:SOURCES]
    chosen = _chosen(query, results)
    if not chosen:
        return None
    numbers = source_numbers(results)
    body = "\n".join(
        f"- {plainly(text)} [{numbers[results[place]['source_url']]}]" for place, text in chosen
    )
    cited = {results[place]["source_url"] for place, _ in chosen}
    return f"{body}\n\n{source_list(results, cited)}"


def bearing_on(query: str, results: list[Reply]) -> list[Reply]:
    """The results that can have to do with a question: near ones, and those that have a word of it.

    Search always finds something; what is far and shares no word is what was the least far.
    """
    asked = {term for term, counts in query_terms(query).items() if counts > HIRAGANA_PAIR_WEIGHT}
    is_foreign = _foreign_to(query)

    def bears(result: Reply) -> bool:
        about = result["metadata"]
        if result["combined_score"] <= (FOREIGN if is_foreign(result) else MEDIUM):
            return True
        said = terms(f"{about['title']}\n{about['section']}\n{result['content']}")
        return not asked.isdisjoint(said)

    return [result for result in results if bears(result)]


def source_numbers(results: list[Reply]) -> dict[str, int]:
    """The numbers by which an answer refers to pages."""
    return {url: n for n, url in enumerate(dict.fromkeys(r["source_url"] for r in results), 1)}


def source_list(results: list[Reply], cited: set[str]) -> str:
    """The pages that an answer cites, one a line."""
    listed = (
        f"[{number}] {plainly(_title(url, results))} {inert(_stands_at(url, results))}"
        for url, number in source_numbers(results).items()
        if url in cited
    )
    return "Sources:\n" + "\n".join(listed)


def _chosen(query: str, results: list[Reply]) -> list[tuple[int, str]]:
    """Sentences in the order of the results, the most telling ones of all."""
    asked = query_terms(query)
    every = [
        _Said(place, text, frozenset(terms(text)))
        for place, result in enumerate(results)
        for text in _sentences(result["content"])
    ]
    worths = _worths(
        asked,
        every,
        [1.0 - result["combined_score"] for result in results],
        list(map(_foreign_to(query), results)),
    )
    least = TELLING * max(worths, default=0.0)
    order = sorted(range(len(every)), key=lambda number: (-round(worths[number], 9), number))
    kept: list[int] = []
    for number in order:
        if len(kept) == MOST_SENTENCES or worths[number] < least:
            break
        if all(_alike(every[number].terms, every[other].terms) < SAME for other in kept):
            kept.append(number)
    return [(every[number].place, every[number].text) for number in sorted(kept)]


def _worths(
    asked: dict[str, float], every: list[_Said], nearness: list[float], foreign: list[bool]
) -> list[float]:
    """What each sentence does for the question; what follows a telling one often says more.

    Of one in another language words say nothing: it counts by how near its result is.
    """
    occurs = Counter(term for said in every for term in said.terms if term in asked)
    rarity = {term: math.log(1 + len(every) / times) for term, times in occurs.items()}
    shares = [
        sum(asked[term] * rarity[term] for term in said.terms if term in asked) for said in every
    ]
    most = max(shares, default=0.0)
    worths: list[float] = []
    before = _Said(-1, "", frozenset())
    for said, share in zip(every, shares, strict=True):
        shared = most if foreign[said.place] else share
        own = (shared + _LITTLE) * nearness[said.place]
        worths.append(own + (FOLLOWS * worths[-1] if before.place == said.place else 0.0))
        before = said
    return worths


def _foreign_to(query: str) -> Callable[[Reply], bool]:
    """Whether a result is in another language; of a few words only another script can tell."""
    language, spaced = language_of(query), _UNSPACED.search(query) is None

    def is_foreign(result: Reply) -> bool:
        said = result["metadata"]["language"]
        if UNKNOWN in (language, said):
            return spaced != (_UNSPACED.search(result["content"]) is None)
        return bool(said != language)

    return is_foreign


def _sentences(content: str) -> list[str]:
    found = (
        " ".join(content[each.start : each.end].split())
        for each in sentences(content)
        if each.kind not in _SKIPPED
    )
    return [text[:LONGEST] for text in found if len(text) > 3]


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    least = min(len(one), len(other))
    return len(one & other) / least if least else 1.0


def _stands_at(url: str, results: list[Reply]) -> str:
    """The address at which whoever looks a page up finds its text."""
    return next((r["final_url"] for r in results if r["source_url"] == url), None) or url


def _title(url: str, results: list[Reply]) -> str:
    titles = (r["metadata"]["title"] for r in results if r["source_url"] == url)
    return " ".join(str(next(titles, "")).split())
