"""Reads PDF with pypdfium2: where each word of each page stands; its layout is read elsewhere.

Forms are never initialised, so nothing in a file is ever run, and attachments stay closed.
"""

import re
from collections.abc import Sequence
from itertools import chain
from typing import Any

from actors.adapters import ocr, scans
from actors.adapters.draft import Draft, one_line
from actors.adapters.pdf.headings import Entry
from actors.adapters.pdf.lines import Page
from actors.adapters.pdf.scans import is_image, reads_better
from actors.adapters.pdf.text import pour
from actors.adapters.pdf.words import PageWords
from actors.adapters.sandboxed import still_working
from actors.ingesting.page_labels import PAGE_LABELS, packed_labels
from actors.ingesting.page_lists import LONGEST_LIST, as_ranges, page_list
from actors.ingesting.references import LARGE_LINES
from actors.ports import Coverage, Parsed
from events.errors import Unreadable

MEDIA_TYPE = "application/pdf"
_PASSWORD, _SECURITY = 4, 5
_MOST_ENTRIES = 5000
_NO_TITLE = re.compile(
    r"(?:untitled|title|document\d*|microsoft (?:word|powerpoint)|powerpoint|slide 1\b|.{0,150}"
    r"\.(?:docx?|pptx?|tex|dvi|pdf|indd|qxd|xlsx?|rtf|html?)\Z)",
    re.I,
)
_SHARPEST = 300 / 72
_LONG = 1.5
_MOST_PIXELS = 9000
_DATE = re.compile(r"D?:?(\d{4})(\d{2})?(\d{2})?")
_ARXIV = re.compile(r"arXiv:(\d{4}\.\d{4,5}|[a-z-]{2,12}(?:\.[A-Z]{2})?/\d{7})v\d{1,2}\s*\[[a-z]")
_DOI = re.compile(r"\b10\.\d{4,9}/[-._;()/:A-Za-z0-9]{2,200}[A-Za-z0-9]")


def parse_pdf(name: str, raw: bytes, languages: Sequence[str] = ()) -> Parsed:
    """Pages, headings, paragraphs and tables of a PDF; each block knows its page.

    The languages are those that scanned pages are read in.
    """
    import pypdfium2

    try:
        pdf = pypdfium2.PdfDocument(raw)
    except pypdfium2.PdfiumError as refused:
        # The code is that of an earlier file where this one only lacks pages.
        locked = b"/Encrypt" in raw
        raise Unreadable(name, _why(refused.err_code if locked else None)) from refused
    try:
        return _read(name, pdf, languages)
    finally:
        pdf.close()


def _why(code: int | None) -> str:
    if code == _PASSWORD:
        return "it is encrypted with a password"
    if code == _SECURITY:
        return "it is encrypted in a way that is not supported"
    return "it is a damaged or cut off PDF, or has no pages"


def _read(name: str, pdf: Any, languages: Sequence[str]) -> Parsed:
    warnings: list[str] = []
    pages: list[Page] = []
    scanned: list[int] = []
    empty: list[int] = []
    seen: dict[str, list[int]] = {}
    for number in range(1, len(pdf) + 1):
        page, in_image = _page(pdf, number, warnings)
        if in_image:
            read, engine = _scanned(pdf, page, languages, warnings)
            if reads_better(read.words, page.words):
                page = read
                seen.setdefault(engine, []).append(number)
            elif not page.words:
                scanned.append(number)
        if page.words:
            pages.append(page)
        else:
            empty.append(number)
    if scanned:
        warnings.append(f"{_listed(scanned)} no text but images: scanned, not read")
    draft = Draft(name)
    title, large = pour(pages, _outline(pdf), draft)
    metadata = _metadata(pdf)
    if metadata.get("title", title) != title:
        # Many a file has a number or a template's name for a title: the page may know better.
        large = " | ".join(filter(None, (title, large)))
    metadata |= {
        "pages": str(len(pdf)),
        **page_list("ocr_pages", sorted(chain.from_iterable(seen.values()))),
        "ocr_engines": "; ".join(f"{engine}: {as_ranges(of)}" for engine, of in seen.items()),
        **page_list("empty_pages", empty),
        PAGE_LABELS: _labels(pdf),
        LARGE_LINES: large,
        "arxiv": _arxiv(pages),
    }
    if "doi" not in metadata and (doi := _doi(pages, draft)):
        metadata["doi"] = doi
    coverage = Coverage(pages=len(pdf), empty_pages=tuple(empty), warnings=tuple(warnings[:50]))
    return draft.parsed(MEDIA_TYPE, metadata.get("title") or title, metadata, coverage)


