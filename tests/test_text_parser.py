"""What is read out of Markdown, plain text, pages, source code and data."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.adapters.draft import MOST_BLOCKS, Draft
from actors.adapters.html.reader import parse_html
from actors.adapters.html.seen import SeenPage
from actors.ingesting.parsing import AnyParser
from actors.ports import Parsed
from events.errors import Unreadable

PARSER = AnyParser()


def said(parsed: Parsed) -> list[tuple[str, str]]:
    return [(block.kind, parsed.text[block.start : block.end]) for block in parsed.blocks]


# -- Markdown and plain text -----------------------------------------------------------------------


def test_the_text_of_markdown_is_the_file_itself() -> None:
    raw = "# Tides\r\n\r\nThe sea rises.\r\n"
    parsed = PARSER.parse("tides.md", raw.encode())
    assert (parsed.text, parsed.title, parsed.media_type) == (raw, "Tides", "text/markdown")
    assert said(parsed) == [("heading", "# Tides"), ("paragraph", "The sea rises.")]


MARKDOWN = """---
title: "On tides"
authors:
  - Ann Bee
  - Cy Dee
tags: [sea, moon]
---
# The *sea* and [the moon](http://x)

Words
go on.

- one
  - two

1. three

> said

| a | b |
|---|---|
| 1 | 2 |

```
# no heading
```

Under
-----

<!-- unseen -->

