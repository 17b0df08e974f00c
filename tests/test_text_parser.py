"""What is read out of files."""

import sys
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.adapters.text import TextParser
from events.errors import Unreadable

PARSER = TextParser()


def test_the_text_of_markdown_is_the_file_itself() -> None:
    raw = "# Tides\r\n\r\nThe sea rises.\r\n"
    parsed = PARSER.parse("tides.md", raw.encode())
    assert (parsed.text, parsed.title, parsed.media_type) == (raw, "Tides", "text/markdown")
    assert [raw[each.start : each.end] for each in parsed.chunks] == ["The sea rises."]


def test_without_a_heading_the_file_name_is_the_title() -> None:
    assert PARSER.parse("spring_and-neap.txt", b"Words.").title == "spring and neap"


@pytest.mark.parametrize("charset", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_is_understood_and_left_out(charset: str) -> None:
    assert PARSER.parse("a.txt", "潮汐 tide".encode(charset)).text == "潮汐 tide"


def test_western_and_japanese_charsets_are_recognised() -> None:
    french = (
        "La marée est haute à Saint-Malo, où l’été est frais. Le café est fermé à l’équinoxe. " * 3
    )
    japanese = "潮汐とは、月と太陽の引力によって海面が規則的に昇り降りする現象である。" * 3
    assert PARSER.parse("a.txt", french.encode("cp1252")).text == french
    assert PARSER.parse("a.txt", japanese.encode("shift_jis")).text == japanese


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


def test_data_is_refused_by_its_name() -> None:
    with pytest.raises(Unreadable, match="data, not text"):
        PARSER.parse("package.json", b"{}")


@pytest.mark.parametrize("raw", [b"", b" \n\t\n", b"\xef\xbb\xbf"])
def test_blanks_only_make_an_empty_document(raw: bytes) -> None:
    parsed = PARSER.parse("empty.md", raw)
    assert (parsed.text, parsed.chunks, parsed.title) == ("", (), "empty")


def test_control_characters_are_replaced_one_for_one() -> None:
    assert PARSER.parse("a.txt", b"bell\x07 and text").text == "bell\ufffd and text"


def test_half_a_surrogate_pair_does_not_get_through() -> None:
    raw = b"\xff\xfe" + "tide".encode("utf-16-le") + b"\x00\xd8" + " rises".encode("utf-16-le")
    assert PARSER.parse("a.txt", raw).text.encode()


PAGE = """<!doctype html><html><head><title>A page</title><style>p {}</style></head><body>
<nav>Menu</nav><h1>Tides &amp; times</h1><p>The sea <b>rises</b>.<br>Then falls.</p>
<script>alert("x")</script><div hidden>Unseen</div><p style="display: none">Unseen too</p>
<ul><li>one<li>two</ul><pre>x = 1
y = 2</pre><table><tr><th>Port<th>Range</tr><tr><td>Malo</td><td>12</td></tr></table>
<p aria-hidden="true">Hidden</p><h2>End</h2>Loose text</body></html>"""


def test_of_a_page_only_what_a_reader_sees_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    parsed = PARSER.parse("page.html", PAGE.encode())
    assert parsed.title == "Tides & times"
    assert parsed.text.split("\n\n") == [
        "# Tides & times",
        "The sea rises. Then falls.",
        "- one\n- two",
        "```\nx = 1\ny = 2\n```",
        "| Port | Range |\n| --- | --- |\n| Malo | 12 |",
        "## End",
        "Loose text",
    ]


def test_a_better_reader_of_pages_is_used_where_there_is_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    library = ModuleType("trafilatura")
    monkeypatch.setattr(library, "extract", lambda page, **_: "Only the article.", raising=False)
    monkeypatch.setitem(sys.modules, "trafilatura", library)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: library)
    parsed = PARSER.parse("page.html", PAGE.encode())
    assert (parsed.text, parsed.title) == ("Only the article.", "A page")


@given(st.binary(max_size=300), st.sampled_from(["a.md", "b.html", "c.txt", "README", ".rst"]))
def test_any_bytes_are_read_or_refused_but_never_break_it(raw: bytes, name: str) -> None:
    try:
        parsed = PARSER.parse(name, raw)
    except Unreadable:
        return
    parsed.text.encode()
    assert parsed.title
    assert all(0 <= each.start < each.end <= len(parsed.text) for each in parsed.chunks)


@given(st.text(alphabet="<>/ph1divtrliscript hidden=\"'&;x", max_size=200))
def test_no_page_is_too_broken_to_read(page: str) -> None:
    PARSER.parse("a.html", page.encode()).text.encode()