def _doi(pages: Sequence[Page], draft: Draft) -> str:
    """What a document says its DOI is: in its beginning, else at the edges of its first pages."""
    found = _DOI.search(draft.beginning(6000))
    for page in pages[:2]:
        found = found or _DOI.search(" ".join(word.text for word in page.words))
    return found.group() if found else ""


def _arxiv(pages: Sequence[Page]) -> str:
    """The number in the stamp that the arXiv puts along the margin of a first page."""
    for page in pages[:1]:
        stamp = _ARXIV.search(" ".join(word.text for word in page.words))
        return stamp.group(1) if stamp else ""
    return ""


def _listed(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:20])) + (", …" if len(numbers) > 20 else "")
    return f"page {shown} has" if len(numbers) == 1 else f"pages {shown} have"


def _scanned(
    pdf: Any, shown: Page, languages: Sequence[str], warnings: list[str]
) -> tuple[Page, str]:
    """A page that is an image, with the words that can be read from it, and who read them."""
    if not scans.engines_for(languages):
        return shown, ""
    still_working()
    try:
        page = pdf[shown.number - 1]
        try:
            width, height = page.get_size()
            scale = scale_for(width, height)
            image = page.render(scale=scale).to_numpy()
            reading = scans.read_page(image, languages, 72 * scale)
            words = ocr.words_of(reading.lines, scale)
            if reading.turn % 2:
                width, height = height, width
            return Page(shown.number, width, height, words, drawn=False), reading.engine
        finally:
            page.close()
    except Exception as failure:  # noqa: BLE001 - an engine that breaks on a page costs that page
        told = f"page {shown.number} could not be read by OCR: {type(failure).__name__}"
        warnings.append(told)
        return shown, ""


def scale_for(width: float, height: float) -> float:
    """Pixels to a point at which a page is looked at; of a long receipt, its width counts."""
    short, long = sorted((max(width, 1.0), max(height, 1.0)))
    scale = ocr.LONGEST_SIDE / min(long, _LONG * short)
    return min(scale, _SHARPEST, _MOST_PIXELS / long)


def _page(pdf: Any, number: int, warnings: list[str]) -> tuple[Page, bool]:
    """The words of a page, and whether it is an image with hardly any words."""
    import pypdfium2

    nothing = Page(number=number, width=1.0, height=1.0, words=[])
    try:
        page = pdf[number - 1]
    except pypdfium2.PdfiumError:
        warnings.append(f"page {number} is damaged")
        return nothing, False
    try:
        text = page.get_textpage()
        try:
            found = PageWords(pypdfium2.raw, page, text)
            words = found.read()
        finally:
            text.close()
        if found.cut:
            warnings.append(f"page {number} has too many characters; the rest is left out")
        shown = Page(number=number, width=found.width, height=found.height, words=words)
        return shown, is_image(pypdfium2.raw, page, shown)
    except pypdfium2.PdfiumError:
        warnings.append(f"page {number} is damaged")
        return nothing, False
    finally:
        page.close()


def _outline(pdf: Any) -> list[Entry]:
    """The table of contents that the file carries for its reader's side bar."""
    entries: list[Entry] = []
    try:
        for bookmark in pdf.get_toc(max_depth=6):
            target = bookmark.get_dest()
            page = target.get_index() if target else None
            if (title := one_line(bookmark.get_title())) and page is not None:
                entries.append(Entry(title, min(bookmark.level + 1, 6), page + 1))
            if len(entries) >= _MOST_ENTRIES:
                break
    except (RuntimeError, UnicodeError, ValueError):
        return entries  # a broken outline costs nothing but itself
    return entries


def _labels(pdf: Any) -> str:
    """What the pages are called in print, where the file says so."""
    try:
        labels = [one_line(pdf.get_page_label(page)) for page in range(len(pdf))]
    except (RuntimeError, UnicodeError, ValueError):
        return ""  # broken labels cost nothing but themselves
    return packed_labels(labels, LONGEST_LIST)


def _metadata(pdf: Any) -> dict[str, str]:
    try:
        said: dict[str, str] = pdf.get_metadata_dict(skip_empty=True)
    except (RuntimeError, UnicodeError):
        return {}
    metadata = {
        "author": said.get("Author", ""),
        "tags": said.get("Keywords", ""),
        "description": said.get("Subject", ""),
    }
    title = one_line(said.get("Title", ""))
    if len(title) > 3 and not _NO_TITLE.match(title):
        metadata["title"] = title
    if date := _DATE.match(said.get("CreationDate", "") or said.get("ModDate", "")):
        metadata["date"] = "-".join(part for part in date.groups() if part)
    if doi := _DOI.search(" ".join(said.values())[:5000]):
        metadata["doi"] = doi.group()
    return metadata
