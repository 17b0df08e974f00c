"""What a body really is: told from its bytes, with the server's word only where they leave it open."""

import codecs
import re

HTML = "text/html"
XHTML = "application/xhtml+xml"
PDF = "application/pdf"
JSON = "application/json"
XML = "application/xml"
RSS = "application/rss+xml"
ATOM = "application/atom+xml"
MARKDOWN = "text/markdown"
PLAIN = "text/plain"

_HEAD = 16_384
_WINDOW = 4_096
_MOST_CONTROLS = 0.01
"""Of a text; random bytes have ten times as many."""

_MAGIC = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"BM", "a bitmap image"),
    (b"PK\x03\x04", "a ZIP archive or an Office file"),
    (b"PK\x05\x06", "a ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!", "a RAR archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"\xd0\xcf\x11\xe0", "an old Office file"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
    (b"\x00\x01\x00\x00", "a font"),
    (b"ID3", "a sound"),
    (b"OggS", "a sound or video"),
    (b"fLaC", "a sound"),
    (b"RIFF", "a sound, image or video"),
    (b"\x1aE\xdf\xa3", "a video"),
    (b"SQLite format 3", "a database"),
    (b"\x00asm", "a program"),
)
_SHORT_MAGIC = {b"BM", b"MZ", b"ID3", b"RIFF", b"Rar!", b"BZh"}
"""Also the beginning of a word; only with a control character behind it is it the other thing."""

_UNREAD = {
    "text/css": "a style sheet",
    "text/javascript": "a script",
    "application/javascript": "a script",
    "application/x-javascript": "a script",
}
_BOMS = (codecs.BOM_UTF8, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_WIDE_BOMS = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_CONTROLS = bytes({*range(8), *range(14, 27), *range(28, 32), 127})
"""Without ESC, which Japanese mail and web texts are full of, and BS, with which manual pages print in bold."""

_LEADING = re.compile(rb"(?:\s+|<!--(?:(?!-->).){0,4000}-->)+", re.S)
_HTML_TAG = re.compile(
    rb"<(?:!doctype\s+html|html|head|body|title|meta|script|style|link|base|frameset|iframe|div|p|h[1-6]"
    rb"|table|a|br|b|font|center|main|article|section|header|nav|ul|ol|span|form)[\s/>]",
    re.I,
)
_ROOT = re.compile(rb"<(?![?!])(?:[\w.-]+:)?([\w.-]+)([^>]{0,4000})")


class NotReadable(Exception):
    """It is nothing that can be read as text: (what it is,)."""


def media_type(body: bytes, declared: str = "", path: str = "") -> str:
    """The type of a body; `declared` is the server's Content-Type, `path` that of the URL."""
    stated = declared.partition(";")[0].strip().lower()
    if not body.strip(b" \t\r\n\x00"):
        raise NotReadable("an empty page")
    if b"%PDF-" in body[:1024]:
        return PDF
    _refuse_binary(body)
    head = _narrow(body[:_HEAD])
    if what := _UNREAD.get(stated):
        raise NotReadable(what)
    head = _LEADING.sub(b"", head, count=1) if _LEADING.match(head) else head
    return _markup_type(head, stated) or _text_type(head, stated, path)


def declared_charset(content_type: str) -> str:
    """The charset that a Content-Type names, or nothing."""
    match = re.search(r"charset\s*=\s*[\"']?([A-Za-z0-9_.:-]{1,40})", content_type, re.I)
    return match[1].lower() if match else ""


def _refuse_binary(body: bytes) -> None:
    for magic, what in _MAGIC:
        if body.startswith(magic) and (magic not in _SHORT_MAGIC or _controls(body[:64])):
            raise NotReadable(what)
    if body[4:8] == b"ftyp":
        raise NotReadable("a video")
    if body.startswith(_WIDE_BOMS) or _wide_without_bom(body):
        return
    middle = len(body) // 2
    for window in (body[:_WINDOW], body[middle : middle + _WINDOW], body[-_WINDOW:]):
        if _controls(window) > max(1.0, len(window) * _MOST_CONTROLS):
            raise NotReadable("binary data")


def _controls(window: bytes) -> int:
    return len(window) - len(window.translate(None, _CONTROLS))


def _wide_without_bom(body: bytes) -> bool:
    """UTF-16 of mostly Latin text has a zero in every other byte, and never two together."""
    sample = body[: _WINDOW & ~1]
    half = len(sample) // 2
    zeros = (sample[0::2].count(0), sample[1::2].count(0))
    return half > 0 and max(zeros) > half * 0.7 and min(zeros) == 0


def _narrow(head: bytes) -> bytes:
    """The ASCII part of a beginning, however wide its characters are."""
    for mark in _BOMS:
        head = head.removeprefix(mark)
    head = head.removeprefix(codecs.BOM_UTF16_LE).removeprefix(codecs.BOM_UTF16_BE)
    return head.replace(b"\x00", b"")


def _markup_type(head: bytes, stated: str) -> str | None:
    if not head.startswith(b"<"):
        return None
    if _HTML_TAG.match(head):
        return XHTML if stated == XHTML else HTML
    root = _ROOT.search(head)
    if not root:
        return None
    name, attributes = root[1].lower(), root[2]
    if name == b"svg":
        raise NotReadable("an SVG image")
    if name == b"html":
        return XHTML if b"www.w3.org/1999/xhtml" in attributes and stated != HTML else HTML
    if name in (b"rss", b"rdf"):
        return RSS
    if name == b"feed":
        return ATOM
    xml = head.startswith(b"<?xml") or stated.endswith(("/xml", "+xml"))
    return XML if xml and stated != HTML else None


def _text_type(head: bytes, stated: str, path: str) -> str:
    if stated in (HTML, XHTML):
        return HTML
    if stated == JSON or stated.endswith("+json"):
        return JSON
    if stated in (XML, "text/xml") or stated.endswith("+xml"):
        return XML
    if stated in (MARKDOWN, "text/x-markdown") or path.lower().endswith((".md", ".markdown")):
        return MARKDOWN
    if stated.startswith("text/"):
        return stated
    if head[:1] in (b"{", b"["):
        return JSON
    return PLAIN
