"""How much a question asks for, judged from its words by rules that anybody can check.

A question scores points:

    1   for each question beyond the first (counted by question marks), at most 3
    1   for each item beyond the first of an enumeration (“US, EU, and China”), at most 3
    2   if it asks to compare (compare, versus, difference, between … and)
    2   if it asks for causes or effects (why, impact, implications, causes, consequences, trade-offs)
    1   if it asks for a survey (landscape, overview, state of the art, trends, history of, developments)
    1   for each different year it names beyond the first, at most 2
    1   beyond 25 words, 2 beyond 60, 4 beyond 150

0 or 1 point is simple, 2 to 4 moderate, 5 and more complex.
"""

import re
from functools import lru_cache
from typing import Literal

Complexity = Literal["simple", "moderate", "complex"]

_COMPARES = re.compile(
    r"\b(compar\w*|versus|vs|differen\w+|contrast\w*|between)\b|比较|对比|比較|違い"
    r"|\bvergleich\w*|\bunterschied\w*|\bdifférence\w*|\bcompara\w*|\bdiferencia\w*",
    re.IGNORECASE,
)
_EXPLAINS = re.compile(
    r"\b(why|impacts?|effects?|implications?|causes?|consequences?|trade-?offs?|influences?|drivers?)\b"
    r"|为什么|影响|原因|なぜ|\bwarum\b|\bauswirkung\w*|\bpourquoi\b|\bpor qué\b",
    re.IGNORECASE,
)
_SURVEYS = re.compile(
    r"\b(landscape|overview|survey|state of the art|trends?|history of|developments?|roadmap"
    r"|comprehensive|in[- ]depth|market)\b|综述|概述|趋势|überblick|panorama",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_SEPARATOR = re.compile(
    r"[,;\u3001\uff0c\uff1b]|\s(?:and|or|und|oder|et|ou|y|o)\s|&", re.IGNORECASE
)
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")

_LENGTHS = ((150, 4), (60, 2), (25, 1))


@lru_cache(maxsize=1024)
def complexity_of(query: str) -> Complexity:
    """The class that a question falls into."""
    points = points_of(query)
    return "simple" if points < 2 else "moderate" if points < 5 else "complex"


def points_of(query: str) -> int:
    """How many points a question scores."""
    questions = len(re.findall(r"[?\uff1f]+", query))
    words = word_count(query)
    return (
        _between(questions - 1, 3)
        + _between(_items(query) - 1, 3)
        + 2 * bool(_COMPARES.search(query))
        + 2 * bool(_EXPLAINS.search(query))
        + bool(_SURVEYS.search(query))
        + _between(len(set(_YEAR.findall(query))) - 1, 2)
        + next((points for length, points in _LENGTHS if words > length), 0)
    )


def word_count(query: str) -> int:
    """Words; where a script has no spaces between them, two characters count as one."""
    wide = len(_WIDE.findall(query))
    return len(_WIDE.sub(" ", query).split()) + wide // 2


def _items(query: str) -> int:
    """Parts of the longest enumeration; separators that stand together count as one."""
    return max(
        len([part for part in _SEPARATOR.split(sentence) if part.strip()])
        for sentence in re.split(r"[.?!\u3002\uff1f\uff01\n]", query)
    )


def _between(number: int, most: int) -> int:
    return max(0, min(number, most))
