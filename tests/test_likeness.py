"""How near texts are in meaning to a question, and which of them are embedded for it."""

from collections.abc import Sequence

import numpy as np
import pytest

from events.embedding import ToEmbed
from projections.encoders.model import Floats, Model, QuerySide, Scale
from projections.encoders.opened import Embedder, open_embedder
from projections.likeness import Likeness

QUESTION = "Why are there two tides a day?"
TIDES = "The Earth turns under two bulges of water once a day."
MILLS = "A mill that is driven by tides has a pond and a gate."
BREAD = "Bread is baked of flour, water and salt."


class Counting:
    """Vectors of letters; notes what it embeds. Reads English alone."""

    def __init__(self, name: str = "letters") -> None:
        self.model = Model(name, 26, frozenset({"en", "und"}))
        self.embedded: list[str] = []

    def encode(self, chunks: Sequence[ToEmbed]) -> tuple[Floats, list[bytes]]:
        self.embedded += [chunk.text for chunk in chunks]
        return np.stack([_letters(chunk.text) for chunk in chunks]), [b""] * len(chunks)

    def encode_query(self, query: str) -> QuerySide | None:
        vector = _letters(query)
        return QuerySide(vector, vector[None], np.ones(1, np.float32), Scale(0, 1, 1, 1))


def _letters(text: str) -> Floats:
    places = [ord(each) - 97 for each in text.casefold() if "a" <= each <= "z"]
    counts = np.bincount(places, minlength=26).astype(np.float32)
    return counts / np.float32(np.linalg.norm(counts))


@pytest.fixture
def encoder() -> Counting:
    return Counting()


def test_what_was_compared_before_is_not_embedded_again(encoder: Counting) -> None:
    compared, embedder = Likeness(), Embedder([encoder])
    before = compared.of(QUESTION, [TIDES, BREAD], embedder)
    again = compared.of(QUESTION, [MILLS, BREAD, TIDES, BREAD], embedder)
    assert encoder.embedded == [TIDES, BREAD, MILLS]
    assert again[1:] == [before[1], before[0], before[1]]


def test_each_is_as_near_as_its_vector(encoder: Counting) -> None:
    [near] = Likeness().of(QUESTION, [TIDES], Embedder([encoder]))
    assert near == pytest.approx(float(_letters(QUESTION) @ _letters(TIDES)), abs=1e-3)


def test_a_text_that_no_model_covers_has_no_likeness_and_is_looked_at_once(
    encoder: Counting,
) -> None:
    compared, embedder = Likeness(), Embedder([encoder])
    for _ in range(2):
        assert compared.of(QUESTION, ["潮の満ち引きは一日に二回ある。", " "], embedder) == [
            None,
            None,
        ]
    assert encoder.embedded == []


def test_texts_of_another_model_are_embedded_by_it(encoder: Counting) -> None:
    compared, other = Likeness(), Counting("other letters")
    compared.of(QUESTION, [TIDES], Embedder([encoder]))
    compared.of(QUESTION, [TIDES], Embedder([other]))
    assert encoder.embedded == other.embedded == [TIDES]


def test_what_was_used_least_lately_is_forgotten(encoder: Counting) -> None:
    compared, embedder = Likeness(kept=2), Embedder([encoder])
    compared.of(QUESTION, [TIDES, MILLS], embedder)
    compared.of(QUESTION, [TIDES], embedder)
    compared.of(QUESTION, [BREAD], embedder)
    encoder.embedded.clear()
    compared.of(QUESTION, [TIDES, BREAD], embedder)
    assert encoder.embedded == []
    compared.of(QUESTION, [MILLS], embedder)
    assert encoder.embedded == [MILLS]


def test_more_texts_than_are_kept_are_compared_all_the_same(encoder: Counting) -> None:
    found = Likeness(kept=1).of(QUESTION, [TIDES, MILLS, BREAD], Embedder([encoder]))
    assert None not in found


def test_texts_that_are_no_valid_unicode_are_compared(encoder: Counting) -> None:
    one, other = Likeness().of(QUESTION, ["tide \ud800", "bread \ud801"], Embedder([encoder]))
    assert one is not None and other is not None and one != other


def test_the_bundled_model_reads_them_too() -> None:
    assert None not in Likeness().of(f"{QUESTION} \ud800", [f"{TIDES} \ud800"], open_embedder())


def test_the_bundled_model_knows_what_is_about_tides() -> None:
    near = Likeness().of(QUESTION, [BREAD, TIDES], open_embedder())
    assert near[0] is not None and near[1] is not None and near[1] > near[0] + 0.2
