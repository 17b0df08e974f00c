"""How texts are cut into chunks."""

import re
from itertools import pairwise
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.ingesting.chunking import SHORT, TARGET, WHOLE, chunk, chunk_id, embedded_context
from actors.ports import Block, Chunk
from language.borders import is_inside
from language.sentences import split

Kind = Literal["heading", "paragraph", "list", "table", "code", "aside"]

ENGLISH = "The tide rises and falls twice a day at Saint-Malo, as the Moon and the Sun pull. "
JAPANESE = "潮汐の周期は約12時間25分であり、月と太陽の引力によって生じる現象である。"


def laid_out(*parts: tuple[Kind, str], page: int | None = None) -> tuple[str, list[Block]]:
    """A text made of blocks; a heading is `level title`."""
    text, blocks = "", []
    for kind, said in parts:
        level, title = 0, ""
        if kind == "heading":
            level, title = int(said[0]), said[2:]
            said = "#" * level + " " + title
        start = len(text)
        text += said
        blocks.append(
            Block(kind=kind, start=start, end=len(text), level=level, title=title, page=page)
        )
        text += "\n\n"
    return text, blocks


def cut(*parts: tuple[Kind, str]) -> list[str]:
    text, blocks = laid_out(*parts)
    return [text[each.start : each.end] for each in chunk(text, blocks)]


def paragraphs(count: int, sentences: int = 4) -> list[tuple[Kind, str]]:
    return [
        (
            "paragraph",
            " ".join(f"Station {number} had reading {each}." for each in range(sentences)),
        )
        for number in range(count)
    ]


# -- structure -----------------------------------------------------------------------------------


def test_each_section_is_a_chunk_under_its_path_of_headings() -> None:
    text, blocks = laid_out(
        ("heading", "1 Tides"),
        ("paragraph", "Opening words."),
        ("heading", "2 Causes"),
        ("paragraph", "The Moon pulls. The Sun helps."),
        ("list", "- one\n- two"),
        ("heading", "2 Table"),
        ("table", "| a | b |\n| - | - |\n| 1 | 2 |"),
        ("code", "height = 3"),
        ("heading", "3 Empty"),
        ("heading", "2 Last"),
    )
    chunks = chunk(text, blocks)
    assert [(each.headings, each.content_type) for each in chunks] == [
        (("Tides",), "prose"),
        (("Tides", "Causes"), "prose"),
        (("Tides", "Table"), "table"),
        (("Tides", "Table"), "code_block"),
        (("Tides", "Table", "Empty"), "prose"),
        (("Tides", "Last"), "prose"),
    ]
    assert [text[each.start : each.end] for each in chunks] == [
        "Opening words.",
        "The Moon pulls. The Sun helps.\n\n- one\n- two",
        "| a | b |\n| - | - |\n| 1 | 2 |",
        "height = 3",
        "Empty",
        "Last",
    ]


def test_asides_and_blanks_are_in_no_chunk() -> None:
    assert cut(("aside", "---\nkey: value\n---"), ("paragraph", "Text."), ("aside", "***")) == [
        "Text."
    ]
    assert cut(("paragraph", " \n\t "), ("heading", "1 ")) in ([], ["# "], ["#"])
    assert chunk("", []) == chunk(" \n\n", []) == ()


def test_paragraphs_are_gathered_up_to_the_target() -> None:
    sizes = [len(each) for each in cut(*paragraphs(40))]
    assert max(sizes) <= TARGET + SHORT and sum(sizes) / len(sizes) > TARGET / 2


def test_a_long_paragraph_is_cut_between_sentences_only() -> None:
    said = " ".join(f"Sentence number {number} has these words." for number in range(200))
    parts = cut(("paragraph", said))
    assert len(parts) > 5
    assert all(each.startswith("Sentence") and each.endswith("words.") for each in parts)


def test_a_table_that_fits_stays_whole_and_a_larger_one_is_cut_between_rows() -> None:
    row = "| some cell | another cell |\n"
    assert len(cut(("table", (row * 40).strip()))) == 1
    large = cut(("table", (row * 400).strip()))
    assert len(large) > 1
    assert all(each.startswith("|") and each.endswith("|") for each in large)


