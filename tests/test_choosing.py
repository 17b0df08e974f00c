"""Which researcher works, and what providers charge."""

from datetime import date

import pytest

from actors.prices import DEAREST, PRICES, VERSION, cost_of, price_of
from contracts.choosing import Kind, NoDocuments, choose_researcher, model_for
from events.calls import Usage
from events.errors import NothingToSearch

GEMINI = "deep-research-pro-preview-12-2025"


@pytest.mark.parametrize(
    ("model", "keys", "has_corpus", "kind"),
    [
        (GEMINI, {"gemini", "claude", "tavily"}, True, "gemini"),
        (GEMINI, {"claude", "tavily"}, True, "claude"),
        (GEMINI, {"claude"}, True, "corpus"),
        (GEMINI, {"tavily"}, True, "corpus"),
        (GEMINI, set(), True, "corpus"),
        (GEMINI, {"gemini"}, False, "gemini"),
        ("claude-sonnet-5-5", {"gemini", "claude", "tavily"}, True, "claude"),
        ("claude-sonnet-5-5", {"gemini"}, True, "gemini"),
        ("corpus-extractive-1", {"gemini"}, True, "corpus"),
        (" Corpus", {"gemini"}, True, "corpus"),
        ("something-else", {"claude", "tavily"}, False, "claude"),
    ],
)
def test_the_best_researcher_that_can_work_is_chosen(
    model: str, keys: set[str], has_corpus: bool, kind: str
) -> None:
    assert choose_researcher(model, keys, has_corpus=has_corpus) == kind


@pytest.mark.parametrize(
    ("kind", "model", "told"),
    [
        ("gemini", GEMINI, GEMINI),
        ("claude", GEMINI, None),
        ("corpus", GEMINI, None),
        ("claude", "claude-opus-5-5", "claude-opus-5-5"),
        ("gemini", "claude-opus-5-5", None),
        ("gemini", "antigravity-preview-09-2026", "antigravity-preview-09-2026"),
        ("claude", "something-else", "something-else"),
    ],
)
def test_nobody_is_told_to_use_another_providers_model(
    kind: Kind, model: str, told: str | None
) -> None:
    assert model_for(kind, model) == told


@pytest.mark.parametrize("keys", [set(), {"claude"}, {"tavily"}])
def test_with_nothing_to_work_with_there_is_nothing_to_search(keys: set[str]) -> None:
    with pytest.raises(NothingToSearch):
        choose_researcher(GEMINI, keys, has_corpus=False)


@pytest.mark.parametrize("model", ["corpus", "corpus-extractive-1", " corpus"])
@pytest.mark.parametrize("keys", [set(), {"gemini"}, {"claude", "tavily"}])
def test_who_names_the_free_researcher_never_gets_a_paid_one(model: str, keys: set[str]) -> None:
    with pytest.raises(NoDocuments, match="Ingest documents first"):
        choose_researcher(model, keys, has_corpus=False)


def test_each_kind_of_use_has_its_price() -> None:
    usage = Usage(
        input_tokens=1_000_000,
        cached_tokens=1_000_000,
        output_tokens=1_000_000,
        thought_tokens=1_000_000,
        searches=1000,
    )
    assert cost_of(GEMINI, usage) == pytest.approx(2.0 + 0.2 + 12.0 + 12.0 + 14.0)
    assert cost_of("tavily", Usage(credits=10)) == pytest.approx(0.08)
    assert cost_of("corpus-extractive-1", usage) == 0


def test_the_longest_name_that_fits_counts() -> None:
    assert price_of("claude-sonnet-5-5-20261001") == PRICES["claude-sonnet-5-5"]
    assert price_of("claude-sonnet-4-6") == PRICES["claude-sonnet"]


def test_what_the_table_does_not_know_costs_the_most() -> None:
    assert price_of("gpt-unknown") == DEAREST
    assert max(price.output for price in PRICES.values()) == DEAREST.output


def test_the_table_is_dated() -> None:
    assert date.fromisoformat(VERSION).year >= 2026
