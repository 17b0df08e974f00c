"""Full-text search over chunks."""

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from projections.lexical import LexicalIndex

CHUNKS = [
    ("tides", "la-rance.md", "La Rance", "The station generates electricity from the tide."),
    ("tides", "mills.md", "Tide mills", "A mill grinds flour. The mill stands by the creek."),
    ("tides", "moon.md", "The Moon", "The Moon raises tides; the Sun helps."),
    ("coffee", "mills.md", "Coffee mills", "A coffee mill grinds beans."),
    ("tides", "ja.md", "潮汐", "潮汐の周期は約12時間25分である。"),
]


def indexed(chunks: Iterable[tuple[str, str, str, str]]) -> LexicalIndex:
    index = LexicalIndex()
    for collection, name, heading, body in chunks:
        index.add(collection, (name, 0, collection), heading, body)
    return index


def bodies(index: LexicalIndex, query: str, *scope: str, limit: int = 10) -> list[int]:
    return [hit.chunk for hit in index.search(query, limit, scope or None)]


def test_words_are_found_in_any_of_their_forms() -> None:
    assert bodies(indexed(CHUNKS), "GENERATED electricity") == [0]


def test_a_heading_counts_more_than_the_body() -> None:
    index = indexed([("c", "a", "other", "about mills and more"), ("c", "b", "mills", "about it")])
    assert bodies(index, "mill") == [1, 0]


def test_stop_words_find_nothing() -> None:
    assert bodies(indexed(CHUNKS), "what is the") == []


def test_only_the_named_collections_are_searched() -> None:
    index = indexed(CHUNKS)
    assert bodies(index, "mill", "coffee") == [3]
    assert bodies(index, "mill", "tides") == [1]
    assert bodies(index, "mill", "nowhere") == []


def test_scores_in_one_collection_do_not_depend_on_the_others() -> None:
    alone = indexed(chunk for chunk in CHUNKS if chunk[0] == "tides")
    scores = [hit.score for hit in alone.search("tide mill", 9)]
    assert [hit.score for hit in indexed(CHUNKS).search("tide mill", 9, ("tides",))] == scores


def test_masked_chunks_are_gone_and_weigh_nothing() -> None:
    index = indexed(CHUNKS)
    index.mask([1, 3])
    assert bodies(index, "mill") == []
    without = indexed(chunk for number, chunk in enumerate(CHUNKS) if number not in {1, 3})
    assert [h.score for h in index.search("tide", 9)] == [
        h.score for h in without.search("tide", 9)
    ]


def test_ideographs_are_found_by_pairs_and_alone() -> None:
    index = indexed(CHUNKS)
    assert bodies(index, "周期はどのくらいですか") == [4]
    assert bodies(index, "潮") == [4]


def test_width_case_and_accents_do_not_matter() -> None:
    index = indexed([("c", "a", "", "The café in ＭＡＬＯ uses CO₂ and 1,000 cups")])  # noqa: RUF001
    for query in ("cafe", "malo", "CO2", "1000"):
        assert bodies(index, query) == [0]


def test_equals_are_ordered_by_name_whatever_the_order_of_addition() -> None:
    chunks = [("c", name, "", "the same words") for name in ("b", "a", "c")]
    names = [["b", "a", "c"][hit.chunk] for hit in indexed(chunks).search("words", 2)]
    assert names == ["a", "b"]


def test_scores_lie_between_0_and_1() -> None:
    index = indexed([("c", "a", "tide " * 50, "tide " * 5000), ("c", "b", "", "other")])
    [hit] = index.search("tide", 5)
    assert 0 < hit.score <= 1


def test_an_empty_index_finds_nothing() -> None:
    assert LexicalIndex().search("tide", 5) == []
    assert indexed(CHUNKS).search("tide", 0) == []


WORDS = st.lists(st.sampled_from(["tide", "moon", "mill", "sea", "sun"]), min_size=1, max_size=6)


@given(st.lists(st.tuples(WORDS, st.booleans()), min_size=1, max_size=12), WORDS)
def test_an_index_that_grew_and_shrank_answers_like_one_built_anew(
    chunks: list[tuple[list[str], bool]], query: list[str]
) -> None:
    grown, names = LexicalIndex(), {}
    for number, (words, keep) in enumerate(chunks):
        chunk = grown.add("c", (f"{number:02}", 0, "c"), "", " ".join(words))
        names[chunk] = f"{number:02}"
        if not keep:
            grown.mask([chunk])
    anew, kept = LexicalIndex(), {}
    for number, (words, keep) in reversed(list(enumerate(chunks))):
        if keep:
            kept[anew.add("c", (f"{number:02}", 0, "c"), "", " ".join(words))] = f"{number:02}"
    asked = " ".join(query)
    assert [(names[hit.chunk], hit.score) for hit in grown.search(asked, 5)] == [
        (kept[hit.chunk], hit.score) for hit in anew.search(asked, 5)
    ]
