"""What a search result says about the question: whether it was good, too broad, or needs a word more.

Everything is computed from the question and the passages that were found, by rules that are written
down here; the same question over the same corpus gets the same advice. Suggestions are words and
headings of the passages themselves, so that asking with them finds something.

- coverage: how much of the question, by weight of its terms, occurs in the passages;
- spread: how far the best passage stands out from the middle one;
- ambiguity: how relevant the second best reading of the question is against the best one. A reading
  is a group of passages that has hardly a word in common with the others and yet has all the words
  of the question that were found at all; 0 is one reading, 1 is several of equal weight.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any, Literal, Protocol

from contracts.knowledge.asked_about import asked_about
from language.detection import UNKNOWN, language_of
from language.foreign import is_foreign
from language.language_names import NAMES, may_be_written_as
from language.scripts import HIRAGANA, UNSPACED
from language.words import JAPANESE_WORD, japanese_words, query_terms, terms

Status = Literal["optimal", "clarification_needed", "too_broad"]

LABELS = (
    (0.75, "Highly Relevant"),
    (0.5, "Relevant"),
    (0.25, "Somewhat Relevant"),
    (0.0, "Marginally Relevant"),
)
"""From which score on a passage is called what; scores are calibrated, so this holds for any corpus."""

WEAK = 0.25
"""A best passage below this answers nothing."""

RELEVANT = 0.5
"""A best passage below this answers in part, if at all: with a word of the question in no passage, it may be about
something else."""

COVERED = 0.5
"""Less of the question than this found anywhere: the corpus speaks of something else."""

FLAT = 0.15
"""A spread below this: no passage stands out."""

SHORT_QUERY = 2
"""Words up to which a question may be too broad."""

MANY = 5
"""Passages from which on one can speak of too many."""

ALIKE = 0.12
"""Overlap of terms from which two passages are about the same."""

AMBIGUOUS = 0.6
"""A second reading from this on is as good as the first."""

READINGS = 3
"""More readings than this are no choice any more: the question is too broad."""

SUGGESTIONS = 5

_ELSEWHERE = "Use words of the documents themselves, or search other collections."
_EMPTY = (
    "There are no documents here yet: add some (ingest_documents, or "
    "research-agent ingest PATH), or search other collections."
)
_SAID = (
    "A passage found has every word of this. Whether it answers cannot be told from so little: "
    "say in a few words more what you want to know."
)

_READ = 4_000
"""Characters of a passage that are looked at."""

_WORD = re.compile(rf"[^\W_{UNSPACED}](?:(?:[^\W{UNSPACED}]|['’-])*[^\W_{UNSPACED}])?")
_SHORTEST = 4
_HIRAGANA = re.compile(f"[{HIRAGANA}]")


class Found(Protocol):
    """As much of a passage as is looked at here."""

    @property
    def text(self) -> str:
        """Its words."""

    @property
    def title(self) -> str:
        """Of its document."""

    @property
    def headings(self) -> tuple[str, ...]:
        """Above it."""

    @property
    def score(self) -> float:
        """Relevance, 0 to 1."""

    @property
    def document(self) -> str:
        """Identity of its document."""

    @property
    def language(self) -> str:
        """That it is written in."""


@dataclass(frozen=True)
class Refinement:
    """Advice on a question."""

    status: Status
    suggestions: tuple[str, ...]
    message: str
    coverage: float
    spread: float
    ambiguity: float
    groups: int
    missing: tuple[str, ...]
    """Words of the question that no passage has."""

    def as_json(self) -> dict[str, Any]:
        """As the contract gives it, with what it was computed from."""
        return {
            "status": self.status,
            "suggestions": list(self.suggestions),
            "message": self.message,
            "signals": {
                "coverage": self.coverage,
                "spread": self.spread,
                "ambiguity": self.ambiguity,
                "groups": self.groups,
                "missing": list(self.missing),
            },
        }


def label(score: float) -> str:
    """What a relevance is called."""
    return next(name for least, name in LABELS if score >= least or least == 0.0)


def refine(
    query: str, found: Sequence[Found], vocabulary: Iterable[str] = (), why: str = ""
) -> Refinement:
    """Advice on a question; the vocabulary is what the corpus has to offer when nothing was found.

    `why`: the reason for that, where it is not the question, and what to do about it.
    """
    asked, looked_for = asked_about(query), query_terms(query)
    whole = set(looked_for)
    if not found:
        offered = _distinct(vocabulary, set())[:SUGGESTIONS]
        return Refinement(
            "clarification_needed",
            offered,
            f"Nothing was found. {why or (_ELSEWHERE if offered else _EMPTY)}",
            *(0.0, 0.0, 0.0, 0),
            tuple(_surface(query, set(asked))),
        )
    said = [_terms_of(each) for each in found]
    everything = set().union(*said)
    coverage = _coverage(asked, everything)
    missing = tuple(_surface(query, set(asked) - everything))
    groups = _readings(
        [own - whole for own in said], said, looked_for, _coverage(looked_for, everything)
    )
    scores = [each.score for each in found]
    signals = (
        round(coverage, 4),
        round(max(scores) - median(scores), 4),
        round(_ambiguity(groups, scores), 4),
        len(groups),
        missing,
    )
    said_whole = bool(asked) and any(set(asked) <= own for own in said)
    best = max(found, key=lambda each: each.score)
    # With a word of the question, it is in its language, whatever so few words look like.
    unshared = best.language in NAMES and whole.isdisjoint(_terms_of(best))
    foreign = unshared and is_foreign(query, [best.language], shares_words=False)
    status, suggestions, message = (
        _judge_foreign(best, _telling_apart(found, whole))
        if foreign and best.score >= WEAK
        else _judge(query, asked, whole, found, groups, signals, said_whole=said_whole)
    )
    return Refinement(status, suggestions, message, *signals)


def across_languages(advice: Refinement, query: str, languages: Iterable[str]) -> Refinement:
    """Advice on a question that found nothing, in the light of the languages that the documents are in.

    For languages that their model does not compare: words do not cross from one to another, so other words of the
    question's own language will not help.
    """
    asked = language_of(query)
    held = sorted(set(languages) - {UNKNOWN})
    named = [NAMES.get(each) for each in (asked, *held[:3])]
    if not held or may_be_written_as(asked) & set(held) or None in named:
        return advice
    of_question, *of_documents = filter(None, named)
    more = " and others" if len(held) > len(of_documents) else ""
    found = "Nothing" if not advice.groups else "Hardly anything"
    message = (
        f"{found} was found. The documents are in {', '.join(of_documents)}{more}, and the question is in "
        f"{of_question}: ask in the language of the documents."
    )
    return replace(advice, message=message)


Signals = tuple[float, float, float, int, tuple[str, ...]]
Verdict = tuple[Status, tuple[str, ...], str]


def _judge(
    query: str,
    asked: dict[str, float],
    whole: set[str],
    found: Sequence[Found],
    groups: list[list[int]],
    signals: Signals,
    *,
    said_whole: bool,
) -> Verdict:
    coverage, spread, ambiguity, _, missing = signals
    best = max(each.score for each in found)
    narrowing = _telling_apart(found, whole)
    if best < WEAK and said_whole:
        return "clarification_needed", narrowing, _SAID
    if best < WEAK or (coverage < COVERED and best < LABELS[0][0]):
        lacking = f" No passage has: {', '.join(missing[:5])}." if missing else ""
        return (
            "clarification_needed",
            narrowing,
            f"The passages found hardly answer this.{lacking} Rephrase with words that the documents use.",
        )
    if best < RELEVANT and missing:
        return (
            "clarification_needed",
            narrowing,
            "The passages found are somewhat relevant at best. No passage has: "
            f"{', '.join(missing[:5])}. Rephrase with words that the documents use.",
        )
    if ambiguity >= AMBIGUOUS and 1 < len(groups) <= READINGS:
        sides = _sides(found, groups, whole)
        if len(sides) > 1:
            return (
                "clarification_needed",
                sides[:SUGGESTIONS],
                f"This can mean different things here: {'; '.join(sides)}. Say which one is meant.",
            )
    many = len(found) >= MANY and len({each.document for each in found}) > 1
    if many and spread < FLAT and _length(query, asked) <= SHORT_QUERY:
        return (
            "too_broad",
            narrowing,
            f"{len(found)} passages fit about equally well. Add a word that says which aspect is meant.",
        )
    return "optimal", (), "The question found what it asks for."


def _judge_foreign(best: Found, narrowing: tuple[str, ...]) -> Verdict:
    """Of a passage in another language than the question, what it means: which words it lacks tells nothing."""
    language = NAMES[best.language]
    if best.score < RELEVANT:
        return (
            "clarification_needed",
            narrowing,
            f"The passages found are somewhat relevant at best. The best one is in {language} and was "
            f"compared by its meaning alone: ask in {language} to be more certain.",
        )
    return "optimal", (), f"The question found what it asks for, in {language}."


# -- signals ---------------------------------------------------------------------------------------


def _terms_of(passage: Found) -> set[str]:
    return set(terms("\n".join((passage.title, *passage.headings, passage.text[:_READ]))))


def _coverage(asked: dict[str, float], everything: set[str]) -> float:
    whole = sum(asked.values())
    if not whole:
        return 1.0
    return sum(weight for term, weight in asked.items() if term in everything) / whole


def _readings(
    about: Sequence[set[str]], said: Sequence[set[str]], asked: dict[str, float], coverage: float
) -> list[list[int]]:
    """The groups of passages that are an answer of their own."""
    return [
        group
        for group in _groups(about)
        if _coverage(asked, set().union(*(said[place] for place in group))) >= coverage
    ]


def _groups(said: Sequence[set[str]]) -> list[list[int]]:
    """Passages that are about the same, linked through any of them; each group by its best first."""
    groups: list[list[int]] = []
    for place, own in enumerate(said):
        near = [group for group in groups if any(_overlap(own, said[each]) for each in group)]
        joined = sorted([place, *(each for group in near for each in group)])
        groups = sorted([*(group for group in groups if group not in near), joined])
    return groups


def _overlap(one: set[str], other: set[str]) -> bool:
    return bool(one and other) and len(one & other) / min(len(one), len(other)) >= ALIKE


def _ambiguity(groups: list[list[int]], scores: Sequence[float]) -> float:
    """The second group's share of relevance, against the first one's."""
    weights = sorted((max(scores[place] for place in group) for group in groups), reverse=True)
    return weights[1] / weights[0] if len(weights) > 1 and weights[0] > 0 else 0.0


def _length(query: str, asked: dict[str, float]) -> int:
    """Words of a question that mean something."""
    spaced = [word for word in _WORD.findall(query) if asked.keys() & terms(word).keys()]
    unspaced = [term for term in asked if term.startswith(JAPANESE_WORD)]
    return len(spaced) + len(unspaced)


# -- suggestions -----------------------------------------------------------------------------------


def _telling_apart(found: Sequence[Found], asked: set[str]) -> tuple[str, ...]:
    """Words and headings that some of the passages have and others do not, the best split first."""
    weights: Counter[str] = Counter()
    spoken: dict[str, Counter[str]] = {}
    for passage in found:
        for term, surface in _words_of(passage).items():
            weights[term] += 1
            spoken.setdefault(term, Counter())[surface] += 1
    half = max(1, len(found)) / 2
    ranked = sorted(
        (term for term in weights if term not in asked),
        key=lambda term: (abs(weights[term] - half), -weights[term], term),
    )
    words = [min(spoken[term], key=lambda each: (-spoken[term][each], each)) for term in ranked]
    headings = [each.headings[-1] for each in found if each.headings]
    return _distinct((*headings[:2], *words), asked)[:SUGGESTIONS]


def _sides(found: Sequence[Found], groups: list[list[int]], asked: set[str]) -> tuple[str, ...]:
    """One name for each group of passages: its heading or title, as the documents word it."""
    names = []
    for group in groups:
        best = max(group, key=lambda place: (found[place].score, -place))
        passage = found[best]
        names.append(passage.headings[-1] if passage.headings else passage.title)
    return _distinct(names, asked)


def _words_of(passage: Found) -> dict[str, str]:
    """The words of a passage that could be asked for, by their term."""
    text = passage.text[:_READ]
    words: dict[str, str] = {}
    for word in _WORD.findall(text):
        if len(word) >= _SHORTEST and not word.isdigit():
            for term in terms(word):
                words.setdefault(term, word.casefold())
    for term, (written, _) in japanese_words(text).items():
        # With hiragana it is a verb, an adverb or a phrase of politeness rather than what a text is about.
        if len(term) > len(JAPANESE_WORD) + 1 and not _HIRAGANA.search(written):
            words.setdefault(term, written)
    return words


def _distinct(phrases: Iterable[str], asked: set[str]) -> tuple[str, ...]:
    """Phrases that say something new, each once."""
    kept: list[str] = []
    seen = set(asked)
    for phrase in phrases:
        bare = " ".join(phrase.split())[:80]
        new = set(terms(bare)) - seen
        if bare and new:
            kept.append(bare)
            seen |= new
    return tuple(kept)


def _surface(query: str, wanted: set[str]) -> list[str]:
    """The words of a question that stand for some of its terms."""
    words = [word for word in _WORD.findall(query) if set(terms(word)) & wanted]
    words += [written for term, (written, _) in japanese_words(query).items() if term in wanted]
    return list(dict.fromkeys(words))
