"""An answer made of the sentences that were found, each with the page it stands on.

Nothing is added to what the pages say, so it needs no model and can be wrong only where they are.
"""

import math
from collections import Counter
from typing import Any

from language.sentences import sentences
from language.words import query_terms, terms

SOURCES = 5
"""Results that an answer is made of."""

MOST_SENTENCES = 6
LONGEST = 400
SAME = 0.7
"""Sentences that share this much of their words say the same."""

_SKIPPED = {"heading", "code"}

Reply = dict[str, Any]


def synthesis(query: str, results: list[Reply]) -> str | None:
    """The sentences that bear most on the question, with numbered sources; none without results."""
    asked = query_terms(query)
    results = results[:SOURCES]
    numbers = {url: n for n, url in enumerate(dict.fromkeys(r["source_url"] for r in results), 1)}
    chosen = _chosen(asked, results)
    if not chosen:
        return None
    body = "\n".join(
        f"- {text} [{numbers[results[place]['source_url']]}]" for place, text in chosen
    )
    cited = {results[place]["source_url"] for place, _ in chosen}
    listed = [
        f"[{number}] {_title(url, results)} {url}"
        for url, number in numbers.items()
        if url in cited
    ]
    return f"{body}\n\nSources:\n" + "\n".join(listed)


def _chosen(asked: dict[str, float], results: list[Reply]) -> list[tuple[int, str]]:
    """Sentences in the order of the results, the most telling ones of all."""
    every = [
        (place, text, set(terms(text)))
        for place, result in enumerate(results)
        for text in _sentences(result["content"])
    ]
    occurs = Counter(term for *_, said in every for term in said if term in asked)
    rarity = {term: math.log(1 + len(every) / times) for term, times in occurs.items()}
    nearness: list[float] = [1.0 - result["combined_score"] for result in results]

    def worth(each: tuple[int, str, set[str]]) -> float:
        place, _, said = each
        shared = sum(asked[term] * rarity[term] for term in said if term in asked)
        return (shared + 0.1) * nearness[place]

    kept: list[tuple[int, str, set[str]]] = []
    for each in sorted(every, key=lambda each: (-round(worth(each), 9), each[0])):
        if len(kept) == MOST_SENTENCES:
            break
        if all(_alike(each[2], other[2]) < SAME for other in kept):
            kept.append(each)
    return [(place, text) for place, text, _ in sorted(kept, key=lambda each: each[0])]


def _sentences(content: str) -> list[str]:
    found = (
        " ".join(content[each.start : each.end].split())
        for each in sentences(content)
        if each.kind not in _SKIPPED
    )
    return [text[:LONGEST] for text in found if len(text) > 3]


def _alike(one: set[str], other: set[str]) -> float:
    least = min(len(one), len(other))
    return len(one & other) / least if least else 1.0


def _title(url: str, results: list[Reply]) -> str:
    titles = (r["metadata"]["title"] for r in results if r["source_url"] == url)
    return " ".join(str(next(titles, "")).split())
