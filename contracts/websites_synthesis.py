"""An answer made of the sentences that were found, each with the page it stands on.

Nothing is added to what the pages say, so it needs no model and can be wrong only where they are.
"""

import math
from collections import Counter
from typing import Any, NamedTuple

from language.sentences import sentences
from language.words import query_terms, terms

SOURCES = 5
"""Results that an answer is made of."""

MOST_SENTENCES = 6
LONGEST = 400
SAME = 0.7
"""Sentences that share this much of their words say the same."""

TELLING = 0.4
"""Share of the best sentence's worth that another must have."""

FOLLOWS = 0.5
"""Share of its worth that a sentence hands on to the next."""

_LITTLE = 0.1
_SKIPPED = {"heading", "code", "table"}

Reply = dict[str, Any]


class _Said(NamedTuple):
    """A sentence, and the number of the result that it stands in."""

    place: int
    text: str
    terms: frozenset[str]


def synthesis(query: str, results: list[Reply]) -> str | None:
    """The sentences that bear most on the question, with numbered sources; none without results."""
    asked = query_terms(query)
    results = results[:SOURCES]
    chosen = _chosen(asked, results)
    if not chosen:
        return None
    numbers = source_numbers(results)
    body = "\n".join(
        f"- {text} [{numbers[results[place]['source_url']]}]" for place, text in chosen
    )
    cited = {results[place]["source_url"] for place, _ in chosen}
    return f"{body}\n\n{source_list(results, cited)}"


def source_numbers(results: list[Reply]) -> dict[str, int]:
    """The numbers by which an answer refers to pages."""
    return {url: n for n, url in enumerate(dict.fromkeys(r["source_url"] for r in results), 1)}


def source_list(results: list[Reply], cited: set[str]) -> str:
    """The pages that an answer cites, one a line."""
    listed = (
        f"[{number}] {_title(url, results)} {url}"
        for url, number in source_numbers(results).items()
        if url in cited
    )
    return "Sources:\n" + "\n".join(listed)


def _chosen(asked: dict[str, float], results: list[Reply]) -> list[tuple[int, str]]:
    """Sentences in the order of the results, the most telling ones of all."""
    every = [
        _Said(place, text, frozenset(terms(text)))
        for place, result in enumerate(results)
        for text in _sentences(result["content"])
    ]
    worths = _worths(asked, every, [1.0 - result["combined_score"] for result in results])
    least = TELLING * max(worths, default=0.0)
    order = sorted(range(len(every)), key=lambda number: (-round(worths[number], 9), number))
    kept: list[int] = []
    for number in order:
        if len(kept) == MOST_SENTENCES or worths[number] < least:
            break
        if all(_alike(every[number].terms, every[other].terms) < SAME for other in kept):
            kept.append(number)
    return [(every[number].place, every[number].text) for number in sorted(kept)]


def _worths(asked: dict[str, float], every: list[_Said], nearness: list[float]) -> list[float]:
    """What each sentence does for the question; what follows a telling one often says more."""
    occurs = Counter(term for said in every for term in said.terms if term in asked)
    rarity = {term: math.log(1 + len(every) / times) for term, times in occurs.items()}
    worths: list[float] = []
    before = _Said(-1, "", frozenset())
    for said in every:
        shared = sum(asked[term] * rarity[term] for term in said.terms if term in asked)
        own = (shared + _LITTLE) * nearness[said.place]
        worths.append(own + (FOLLOWS * worths[-1] if before.place == said.place else 0.0))
        before = said
    return worths


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


def _title(url: str, results: list[Reply]) -> str:
    titles = (r["metadata"]["title"] for r in results if r["source_url"] == url)
    return " ".join(str(next(titles, "")).split())