def test_a_list_that_fits_stays_whole_and_a_larger_one_is_cut_between_items() -> None:
    item = "- an item of the list\n  that goes on below\n"
    assert len(cut(("list", (item * 30).strip()))) == 1
    large = cut(("list", (item * 300).strip()))
    assert len(large) > 1
    assert all(each.startswith("- an") and each.endswith("below") for each in large)


def test_a_short_beginning_or_rest_goes_with_its_neighbour() -> None:
    long = (ENGLISH * 11).strip()
    assert len(cut(("paragraph", "So:"), ("paragraph", long))) == 1
    assert len(cut(("paragraph", long), ("paragraph", "So it is."))) == 1


def test_pages_go_from_the_first_block_to_the_last() -> None:
    text = "One.\n\nTwo."
    blocks = [
        Block(kind="paragraph", start=0, end=4, page=3),
        Block(kind="paragraph", start=6, end=10, page=4),
    ]
    [only] = chunk(text, blocks)
    assert (only.first_page, only.last_page) == (3, 4)


# -- size and languages --------------------------------------------------------------------------


def test_japanese_chunks_have_fewer_characters_than_english_ones() -> None:
    english = cut(("paragraph", "".join(f"{at}: {ENGLISH}" for at in range(100))))
    japanese = cut(("paragraph", "".join(f"第{at}章では、{JAPANESE}" for at in range(100))))
    assert 500 < sum(map(len, english)) / len(english) <= TARGET
    assert 200 < sum(map(len, japanese)) / len(japanese) <= TARGET / 2
    assert all(each.endswith("。") for each in japanese)


def test_each_chunk_has_its_language_and_a_short_one_that_of_the_document() -> None:
    text, blocks = laid_out(
        ("heading", "1 A"),
        ("paragraph", ENGLISH * 20),
        ("heading", "1 B"),
        ("paragraph", JAPANESE * 3),
        ("heading", "1 C"),
        ("paragraph", "240 MW"),
    )
    languages = [each.language for each in chunk(text, blocks)]
    assert languages[0] == "en" and languages[-2:] == ["ja", "en"]


def test_ideographs_alone_among_japanese_are_japanese() -> None:
    table = "\n".join(
        "| 東京都千代田区霞が関 | 国土交通省気象庁観測部 |".replace("が", "") for _ in range(5)
    )
    text, blocks = laid_out(("paragraph", JAPANESE * 10), ("table", table))
    assert {each.language for each in chunk(text, blocks)} == {"ja"}


def test_a_sentence_longer_than_a_chunk_is_cut_after_a_clause() -> None:
    parts = cut(("paragraph", "word and more words, " * 200))
    assert all(each.endswith(",") for each in parts[:-1])


def test_an_endless_japanese_sentence_is_cut_between_words() -> None:
    parts = cut(("paragraph", "国際連合安全保障理事会" * 200))
    words = re.compile("(?:国際|連合|安全|保障|理事|会)+")
    assert len(parts) > 4 and all(words.fullmatch(each) for each in parts)


def test_an_emoji_family_is_never_torn_apart() -> None:
    family = "👨‍👩‍👧‍👦"
    parts = cut(("paragraph", family * 1000))
    assert len(parts) > 1 and all(len(each) % len(family) == 0 for each in parts)


# -- change --------------------------------------------------------------------------------------


@pytest.mark.parametrize("changed", ["A new paragraph.", "", "Much longer now. " * 40])
def test_a_changed_paragraph_changes_only_the_chunks_near_it(changed: str) -> None:
    before = paragraphs(300, sentences=9)
    after = [*before[:150], ("paragraph", changed or "."), *before[151:]]
    known = set(cut(*before))
    assert sum(each not in known for each in cut(*after)) <= 15


def test_the_same_section_in_two_documents_is_cut_alike() -> None:
    section: list[tuple[Kind, str]] = [("heading", "2 Same"), *paragraphs(30)]
    alone, later = cut(*section), cut(("heading", "1 Other"), ("paragraph", ENGLISH), *section)
    assert later[-len(alone) :] == alone


def test_an_id_tells_version_and_span_apart() -> None:
    ids = {chunk_id("a", 0, 5), chunk_id("a", 0, 6), chunk_id("a", 1, 5), chunk_id("b", 0, 5)}
    assert len(ids) == 4 and chunk_id("a", 0, 5) in ids
    assert all(re.fullmatch("chunk_[0-9a-f]{32}", each) for each in ids)


