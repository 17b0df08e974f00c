"""How texts are cut into chunks."""

from hypothesis import given
from hypothesis import strategies as st

from actors.chunking import TARGET, WHOLE, chunk, first_heading
from actors.sentences import sentences

DOCUMENT = """# Tides

Opening words.

## Causes

The Moon pulls. The Sun helps.

- one
- two

## Table

| a | b |
| - | - |
| 1 | 2 |

```python
height = 3
```

### Empty

## Last
"""


def cut(text: str) -> list[str]:
    return [text[each.start : each.end] for each in chunk(text)]


def test_each_section_is_a_chunk_under_its_path_of_headings() -> None:
    assert [(each.headings, each.content_type) for each in chunk(DOCUMENT)] == [
        (("Tides",), "prose"),
        (("Tides", "Causes"), "prose"),
        (("Tides", "Table"), "table"),
        (("Tides", "Table"), "code_block"),
        (("Tides", "Table", "Empty"), "prose"),
        (("Tides", "Last"), "prose"),
    ]


def test_spans_index_into_the_text_exactly() -> None:
    assert cut(DOCUMENT)[:3] == [
        "Opening words.",
        "The Moon pulls. The Sun helps.\n\n- one\n- two",
        "| a | b |\n| - | - |\n| 1 | 2 |",
    ]


def test_a_heading_with_nothing_under_it_can_still_be_found() -> None:
    assert cut(DOCUMENT)[-2:] == ["Empty", "Last"]


def test_paragraphs_are_gathered_up_to_the_target() -> None:
    text = "\n\n".join(f"Paragraph {number}. " + "word " * 60 for number in range(12))
    sizes = [len(each) for each in cut(text)]
    assert len(sizes) < 12 and max(sizes) <= TARGET


def test_a_long_paragraph_is_cut_between_sentences_only() -> None:
    text = " ".join(f"Sentence number {number} has these words." for number in range(200))
    assert all(each.startswith("Sentence") and each.endswith("words.") for each in cut(text))


def test_a_table_that_fits_stays_whole_and_a_larger_one_is_cut_between_rows() -> None:
    row = "| some cell | another cell |\n"
    small, large = "| a | b |\n| - | - |\n" + row * 20, "| a | b |\n| - | - |\n" + row * 400
    assert len(cut(small)) == 1
    assert len(cut(large)) > 1
    assert all(each.startswith("|") and each.endswith("|") for each in cut(large))


def test_a_text_without_words_has_no_chunks() -> None:
    assert chunk(" \n\n\t") == ()


def test_front_matter_is_no_chunk() -> None:
    assert cut("---\nkey: value\n---\n\nText.") == ["Text."]


def test_the_first_heading_is_the_title() -> None:
    assert first_heading("Words.\n\nTides\n=====\n\n# Other") == "Tides"
    assert first_heading("Words only.") is None


@given(st.text(alphabet="#-|`. \nabcDE。1", max_size=400))
def test_chunks_are_ordered_apart_and_leave_out_no_sentence(text: str) -> None:
    chunks, end = chunk(text), 0
    for each in chunks:
        assert end <= each.start < each.end <= len(text)
        assert each.end - each.start <= max(WHOLE, TARGET)
        end = each.end
    for sentence in sentences(text):
        inside = [c for c in chunks if c.start <= sentence.start and sentence.end <= c.end]
        assert inside or sentence.kind == "heading"
