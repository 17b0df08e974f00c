"""Words of strangers in Markdown: nothing of them becomes markup or one of our marks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from language.plain import inert, plainly

LIVE = {"image", "link_open", "html_inline", "html_block"}
PIECES = [
    "![",
    "[",
    "]",
    "](http://e.example)",
    "<img>",
    "</b>",
    "\\",
    "`",
    "[2]",
    "[x]: http://e.example",
    "!",
    "a",
]


def live(markdown: str) -> set[str]:
    tokens = MarkdownIt("commonmark").parse(f"- “{markdown}” [1]\n\n   > {markdown}\n\n[x] [2]")
    every = [each for token in tokens for each in (token, *(token.children or ()))]
    return {each.type for each in every} & LIVE


@pytest.mark.parametrize(
    "words",
    [
        "![p](http://e.example/p.png)",
        r"\![p](http://e.example) \\[q](http://e.example)",
        "[a [b] c](http://e.example)",
        "[2]: http://e.example",
        "[1](http://e.example) [x][2]",
        "<http://e.example> <!-- x --> <img src=x onerror=alert(1)>",
    ],
)
def test_nothing_is_live(words: str) -> None:
    assert live(words), "as it came"
    assert not live(inert(words)) and not live(plainly(words))


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_whatever_is_put_together_is_not_live_and_stays_as_it_is(words: str) -> None:
    assert not live(inert(words)) and not live(plainly(words))
    assert inert(inert(words)) == inert(words)
    assert plainly(plainly(words)) == plainly(words)


def test_marks_of_a_text_are_none_of_ours() -> None:
    assert (
        plainly("so [2], [3, 4] and [Inference] [sic]") == r"so (2), (3, 4) and (Inference) \[sic]"
    )
    assert inert("see [2] and [...]") == "see [2] and [...]"
    assert plainly("a < b and 3 <4") == "a < b and 3 <4"
