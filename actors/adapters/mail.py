"""Reads mails (.eml) and pages that a browser saved as one file (.mhtml), with the standard library's `email`.

What transport did to them is undone: the words of their headers and bodies are read, in whatever charset. What is
attached is named and not opened: it is a file of its own, for whoever wants it to be found.
"""

import binascii
import codecs
import re
from collections.abc import Iterator
from email import message_from_bytes
from email.header import decode_header
from email.message import Message
from email.policy import Compat32
from email.utils import parsedate_to_datetime
from pathlib import PurePath
from typing import TypeAlias

from actors.adapters.decoding import decode_declared, decode_text, without_controls
from actors.adapters.draft import Draft, one_line
from actors.adapters.html.reader import parse_html
from actors.adapters.plain import parse_plain, plain_blocks
from actors.ports import Coverage, Parsed
from events.errors import Unreadable

MEDIA_TYPE = "message/rfc822"
PAGE_TYPE = "multipart/related"
SUFFIXES = (".eml", ".mht", ".mhtml")

_PAGES = (".mht", ".mhtml")
_READ = frozenset({"text/plain", "text/html"})
_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_TELLING = {"from", "to", "subject", "date", "received", "message-id", "mime-version"}
"""Headers of which a mail has one at least."""

_TELLING_LINE = re.compile(rb"[!-9;-~]{1,100}:")
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_LARGEST_HEAD = 256 << 10
_LONGEST_HEADER = 4_000
"""Characters; to decode it takes its square, and so does it to look for its parameters."""

_MOST_PARTS = 5_000
_NAMED = 50
"""Attachments that are named one by one."""

_FOLD = re.compile(r"[\r\n]+[ \t]*")

Part: TypeAlias = "Message[str, str]"


