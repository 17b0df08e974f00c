"""What a question is asked with moves the answer, and never decides it alone."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from contracts.core import Core
from events.home import Home
from language.words import query_terms
from projections.context import SHARE, WORDS, blended, context_terms
from projections.encoders.model import QueryEmbedding, QuerySide, Scale
from projections.search import LocalCorpus
from tests.inline_engine import InlineEngine
from tests.knowledge_base import call, connect, core, engine, files

__all__ = ["core", "engine", "files"]

METAL = "The bank of the smelter lends crucibles. Crucibles hold molten bronze; bronze is cast."
RIVER = "The bank of the river floods. Herons nest in reeds; reeds hold the silt of the river."


def side(*vector: float) -> QuerySide:
    whole = np.array(vector, np.float32)
    scale = Scale(usual=0.0, spread=1.0, dense=1.0, late=1.0)
    return QuerySide(whole, whole[None, :], np.ones(1, np.float32), scale)


def embedding(name: str, **sides: QuerySide | None) -> QueryEmbedding:
    def fixed(value: QuerySide | None) -> Callable[[str], QuerySide | None]:
        return lambda _: value

    return QueryEmbedding(name, {model: fixed(value) for model, value in sides.items()})


def test_vectors_move_a_quarter_of_the_way_and_keep_their_length() -> None:
    mixed = blended(
        embedding("q", a=side(1, 0), b=None, c=side(1, 0)),
        embedding("c", a=side(0, 1), b=side(0, 1), c=None),
    )
    assert mixed.models == ("a", "b", "c")
    a, c = mixed.of("a"), mixed.of("c")
    assert a and c
    assert float(np.linalg.norm(a.vector)) == pytest.approx(1)
    assert a.vector[1] / a.vector[0] == pytest.approx(SHARE / (1 - SHARE))
    assert a.parts.shape == (2, 2)
    assert a.weights.tolist() == pytest.approx([1 - SHARE, SHARE])
    assert mixed.of("b") is None, "a model that does not read the question is not asked"
    assert c.vector.tolist() == [1, 0], "nor is one misled by a context it does not read"


def test_the_words_of_a_context_weigh_less_and_are_few() -> None:
    found = context_terms("bank", "river river river bank " + " ".join(f"w{n}" for n in range(99)))
    assert len(found) == WORDS
    assert "bank" not in found
    assert max(found.values()) <= SHARE * max(query_terms("bank").values())
    assert next(iter(found)) == "river"


@pytest.mark.anyio
async def test_the_same_question_finds_what_the_document_at_hand_is_about(
    core: Core, engine: InlineEngine, files: Path
) -> None:
    (files / "metal.md").write_text(f"# Metal\n\n{METAL}\n")
    (files / "river.md").write_text(f"# River\n\n{RIVER}\n")
    async with connect(core) as client:
        await call(client, "ingest_documents", path=str(files), collection="c")
        best = {}
        for name, context in {
            "metal": "We cast bronze in crucibles: molten bronze, crucibles, bronze.",
            "river": "Herons and silt: the reeds along the river, herons in the reeds.",
        }.items():
            reply = await call(
                client, "query_knowledge_base", query="bank", document_context=context
            )
            best[name] = reply["results"][0]["source_document"]
            assert reply["searched"]["document_context_characters"] == len(context)
            assert len(reply["results"]) == 2, "the context orders; it does not hide"
        assert best == {"metal": "metal.md", "river": "river.md"}
        own = await call(
            client,
            "query_knowledge_base",
            query="herons nesting in reeds",
            document_context="We cast bronze in crucibles.",
        )
    assert own["results"][0]["source_document"] == "river.md", "the question decides"


def test_a_blank_context_changes_nothing(home: Home) -> None:
    corpus = LocalCorpus(home)
    assert corpus.search("bank", 5, context=" \n") == corpus.search("bank", 5) == []
