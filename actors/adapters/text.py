"""Reads Markdown, reStructuredText, HTML and plain text."""

import codecs
import importlib
import importlib.util
import re
from html.parser import HTMLParser
from pathlib import PurePath

from actors.chunking import chunk, first_heading
from actors.ports import Parsed
from events.errors import Unreadable

MEDIA_TYPES = {
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".rst": "text/x-rst",
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "text/html",
    ".txt": "text/plain",
    ".text": "text/plain",
}
"""What is read, by the end of its name; anything else that turns out to be text is plain."""

_DATA = frozenset({".json", ".jsonl", ".ndjson", ".geojson", ".ipynb"})
"""Text that nobody wrote to be read or quoted."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with the same bytes
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_BINARY = (b"%PDF-", b"PK\x03\x04", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"\x1f\x8b", b"\x7fELF")
_OLD_CHARSETS = [
    *("cp1252", "cp1251", "koi8_r", "cp1253", "cp1255", "cp1256"),
    *("cp932", "euc_jp", "gb18030", "big5", "cp949"),
]
"""Charsets worth guessing at. Near twins of Western text, like cp1250, would win against it by chance."""

_META_CHARSET = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{2,40})", re.I
)
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff\ud800-\udfff]")
_REPLACEMENT = "\ufffd"


class TextParser:
    """Satisfies `actors.ports.Parser` for everything that is text already."""

    def parse(self, name: str, raw: bytes) -> Parsed:
        """Text, title and chunks of a file; raises `Unreadable` where there is no text to be had.

        Of Markdown and plain text the text is the decoded file itself, so a span in it is a
        place in the file. A file of nothing but blanks has the text "" and no chunks.
        """
        suffix = PurePath(name).suffix.casefold()
        if suffix in _DATA:
            raise Unreadable(name, "it is data, not text")
        media_type = MEDIA_TYPES.get(suffix, "text/plain")
        text = decode_text(name, raw)
        title: str | None = None
        if media_type == "text/html":
            text, title = read_html(text)
        if not text.strip():
            return Parsed(title=_file_title(name), media_type=media_type, text="", chunks=())
        return Parsed(
            title=_one_line(first_heading(text) or title or "") or _file_title(name),
            media_type=media_type,
            text=text,
            chunks=chunk(text),
        )


def decode_text(name: str, raw: bytes) -> str:
    """The characters of a file, every one of them printable, blank or U+FFFD."""
    text = _decode(name, raw)
    damaged = len(_CONTROLS.findall(text)) + text.count(_REPLACEMENT)
    if damaged > 8 and damaged > len(text) // 20:
        raise Unreadable(name, "it is not text")
    # One for one: the spans stay places in the file.
    return _CONTROLS.sub(_REPLACEMENT, text)


def _decode(name: str, raw: bytes) -> str:
    for mark, charset in _BOMS:
        if raw.startswith(mark):
            return raw[len(mark) :].decode(charset, "replace")
    if b"\0" in raw or raw.startswith(_BINARY):
        raise Unreadable(name, "it is not text")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return _decode_old(raw)


def _decode_old(raw: bytes) -> str:
    """Decode what is not Unicode: as it says itself, else by a guess, else as Western text."""
    if declared := _META_CHARSET.search(raw, 0, 2048):
        try:
            return raw.decode(declared.group(1).decode("ascii"))
        except (LookupError, UnicodeDecodeError):
            pass  # It says what it is not: guess like for the others.
    if importlib.util.find_spec("charset_normalizer"):
        from charset_normalizer import from_bytes

        if best := from_bytes(raw, cp_isolation=_OLD_CHARSETS).best():
            return raw.decode(best.encoding, "replace")
    return raw.decode("cp1252", "replace")


def _file_title(name: str) -> str:
    stem = PurePath(name).stem
    return _one_line(re.sub(r"[_-]+", " ", stem)) or _one_line(name) or "untitled"


def _one_line(title: str) -> str:
    return " ".join(title.split())[:200].strip()


# -- HTML ----------------------------------------------------------------------------------------


def read_html(page: str) -> tuple[str, str | None]:
    """What a reader sees of a page, as Markdown, and the page's title."""
    reader = _Page()
    reader.feed(page)
    reader.close()
    title = _one_line(reader.title) or None
    if importlib.util.find_spec("trafilatura"):
        library = importlib.import_module("trafilatura")
        if article := library.extract(page, output_format="markdown", include_tables=True):
            return _CONTROLS.sub(_REPLACEMENT, str(article)), title
    return reader.markdown(), title