***
"""


def test_the_blocks_of_markdown_are_what_a_reader_sees() -> None:
    parsed = PARSER.parse("a.md", MARKDOWN.encode())
    assert [block.kind for block in parsed.blocks] == [
        *("aside", "heading", "paragraph", "list", "list", "paragraph", "table", "code"),
        *("heading", "aside", "aside"),
    ]
    assert [(block.level, block.title) for block in parsed.blocks if block.kind == "heading"] == [
        (1, "The sea and the moon"),
        (2, "Under"),
    ]


def test_front_matter_says_what_a_file_is() -> None:
    parsed = PARSER.parse("a.md", MARKDOWN.encode())
    assert parsed.metadata == {
        "title": "On tides",
        "author": "Ann Bee, Cy Dee",
        "tags": "sea, moon",
    }
    assert PARSER.parse("b.md", b"---\ntitle: X\n---\n\nWords.").title == "X"


def test_words_between_two_rules_are_no_front_matter() -> None:
    parsed = PARSER.parse("a.md", b"---\n\nOnly words.\n\n---\n\nMore.")
    assert "Only words." in "".join(text for kind, text in said(parsed) if kind != "aside")


def test_plain_text_has_paragraphs_and_underlined_headings() -> None:
    raw = b"Tides\n=====\n\nThe sea\nrises.\n\n  1. one\n  2. two\n\nAnd falls.\n"
    assert said(PARSER.parse("a.txt", raw)) == [
        ("heading", "Tides\n====="),
        ("paragraph", "The sea\nrises."),
        ("list", "  1. one\n  2. two"),
        ("paragraph", "And falls."),
    ]


def test_a_fence_that_is_never_closed_hides_nothing() -> None:
    raw = b"```\n" * 3 + b"words\n" + b"~~~\n\nmore\n"
    assert ("paragraph", "more") in said(PARSER.parse("a.txt", raw))


def test_without_a_heading_the_file_name_is_the_title() -> None:
    assert PARSER.parse("spring_and-neap.txt", b"Words.").title == "spring and neap"


@pytest.mark.parametrize("raw", [b"", b" \n\t\n", b"\xef\xbb\xbf"])
@pytest.mark.parametrize(
    "name", ["empty.md", "empty.txt", "empty.html", "empty.csv", "empty.ipynb"]
)
def test_blanks_only_make_an_empty_document(name: str, raw: bytes) -> None:
    parsed = PARSER.parse(name, raw)
    assert (parsed.text, parsed.blocks, parsed.title) == ("", (), "empty")


def test_a_million_tiny_paragraphs_become_fewer_blocks_and_lose_nothing() -> None:
    raw = b"a b.\n\n" * (MOST_BLOCKS + 1)
    parsed = PARSER.parse("a.txt", raw)
    assert 0 < len(parsed.blocks) <= MOST_BLOCKS
    assert parsed.text == raw.decode()
    assert sum(text.count("a b.") for _, text in said(parsed)) == MOST_BLOCKS + 1


def test_one_endless_line_is_one_paragraph() -> None:
    parsed = PARSER.parse("a.md", b"word " * 1_000_000)
    assert [(block.start, block.end) for block in parsed.blocks] == [(0, 4_999_999)]


@pytest.mark.parametrize(
    "text",
    [
        "שלום עולם. זהו טקסט.",
        "مرحبا بالعالم.",
        "👩‍👩‍👧‍👦 a family 🎉",
        "z" + "\u0301" * 5000 + " done",
        "\u202eright to left\u202c and back",
    ],
)
def test_any_script_comes_through_unchanged(text: str) -> None:
    for name in ("a.md", "a.txt"):
        parsed = PARSER.parse(name, text.encode())
        assert said(parsed) == [("paragraph", text)]


# -- charsets --------------------------------------------------------------------------------------

FRENCH = "La marée est haute à Saint-Malo, où l’été est frais. Le café est fermé à l’équinoxe. " * 3
JAPANESE = "潮汐とは、月と太陽の引力によって海面が規則的に昇り降りする現象である。" * 3


@pytest.mark.parametrize("charset", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_is_understood_and_left_out(charset: str) -> None:
    assert PARSER.parse("a.txt", "潮汐 tide".encode(charset)).text == "潮汐 tide"


@pytest.mark.parametrize("charset", ["shift_jis", "euc_jp", "iso2022_jp", "utf-8"])
def test_japanese_charsets_are_recognised(charset: str) -> None:
    assert PARSER.parse("a.txt", JAPANESE.encode(charset)).text == JAPANESE
    assert PARSER.parse("b.txt", JAPANESE[:12].encode(charset)).text == JAPANESE[:12]
    page = f"<html><head><title>{JAPANESE[:4]}</title></head><body><p>{JAPANESE}</p></body></html>"
    assert PARSER.parse("a.html", page.encode(charset)).text == JAPANESE


def test_western_charsets_are_recognised() -> None:
    assert PARSER.parse("a.txt", FRENCH.encode("cp1252")).text == FRENCH


def test_utf_16_is_told_without_its_mark() -> None:
    text = "The sea rises twice a day. " * 9
    for charset in ("utf-16-le", "utf-16-be"):
        assert PARSER.parse("a.txt", text.encode(charset)).text == text


def test_lines_in_different_charsets_are_each_understood() -> None:
    raw = f"{JAPANESE}\n".encode() + f"{FRENCH}\n".encode("cp1252") * 3
    assert PARSER.parse("a.txt", raw).text == f"{JAPANESE}\n" + f"{FRENCH}\n" * 3


def test_a_character_cut_in_half_does_not_spoil_the_rest() -> None:
    parsed = PARSER.parse("a.txt", JAPANESE.encode()[:-1])
    assert parsed.text == JAPANESE[:-1] + "\ufffd"


def test_a_page_may_name_its_charset() -> None:
    page = '<html><head><meta charset="iso-8859-1"></head><body><p>Marée à Malo</p></body></html>'
    assert PARSER.parse("a.html", page.encode("latin-1")).text == "Marée à Malo"


@pytest.mark.parametrize(
    "raw",
    [b"abc\0def", b"%PDF-1.7 text", b"\x89PNG\r\n", b"PK\x03\x04zip", bytes(range(1, 32)) * 9],
)
def test_what_is_not_text_is_refused(raw: bytes) -> None:
    with pytest.raises(Unreadable):
        PARSER.parse("a.txt", raw)


def test_control_characters_are_replaced_one_for_one() -> None:
    assert PARSER.parse("a.txt", b"bell\x07 and text").text == "bell\ufffd and text"


def test_half_a_surrogate_pair_does_not_get_through() -> None:
    raw = b"\xff\xfe" + "tide".encode("utf-16-le") + b"\x00\xd8" + " rises".encode("utf-16-le")
    assert PARSER.parse("a.txt", raw).text.encode()


# -- pages -----------------------------------------------------------------------------------------

PAGE = """<!doctype html><html><head><title>A page</title><style>p {}</style></head><body>
<nav>Menu</nav><h1>Tides &amp; times</h1><p>The sea <b>rises</b>.<br>Then falls.</p>
<script>alert("x")</script><div hidden>Unseen</div><p style="display: none">Unseen too</p>
<ul><li>one<li>two<ol><li>deep</ol></ul><pre>x = 1
y = 2</pre><table><tr><th>Port<th>Range</tr><tr><td>Malo</td><td>12</td></tr></table>
<p aria-hidden="true">Hidden</p><h2>End</h2>Loose text</body></html>"""
SEEN = [
    ("heading", "# Tides & times"),
    ("paragraph", "The sea rises. Then falls."),
    ("list", "- one\n- two\n  1. deep"),
    ("code", "```\nx = 1\ny = 2\n```"),
    ("table", "| Port | Range |\n| --- | --- |\n| Malo | 12 |"),
    ("heading", "## End"),
    ("paragraph", "Loose text"),
]


def test_of_a_page_only_what_a_reader_sees_is_kept() -> None:
    draft = Draft("page.html")
    page = SeenPage(draft)
    page.read(PAGE)
    assert said(draft.parsed("text/html")) == SEEN
    assert page.title == "A page"


def article(words: str) -> str:
    return f"""<html lang="en"><head><title>Site: tides</title><meta name="author" content="Ann Bee">