class _ShortHeaders(Compat32):
    """Reads headers as far as anybody would: of every part, while its parts are still being told apart."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        """The name and the beginning of the value of a header."""
        name, value = super().header_source_parse(sourcelines)
        return name, value[:_LONGEST_HEADER]


_SHORT_HEADERS = _ShortHeaders()


def parse_mail(name: str, raw: bytes) -> Parsed:
    """The headers that a reader sees, and the text of a mail; of a saved page, the page."""
    mail = _read(name, raw)
    if not _TELLING & {key.casefold() for key in mail}:
        return parse_plain(name, raw)
    bodies, attached = _parts(name, mail)
    if PurePath(name.casefold()).suffix in _PAGES:
        return _page(name, mail, bodies)
    draft = Draft(name)
    subject = one_line(_header(mail, "Subject"))
    draft.heading(1, subject)
    said = [f"{key}: {words}" for key in _SHOWN[:-1] if (words := _header(mail, key))]
    draft.paragraph("\n".join(said))
    for body in bodies:
        _pour(name, body, draft)
    warnings: tuple[str, ...] = ()
    if attached:
        more = f" and {len(attached) - _NAMED} more" if len(attached) > _NAMED else ""
        named = ", ".join(attached[:_NAMED]) + more
        draft.paragraph(f"Attachments: {named}")
        warnings = (f"what is attached was not read: {named}",)
    metadata = {"author": _header(mail, "From"), "date": _date(mail)}
    return draft.parsed(MEDIA_TYPE, subject, metadata, Coverage(warnings=warnings))


def _read(name: str, raw: bytes) -> Part:
    head = _BLANK_LINE.search(raw)
    if (head.start() if head else len(raw)) > _LARGEST_HEAD:
        # Each of them is looked at by every question, and their parameters by each other.
        if _TELLING_LINE.match(raw):
            raise Unreadable(name, f"its headers have more than {_LARGEST_HEAD >> 10} kB")
        return Message()
    try:
        return message_from_bytes(raw, policy=_SHORT_HEADERS)
    except RecursionError:
        raise Unreadable(name, "its parts lie too deep within each other") from None


def _page(name: str, mail: Part, bodies: list[Part]) -> Parsed:
    """A page that was saved with all that it shows."""
    body = next((each for each in bodies if each.get_content_type() == "text/html"), None)
    if body is None:
        raise Unreadable(name, "there is no page in it")
    parsed = parse_html(name, _as_unicode(name, body))
    place = _header(mail, "Snapshot-Content-Location") or _header(body, "Content-Location")
    said = {"url": one_line(place), "date": _date(mail)}
    told = {key: value for key, value in said.items() if value} | parsed.metadata
    return parsed.model_copy(update={"media_type": PAGE_TYPE, "metadata": told})


# -- parts -----------------------------------------------------------------------------------------


def _parts(name: str, mail: Part) -> tuple[list[Part], list[str]]:
    """The parts that are read one after the other, and the names of those that are attached."""
    bodies: list[Part] = []
    attached: list[str] = []
    left, seen = [mail], 0
    while left:
        part = left.pop()
        seen += 1
        if seen > _MOST_PARTS:
            raise Unreadable(name, f"it is a mail of more than {_MOST_PARTS:,} parts")
        kind = part.get_content_type()
        inner = _within(part)
        if kind == "message/rfc822" and part is not mail and inner:
            attached += [f"a message ({one_line(_header(each, 'Subject'))})" for each in inner]
        elif inner:
            left += reversed(_chosen(kind, inner))
        elif kind in _READ and _is_shown(part, whole=part is mail):
            bodies.append(part)
        else:
            attached.append(_file_name(part) or kind)
    return bodies, attached


def _within(part: Part) -> list[Part]:
    inner = part.get_payload() if part.is_multipart() else []
    return [each for each in inner if isinstance(each, Message)]


def _chosen(kind: str, inner: list[Part]) -> list[Part]:
    """What is read of the parts of a part."""
    if kind == "multipart/alternative":
        # The same in several ways; plain text needs no guess at what belongs to it.
        plain = (each for each in inner if each.get_content_type() == "text/plain")
        return [next((each for each in plain if _body(each).strip()), inner[-1])]
    if kind == "multipart/related":
        # What a page shows besides its text is no attachment of the mail.
        return inner[:1] + [
            each for each in inner[1:] if each.get_content_disposition() == "attachment"
        ]
    return inner


def _is_shown(part: Part, *, whole: bool) -> bool:
    """Whether a text stands among the words of a mail; one that is the whole mail may have a name."""
    if said := part.get_content_disposition():
        return said != "attachment"
    return whole or not _file_name(part)


def _file_name(part: Part) -> str:
    try:
        return one_line(_words(part.get_filename() or ""))
    except (LookupError, ValueError, TypeError):
        return "a file whose name is broken"


# -- words -----------------------------------------------------------------------------------------


def _pour(name: str, body: Part, draft: Draft) -> None:
    if body.get_content_type() == "text/html":
        page = parse_html(name, _as_unicode(name, body))
        draft.passage(page.text, page.blocks)
    else:
        text = without_controls(_text(name, body)).replace("\r\n", "\n")
        draft.passage(text, plain_blocks(text))


def _body(part: Part) -> bytes:
    raw = part.get_payload(decode=True)
    return raw if isinstance(raw, bytes) else b""


def _text(name: str, part: Part) -> str:
    raw = _body(part)
    charset = part.get_content_charset()
    told = decode_declared(raw, charset) if charset else None
    return decode_text(name, raw) if told is None else told


def _as_unicode(name: str, part: Part) -> bytes:
    """A page's bytes as its reader takes them; the mail's word on their charset counts more than the page's own."""
    if not part.get_content_charset():
        return _body(part)
    return codecs.BOM_UTF8 + _text(name, part).encode("utf-8", "replace")


def _header(part: Part, key: str) -> str:
    """The words of a header, on one line."""
    raw = next((value for name, value in part.raw_items() if name.casefold() == key.casefold()), "")
    folded = _FOLD.sub(" ", str(raw))
    return " ".join(without_controls(_words(folded)).split())


def _words(header: str) -> str:
    """A header as it was written, before it was made fit for transport."""
    plain = decode_text("a header", header.encode("utf-8", "surrogateescape"))
    try:
        return "".join(_decoded(plain))
    except (binascii.Error, ValueError, LookupError):
        return plain


def _decoded(header: str) -> Iterator[str]:
    for words, charset in decode_header(header):
        if isinstance(words, str):
            yield words
        else:
            told = decode_declared(words, charset) if charset else None
            yield words.decode("latin-1") if told is None else told


def _date(mail: Part) -> str:
    try:
        return parsedate_to_datetime(_header(mail, "Date")).date().isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""