def test_the_context_names_title_and_headings_once() -> None:
    made = Chunk(start=0, end=1, headings=("Tides", "Causes"))
    assert embedded_context("Tides", made) == "Tides > Causes"
    assert embedded_context("Book", made) == "Book > Tides > Causes"
    assert embedded_context("", Chunk(start=0, end=1)) == ""


# -- any text ------------------------------------------------------------------------------------

KINDS = st.sampled_from(["heading", "paragraph", "list", "table", "code", "aside"])
LETTERS = st.text(alphabet="abD .,、。\n-|é\u0301\u200d👩🇯🇵潮のが国アー1", min_size=1, max_size=60)
SAID = st.one_of(
    LETTERS, st.text(min_size=1), st.builds(lambda a, n: a * n, LETTERS, st.integers(1, 80))
)
PARTS = st.lists(st.tuples(KINDS, SAID), max_size=8)


def blocks_of(parts: list[tuple[Kind, str]]) -> tuple[str, list[Block]]:
    text, blocks = "", []
    for kind, said in parts:
        start = len(text)
        text += said
        level = 1 if kind == "heading" else 0
        title = said.strip() if level else ""
        blocks.append(Block(kind=kind, start=start, end=len(text), level=level, title=title))
        text += "\n\n"
    return text, blocks


@given(PARTS)
def test_chunks_are_ordered_apart_and_leave_out_nothing(parts: list[tuple[Kind, str]]) -> None:
    text, blocks = blocks_of(parts)
    chunks = chunk(text, blocks)
    assert chunk(text, blocks) == chunks
    covered: set[int] = set()
    end = 0
    for each in chunks:
        assert end <= each.start < each.end <= len(text)
        assert each.end - each.start <= WHOLE + SHORT
        covered.update(range(each.start, each.end))
        end = each.end
    for block in blocks:
        places = [at for at in range(block.start, block.end) if not text[at].isspace()]
        if block.kind == "aside":
            assert not covered & set(places)
        elif block.kind != "heading":
            assert covered >= set(places)


@given(PARTS)
def test_no_chunk_ends_inside_a_character_or_a_sentence_that_fits(
    parts: list[tuple[Kind, str]],
) -> None:
    text, blocks = blocks_of(parts)
    edges = [(a.end, b.start) for a, b in pairwise(chunk(text, blocks))]
    for block in blocks:
        inside = [edge for edge in edges if block.start < edge[0] < block.end]
        assert not any(is_inside(text, end, block.start) for end, _ in inside)
        if block.kind == "paragraph":
            # However dense it is written, a sentence this short fits.
            fitting = [s for s in split(text, block.start, block.end) if s[1] - s[0] <= TARGET / 3]
            assert not any(first < end < last for end, _ in inside for first, last in fitting)


@pytest.mark.parametrize(
    "unit", ["a", "潮", "a\u0301\u0316", "\u0301", "🇯🇵", " ", ". ", "。", "、", "「。」"]
)
@pytest.mark.parametrize("kind", ["paragraph", "list", "code"])
def test_an_endless_line_is_cut_into_bounded_chunks(kind: Kind, unit: str) -> None:
    text = unit * (60_000 // len(unit))
    chunks = chunk(text, [Block(kind=kind, start=0, end=len(text))])
    assert all(each.end - each.start <= WHOLE for each in chunks)
    assert sum(each.end - each.start for each in chunks) >= len(text.strip()) - text.count(" ")


def test_an_endless_heading_with_nothing_under_it_is_cut_into_bounded_chunks() -> None:
    text = "# " + "0" * 5_000
    heading = Block(kind="heading", start=0, end=len(text), level=1, title="0" * 5_000)
    chunks = chunk(text, [heading])
    assert max(each.end - each.start for each in chunks) <= WHOLE
    assert "".join(text[each.start : each.end] for each in chunks) == "0" * 5_000


def test_many_tiny_paragraphs_are_packed() -> None:
    text = "a\n\n" * 30_000
    blocks = [Block(kind="paragraph", start=at, end=at + 1) for at in range(0, len(text), 3)]
    assert 90 < len(chunk(text, blocks)) < 300
