"""The same claim is found without comparing each sentence with every other, and nothing else is found."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.answering.quoting import squeezed
from actors.merging import same_claims
from actors.merging.same_claims import SAME, KnownClaims
from actors.reports.support import Said, said_by

WORDS = [
    *("tide", "tides", "tidal", "station", "stations", "generate", "produces", "output", "power"),
    *("500", "600", "GWh", "year", "annual", "sun", "solar", "Rance", "Brittany", "not", "never"),
    *("the", "of", "turbine", "sluice", "sluices", "art", "smart", "work", "worksheet"),
    *("潮力", "発電所", "五百", "ない"),
]


def says_the_same(one: str, other: str) -> bool:
    """Whether two sentences make the same claim, by comparing just them."""
    if (letters := squeezed(one)) == squeezed(other):
        return bool(letters)
    return min(said_by(Said(one), Said(other)), said_by(Said(other), Said(one))) >= SAME


@st.composite
def sentences(draw: st.DrawFn) -> str:
    words = draw(st.lists(st.sampled_from(WORDS), max_size=7))
    joint = draw(st.sampled_from([" ", " ", ""]))
    return joint.join(words) + draw(st.sampled_from(["", ".", "!", "…"]))


@given(st.lists(sentences(), max_size=12), sentences(), st.integers(0, 11), st.booleans())
@settings(max_examples=300, deadline=None)
def test_what_is_found_is_what_comparing_all_would_find(
    known: list[str], sought: str, place: int, again: bool
) -> None:
    if again and known:  # A sentence of them, in another order: often the same claim.
        sought = " ".join(reversed(known[place % len(known)].split()))
    all_of_them = (at for at, text in enumerate(known) if says_the_same(text, sought))
    assert KnownClaims(known).first_same(sought) == next(all_of_them, None)


def test_a_sentence_is_compared_with_few_of_many(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[Said] = []

    def counted(one: Said, other: Said) -> float:
        compared.append(one)
        return said_by(one, other)

    monkeypatch.setattr(same_claims, "said_by", counted)
    known = list(_report(400))
    claims = KnownClaims(known)
    for place, sought in enumerate(known):
        reworded = " ".join(reversed(sought.rstrip(".").split()))
        assert claims.first_same(reworded) == place
    assert len(compared) <= 4 * len(known), "two comparisons each, and hardly any in vain"


def _report(count: int) -> Iterator[str]:
    """Sentences of one report: they share its subject, and each says something of its own."""
    for number in range(count):
        yield f"The tidal station number{number} in Brittany generates item{number} of power."