<meta name="citation_doi" content="10.1234/tides"><meta property="article:published_time"
content="2020-03-04"></head><body><div class="menu"><a href="/">Home</a> <a href="/b">Shop</a></div>
<main><article><h1>Tides</h1><p>{words}</p><h2>Ports</h2><ul><li>Malo<li>Brest</ul>
<pre>if x:
    y()</pre><table><tr><th>Port</th><th>Range</th></tr><tr><td>Malo</td><td>12</td></tr></table>
<p hidden>{words[::-1]}</p><p>{words}</p></article></main>
<footer>Copyright 2020. All rights reserved. Cookies. Contact us.</footer></body></html>"""


WORDS = "The sea rises and falls twice a day under the pull of the moon. " * 4


def test_of_a_page_the_main_part_is_kept_with_its_structure() -> None:
    parsed = parse_html("a.html", article(WORDS).encode())
    words = WORDS.strip()
    assert said(parsed) == [
        ("heading", "# Tides"),
        ("paragraph", words),
        ("heading", "## Ports"),
        ("list", "- Malo\n- Brest"),
        ("code", "```\nif x:\n    y()\n```"),
        ("table", "| Port | Range |\n| --- | --- |\n| Malo | 12 |"),
        ("paragraph", words),
    ]
    assert parsed.title == "Tides"
    assert parsed.metadata == {
        "author": "Ann Bee",
        "date": "2020-03-04",
        "doi": "10.1234/tides",
        "language": "en",
    }


def test_a_page_that_is_all_list_keeps_its_items() -> None:
    parsed = PARSER.parse("a.html", b"<p>short</p><ul><li>a<li>b</ul>")
    assert said(parsed) == [("paragraph", "short"), ("list", "- a\n- b")]


def test_a_heading_is_without_the_link_to_itself() -> None:
    page = article(WORDS).replace("<h2>Ports</h2>", '<h2>Ports<a href="#ports">#</a></h2>')
    parsed = parse_html("a.html", page.encode())
    assert [block.title for block in parsed.blocks if block.kind == "heading"] == ["Tides", "Ports"]


def test_a_page_without_an_ending_in_its_name_is_still_a_page() -> None:
    assert PARSER.parse("index", article(WORDS).encode()).media_type == "text/html"


@settings(deadline=None)
@given(st.text(alphabet="<>/ph1divtrliscript hidden=\"'&;x", max_size=200))
def test_no_page_is_too_broken_to_read(page: str) -> None:
    PARSER.parse("a.html", page.encode()).text.encode()


# -- source code and data --------------------------------------------------------------------------

CODE = '''# Not a heading
"""About tides."""

import os


# Before the first.
def rise(metres: int) -> int:
    # inside

    return metres * 2


class Sea:
    """Wide."""

    def fall(self) -> None: ...
'''


def test_code_is_cut_between_definitions_and_has_no_headings() -> None:
    parsed = PARSER.parse("tides.py", CODE.encode())
    cut = [text for _, text in said(parsed)]
    assert {block.kind for block in parsed.blocks} == {"code"}
    assert [text.splitlines()[0] for text in cut] == ["# Not a heading", "class Sea:"]
    assert "return metres * 2" in cut[0]
    assert (parsed.title, parsed.text) == ("tides.py", CODE)
    assert parsed.metadata == {"programming_language": "python"}


def test_data_is_read_as_text_and_laid_out_where_it_has_no_lines() -> None:
    assert PARSER.parse("a.json", b'{"tide": "high"}').text == '{"tide": "high"}'
    squeezed = b"[" + b'{"tide":"high"},' * 500 + b"1]"
    assert PARSER.parse("a.json", squeezed).text.startswith('[\n {\n  "tide": "high"\n },')
    for name in ("a.jsonl", "a.yaml", "a.xml", "a.toml"):
        assert PARSER.parse(name, b"tide: high\nmoon: full").blocks
    assert PARSER.parse("deep.json", b"[" * 100_000).text == "[" * 100_000


@pytest.mark.parametrize(
    ("name", "raw", "why"),
    [
        ("a.png", b"\x89PNG\r\n\x1a\n", "an image"),
        ("a.txt", b"\x1f\x8b\x08\x00", "a compressed file"),
        ("a.pdf", b"just words", "named like a PDF"),
        ("a.rtf", b"{\\rtf1 words}", "RTF"),
    ],
)
def test_what_cannot_be_read_says_why(name: str, raw: bytes, why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        PARSER.parse(name, raw)


def test_prose_that_begins_like_a_program_is_prose() -> None:
    assert PARSER.parse("a.txt", b"MZ is how it begins. BM too.").blocks


NAMES = st.sampled_from(
    [
        *("a.md", "b.html", "c.txt", "README", ".rst", "d.csv", "e.json", "f.ipynb", "g.py"),
        *(
            "h.pdf",
            "i.docx",
            "j.xlsx",
            "k.epub",
            "l.xml",
            "m.tsv",
            "",
            "../../etc/x.md",
            "n\u202e.md",
        ),
    ]
)
PREFIXES = st.sampled_from(
    [b"", b"%PDF-1.7\n", b"PK\x03\x04", b"<html>", b"---\n", b"\xff\xfe", b"{"]
)


def check(name: str, raw: bytes) -> None:
    try:
        parsed = PARSER.parse(name, raw)
    except Unreadable:
        return
    parsed.text.encode()
    assert parsed.title
    at = 0
    for block in parsed.blocks:
        assert at <= block.start < block.end <= len(parsed.text)
        assert parsed.text[block.start : block.end].strip()
        at = block.end
    assert bool(parsed.blocks) == bool(parsed.text)


@settings(deadline=None)
@given(NAMES, PREFIXES, st.binary(max_size=300))
def test_any_bytes_are_read_or_refused_but_never_break_it(
    name: str, prefix: bytes, raw: bytes
) -> None:
    check(name, prefix + raw)


@settings(deadline=None)
@given(NAMES, st.text(alphabet="#-=|`~> \n\r\t*[]:.+\"'ab1,", max_size=300))
def test_any_text_is_cut_into_blocks_in_order(name: str, text: str) -> None:
    check(name, text.encode())


def test_a_file_is_called_what_it_says_of_itself_before_its_first_section() -> None:
    raw = b"---\ntitle: 'Bees on Green Roofs'\n---\n\n# Introduction\n\nRoofs host bees.\n"
    page = AnyParser().parse("thesis.md", raw)
    assert page.title == "Bees on Green Roofs"
    assert [block.title for block in page.blocks if block.kind == "heading"] == ["Introduction"]
