"""Chooses who reads a file: by what its bytes are first, by the end of its name second."""

import re
from collections.abc import Callable, Sequence
from pathlib import PurePath

from actors.adapters import annotations
from actors.adapters.archives import members
from actors.adapters.books import parse_book
from actors.adapters.decoding import has_mark
from actors.adapters.feeds import is_feed, parse_feed
from actors.adapters.html.reader import parse_html
from actors.adapters.images import media_type_of, parse_image
from actors.adapters.mail import SUFFIXES as MAIL
from actors.adapters.mail import parse_mail
from actors.adapters.markdown import parse_markdown
from actors.adapters.notebooks import parse_notebook
from actors.adapters.pdf.reader import parse_pdf
from actors.adapters.plain import parse_plain
from actors.adapters.sheets import parse_separated, parse_workbook
from actors.adapters.slides import parse_slides
from actors.adapters.sources import DATA, FILES, LANGUAGES, parse_code, parse_data
from actors.adapters.word import parse_word
from actors.ingesting.readers import present
from actors.ports import Parsed
from events.errors import Unreadable

Parse = Callable[..., Parsed]
"""Takes a file's name and bytes; one that reads scans, also their languages."""

_BY_SUFFIX: dict[str, Parse] = {
    **dict.fromkeys(DATA, parse_data),
    **dict.fromkeys(LANGUAGES, parse_code),
    **dict.fromkeys((".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd"), parse_markdown),
    **dict.fromkeys((".html", ".htm", ".xhtml", ".xht"), parse_html),
    **dict.fromkeys(MAIL, parse_mail),
    **dict.fromkeys((".csv", ".tsv", ".tab"), parse_separated),
    **dict.fromkeys((".txt", ".text", ".rst", ".log", ".tex", ".adoc", ".org"), parse_plain),
    ".ipynb": parse_notebook,
    annotations.SUFFIX: annotations.parse_annotations,
}
_IN_ZIP: dict[str, Parse] = {
    "word/document.xml": parse_word,
    "ppt/presentation.xml": parse_slides,
    "xl/workbook.xml": parse_workbook,
    "META-INF/container.xml": parse_book,
}
_NAMES: dict[Parse, str] = {
    annotations.parse_annotations: "annotations",
    parse_book: "book",
    parse_code: "code",
    parse_data: "data",
    parse_feed: "feed",
    parse_html: "html",
    parse_image: "image",
    parse_mail: "mail",
    parse_markdown: "markdown",
    parse_notebook: "notebook",
    parse_pdf: "pdf",
    parse_plain: "plain",
    parse_separated: "separated",
    parse_slides: "slides",
    parse_word: "word",
    parse_workbook: "workbook",
}
"""What facts call each reader; `actors.ingesting.readers` has their versions."""

_NAMED = {
    ".pdf": "a PDF",
    ".docx": "a Word document",
    ".pptx": "a presentation",
    ".xlsx": "a workbook",
    ".epub": "a book",
}
"""Kinds that are told by their bytes: a file of this name and other bytes is damaged."""

_BINARY = (
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF8", "an image"),
    (b"RIFF", "audio, video or an image"),
    (b"\x00\x00\x01\x00", "an image"),
    (b"II*\x00", "an image"),
    (b"MM\x00*", "an image"),
    (b"BM", "an image"),
    (b"\x1f\x8b", "a compressed file"),
    (b"BZh", "a compressed file"),
    (b"\xfd7zXZ\x00", "a compressed file"),
    (b"(\xb5/\xfd", "a compressed file"),
    (b"7z\xbc\xaf\x27\x1c", "an archive"),
    (b"Rar!", "an archive"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"\xca\xfe\xba\xbe", "a program"),
    (b"\xcf\xfa\xed\xfe", "a program"),
    (b"SQLite format 3\x00", "a database"),
    (b"ID3", "audio"),
    (b"OggS", "audio or video"),
    (b"fLaC", "audio"),
    (b"ARROW1", "a data file"),
    (b"PAR1", "a data file"),
    (b"wOF", "a font"),
)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_PDF_WITHIN = 1024
_HTML = re.compile(
    rb"\s*(?:<!--.{0,2000}?-->\s*|<\?xml[^>]{0,200}\?>\s*)?<(?:!doctype\s+html|html|head)\b",
    re.I | re.S,
)
_SHEBANG = re.compile(rb"#!\s*/\S*(?:sh|python|perl|ruby|node|env)\b")
_MARKDOWN = re.compile(rb"(?:\A|\n)(?:#{1,6}[ \t]+\S|```|\|[ \t]*:?--)|\]\(https?://")
_MAY_BE_FEED = frozenset({"", ".txt", ".xml", ".rss", ".atom", ".rdf"})
_PEEK = 4096


