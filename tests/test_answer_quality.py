"""How good the answers made of quotations are, against supporting sentences that are known."""

import json
import operator

import pytest

from actors.findings import ConfidenceFactors, Findings, confidence
from language.sentences import sentences
from tests.asked_by_hand import UNTOLD, Asked, by_hand
from tests.corpus_shelf import ROOT, SAMPLES, Shelf, ask
from tests.encyclopedia import world


@pytest.fixture
def shelf() -> Shelf:
    return Shelf(SAMPLES)


def test_confidence_follows_its_formula() -> None:
    factors = ConfidenceFactors(
        num_corroborating_sources=2,
        source_authority="high",
        contradiction_detected=False,
        query_specificity_match=0.8,
        budget_exhausted=False,
        recency=None,
    )
    assert confidence(factors, 1.0) == round(0.85 * (0.45 + 0.225 + 0.20 + 0.035), 2)
    worse = factors.model_copy(update={"contradiction_detected": True, "budget_exhausted": True})
    assert confidence(worse, 1.0) == round(confidence(factors, 1.0) - 0.25, 2)


QUESTIONS = [
    json.loads(line) for line in (ROOT / "tests" / "questions.jsonl").read_text().splitlines()
]
BARS = {"shallow": (0.85, 0.80), "balanced": (0.90, 0.74), "deep": (0.94, 0.70)}
"""Supporting-sentence recall and precision that must not be lost; a little under what was reached."""


def cited_sentences(found: Findings, desk: Shelf) -> list[tuple[str, str]]:
    """Every sentence that lies mostly within a cited span, with its document."""
    cited: dict[tuple[str, str], None] = {}
    for each in found.citations:
        text = desk.texts[each.text_hash]
        for sentence in sentences(text, each.start, each.end):
            inside = min(sentence.end, each.end) - max(sentence.start, each.start)
            if sentence.kind != "heading" and inside >= 0.6 * min(
                sentence.end - sentence.start, 450
            ):
                said = " ".join(text[sentence.start : sentence.end].split())
                cited[each.locator, said] = None
    return list(cited)


def hits(cited: list[tuple[str, str]], wanted: list[list[str]]) -> list[bool]:
    return [any(where == file and words in said for where, said in cited) for file, words in wanted]


@pytest.mark.parametrize("depth", ["shallow", "balanced", "deep"])
def test_supporting_sentences_are_found_and_little_else(shelf: Shelf, depth: str) -> None:
    recalls: list[float] = []
    precisions: list[float] = []
    answered: list[bool] = []
    for each in QUESTIONS:
        found = ask(shelf, each["question"], depth=depth)
        if not each["gold"]:
            assert found.citations == (), each["question"]
            continue
        cited = cited_sentences(found, shelf)
        good = [
            any(hits([one], [place])[0] for place in each["gold"] + each["also"]) for one in cited
        ]
        recalls.append(sum(hits(cited, each["gold"])) / len(each["gold"]))
        precisions.append(sum(good) / len(good) if good else 0.0)
        answered.append(all(words in found.answer for words in each["answer"]))
    recall, precision = (sum(each) / len(each) for each in (recalls, precisions))
    containment = sum(answered) / len(answered)
    figures = f"recall {recall:.3f}, precision {precision:.3f}, answer {containment:.3f}"
    print(f"\n{depth}: {figures}")  # noqa: T201 - for a look with -s
    assert (recall >= BARS[depth][0], precision >= BARS[depth][1], containment >= 0.85) == (
        True,
        True,
        True,
    )


ENCYCLOPEDIA, FRESH, WIDE, VAIN = map(
    by_hand, ("encyclopedia", "encyclopedia_fresh", "encyclopedia_wide", UNTOLD)
)
SETS = {
    "by hand": (ENCYCLOPEDIA[0], tuple(one for _, one in ENCYCLOPEDIA[1])),
    "by hand, later": (FRESH[0], tuple(one for _, one in FRESH[1])),
    "by hand, wider": (WIDE[0], tuple(one for half, one in WIDE[1] if half == "open")),
    "by hand, half of it in vain": (
        VAIN[0],
        tuple(one for half, one in VAIN[1] if half == "looked at"),
    ),
    "made up": (lambda made: (made.pages, made.questions))(world(3, "dev", each=1)),
    "made up in other words": (lambda made: (made.pages, made.questions))(world(3, "held", each=1)),
}


USUAL = (0.88, 0.85, 0.85, 0.8)
LEAST = {
    "by hand, wider": (0.92, 0.90, 0.88, 1.0),
    "by hand, half of it in vain": (0.90, 0.80, 0.90, 0.82),
}
"""Recall, precision, answers and silence that must not be lost; a little under what was reached."""


def same(gold: tuple[str, str], told: tuple[str, str]) -> bool:
    return f"{gold[0]}.md" == told[0] and (gold[1] in told[1] or told[1] in gold[1])


def score(one: Asked, told: list[tuple[str, str]]) -> tuple[float, float]:
    """Recall and precision of supporting sentences."""
    hit = sum(any(same(gold, each) for each in told) for gold in one.gold)
    good = sum(any(same(gold, each) for gold in one.gold) for each in told)
    return hit / len(one.gold), good / len(told) if told else 0.0


@pytest.mark.parametrize("name", SETS)
def test_questions_over_short_pages_are_followed_from_page_to_page(name: str) -> None:
    pages, asked = SETS[name]
    desk = Shelf({f"{title}.md": f"# {title}\n\n{text}" for title, text in pages.items()})
    scores: list[tuple[float, float]] = []
    answered: list[bool] = []
    silent: list[bool] = []
    for one in asked:
        found = ask(desk, one.question)
        if not one.gold:
            silent.append(not found.citations)
            continue
        scores.append(score(one, cited_sentences(found, desk)))
        answered += [one.answer in found.answer] if one.answer not in {"", "yes", "no"} else []
    recall, precision = (sum(each) / len(each) for each in zip(*scores, strict=True))
    containment = sum(answered) / len(answered)
    print(f"\n{name}: recall {recall:.3f}, precision {precision:.3f}, answer {containment:.3f}")  # noqa: T201
    least = LEAST.get(name, USUAL)
    reached = recall, precision, containment, sum(silent) / len(silent)
    assert all(map(operator.ge, reached, least)), (reached, least)