_UNSEEN = frozenset(
    {
        *("script", "style", "noscript", "template", "svg", "math", "head", "iframe", "object"),
        *("nav", "button", "select", "textarea", "canvas", "audio", "video", "dialog"),
    }
)
_PARAGRAPHS = frozenset(
    {
        *("p", "div", "section", "article", "main", "header", "footer", "aside", "figure", "body"),
        *("figcaption", "blockquote", "ul", "ol", "dl", "dt", "dd", "table", "form", "address"),
        *("details", "summary", "hr", "center", "fieldset"),
    }
)
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_VOID = frozenset(
    {"br", "hr", "img", "input", "meta", "link", "wbr", "area", "base", "col", "embed"}
)
_CLOSED_BY_NEXT = frozenset({"p", "li", "dt", "dd", "tr", "td", "th", "option"})


class _Page(HTMLParser):
    """Collects the visible text of a page, block by block."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self._blocks: list[str] = []
        self._text: list[str] = []
        self._lead = ""
        self._row: list[str] | None = None
        self._rows = 0
        self._literal = False
        self._in_title = False
        self._unseen: list[str] = []
        """The element that hides what is being read, once for each time it is open."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "title" and not self.title:
            self._in_title = True
        if self._unseen:
            if tag != self._unseen[0]:
                # A page that never closes its head still has a body.
                if not (self._unseen[0] == "head" and tag == "body"):
                    return
                self._unseen.clear()
            elif tag in _CLOSED_BY_NEXT:
                self._unseen.clear()
            else:
                self._unseen.append(tag)
                return
        if tag not in _VOID and (tag in _UNSEEN or _hidden(attrs)):
            self._unseen.append(tag)
            return
        self._open(tag)

    def _open(self, tag: str) -> None:
        if tag in _PARAGRAPHS:
            if self._row is None:
                self._flush()
            if tag == "table":
                self._rows = 0
        elif tag == "li":
            self._flush()
            self._lead = "- "
        elif tag in _HEADINGS:
            self._flush()
            self._lead = "#" * int(tag[1]) + " "
        elif tag == "br":
            self._text.append("\n" if self._literal else " ")
        elif tag == "pre":
            self._flush()
            self._literal = True
        elif tag == "tr":
            self._end_row()
            self._row = []
        elif tag in {"td", "th"} and self._row is not None:
            self._end_cell()

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        if self._unseen:
            if tag == self._unseen[0]:
                self._unseen.pop()
            return
        if tag == "pre" and self._literal:
            code = "".join(self._text).strip("\n")
            self._text.clear()
            self._literal = False
            if code.strip():
                self._blocks.append(f"```\n{code}\n```")
        elif tag in {"tr", "table"}:
            self._end_row()
        elif tag in {"td", "th"} and self._row is not None:
            self._end_cell()
        elif self._row is None and (tag in _PARAGRAPHS or tag == "li" or tag in _HEADINGS):
            self._flush()

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
        elif not self._unseen:
            self._text.append(data)

    def markdown(self) -> str:
        """What was collected."""
        self._end_row()
        self._flush()
        lines: list[str] = []
        for before, block in zip(["", *self._blocks], self._blocks, strict=False):
            tight = _same_list(before, block)
            lines += [block] if tight or not lines else ["", block]
        return _CONTROLS.sub(_REPLACEMENT, "\n".join(lines))

    def _flush(self) -> None:
        if self._literal:
            return
        text = " ".join("".join(self._text).split())
        self._text.clear()
        if text:
            self._blocks.append(self._lead + text)
        self._lead = ""

    def _end_cell(self) -> None:
        text = " ".join("".join(self._text).split())
        self._text.clear()
        if text and self._row is not None:
            self._row.append(text.replace("|", "/"))

    def _end_row(self) -> None:
        if self._row is None:
            return
        self._end_cell()
        row, self._row = self._row, None
        if row:
            self._blocks.append("| " + " | ".join(row) + " |")
            self._rows += 1
            if self._rows == 1:
                self._blocks.append("|" + " --- |" * len(row))


def _same_list(before: str, block: str) -> bool:
    return before[:2] == block[:2] == "- " or (before[:1] == block[:1] == "|")


def _hidden(attrs: list[tuple[str, str | None]]) -> bool:
    said = {name: (value or "").casefold().replace(" ", "") for name, value in attrs}
    return (
        "hidden" in said
        or said.get("aria-hidden") == "true"
        or "display:none" in said.get("style", "")
        or "visibility:hidden" in said.get("style", "")
    )