class AnyParser:
    """Satisfies `actors.ports.Parser` for every kind of file that is known here."""

    def parse(self, name: str, raw: bytes) -> Parsed:
        """Text and blocks of a file; raises `Unreadable` where there is no text to be had.

        A file of nothing but blanks has the text "" and no blocks.
        """
        return self.parse_in(name, raw, ())

    def parse_in(self, name: str, raw: bytes, languages: Sequence[str]) -> Parsed:
        """The same, where scanned pages are in one of these languages."""
        try:
            parse = recognise(name, raw)
            scans = parse is parse_pdf or parse is parse_image
            parsed = parse(name, raw, languages) if scans else parse(name, raw)
        except Unreadable:
            raise
        except MemoryError as failure:
            raise Unreadable(name, "its parser ran out of memory") from failure
        except Exception as failure:
            # A hostile file can break a library in any way.
            raise Unreadable(name, f"its parser broke: {type(failure).__name__}") from failure
        return parsed.model_copy(update={"reader": present(_NAMES[parse])})


def recognise(name: str, raw: bytes) -> Parse:
    """Who reads a file; raises `Unreadable` for what nobody does."""
    path = PurePath(name.casefold())
    if not has_mark(raw):
        if parse := _by_bytes(name, raw):
            return parse
        if raw.strip() and (kind := _NAMED.get(path.suffix)):
            raise Unreadable(name, f"it is named like {kind} and is none, or it is damaged")
    if path.suffix in _MAY_BE_FEED and is_feed(raw[:_PEEK]):
        return parse_feed
    if path.suffix in _BY_SUFFIX and path.name not in FILES:
        return _BY_SUFFIX[path.suffix]
    if path.name in FILES or _SHEBANG.match(raw):
        return parse_code
    if _HTML.match(raw[:_PEEK]):
        return parse_html
    return parse_markdown if not path.suffix and _MARKDOWN.search(raw[:_PEEK]) else parse_plain


def _by_bytes(name: str, raw: bytes) -> Parse | None:
    """Who reads what cannot be mistaken for text."""
    named = name.casefold().endswith(".pdf")
    if raw.startswith(b"%PDF-") or (named and b"%PDF-" in raw[:_PDF_WITHIN]):
        return parse_pdf
    if raw.startswith(b"PK\x03\x04"):
        return _in_zip(name, raw)
    if raw.startswith(b"PK\x05\x06"):
        raise Unreadable(name, "it is an empty archive")
    if raw.startswith(_OLE):
        if _ENCRYPTED_PACKAGE in raw:
            raise Unreadable(name, "it is encrypted with a password")
        raise Unreadable(
            name, "it is in the Office format of before 2007; save it in the present one"
        )
    if raw.startswith(b"{\\rtf"):
        raise Unreadable(name, "it is rich text (RTF); save it as .docx")
    if media_type_of(raw) and not _is_text(raw[:512]):
        return parse_image
    for signature, kind in _BINARY:
        # Two letters are too few to tell by: prose can begin with them.
        if raw.startswith(signature) and (len(signature) > 3 or not _is_text(raw[:512])):
            raise Unreadable(name, f"it is {kind}, not text")
    return None


def _is_text(sample: bytes) -> bool:
    return not any(byte < 9 or 13 < byte < 27 for byte in sample)


def _in_zip(name: str, raw: bytes) -> Parse:
    inside = members(name, raw)
    for member, parse in _IN_ZIP.items():
        if member in inside:
            return parse
    if "mimetype" in inside and "content.xml" in inside:
        raise Unreadable(name, "it is an OpenDocument file; save it as .docx, .xlsx or .pptx")
    kind = _NAMED.get(PurePath(name.casefold()).suffix)
    if kind:
        raise Unreadable(name, f"it is named like {kind} and lacks the parts of one")
    raise Unreadable(name, "it is an archive; unpack it and ingest what it holds")
