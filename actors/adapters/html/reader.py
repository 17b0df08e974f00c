"""Reads web pages: their main part by trafilatura, without menus, banners and footers.

What trafilatura calls a paragraph, list or table becomes a block; what it loses in the middle of that is
put back. Where it finds nothing, the page without its menus and banners is taken.
"""

import contextlib
import logging
import re
from collections.abc import Iterator
from copy import deepcopy
from itertools import pairwise
from typing import Any

from actors.adapters.decoding import decode_page
from actors.adapters.draft import Draft, one_line
from actors.adapters.formulas import write_formulas
from actors.adapters.html.hidden import is_hidden
from actors.adapters.html.page_asides import drop_asides
from actors.adapters.html.page_center import cut_back, is_elsewhere, zones_of
from actors.adapters.html.page_choice import agreed
from actors.adapters.html.page_chrome import drop_chrome, drop_sure_chrome
from actors.adapters.html.page_layout import as_seen
from actors.adapters.html.page_mending import letters_of, mended
from actors.adapters.html.page_sections import drop_foreign_sections
from actors.adapters.html.seen import SeenPage, pour_table
from actors.adapters.html.seen_tree import SeenTree
from actors.ports import Parsed
from actors.webpages.structured_data import described_texts

MEDIA_TYPE = "text/html"
_MAIN_PART_UP_TO = 5_000_000
"""Characters; a larger page is an export or a dump, and all of it is its main part."""

_LITTLE, _FEW = 200, 600
"""Weight of a text that may be a leftover and not a main part, and of one that may be an opening."""

_JAPANESE = re.compile("[\u3041-\u30ff\u3400-\u9fff]")
_META = {
    "author": "author",
    "citation_author": "author",
    "dc.creator": "author",
    "dcterms.creator": "author",
    "date": "date",
    "citation_publication_date": "date",
    "citation_date": "date",
    "dc.date": "date",
    "dcterms.issued": "date",
    "article:published_time": "date",
    "citation_doi": "doi",
    "dc.identifier": "doi",
    "description": "description",
    "og:description": "description",
    "citation_language": "language",
    "og:url": "url",
    "og:site_name": "site",
}
_DOI = re.compile(r"10\.\d{4,9}/\S{1,200}")
_XML_DECLARATION = re.compile(r"\A\s*+<\?xml[^>]{0,200}\?>")
_BLOCKS = ("p", "div", "li", "td", "th", "dt", "dd", "h1", "h2", "h3", "h4", "h5", "h6", "br")
_MANY = 3_000
_SECTIONS = 2
"""Headings of the highest level, none of which can stand over the page."""

_SEVERAL = 3
"""Headings amid the words of a block that are no chance."""

_SHORTEST = 12
"""Letters from which a text is found within another by more than chance."""

_NO_SIZE = re.compile(r"(?:^|;)font-size:0(?:px|em|rem|pt|%)?(?:;|!|$)")
_PERMALINKS = {"#", "¶", "§", "🔗", ""}
_MARKS_OF_PLACES = frozenset("#¶§🔗")
_MARKS = {"head", "p", "list", "table", "code", "quote", "item", "row", "cell", "div"}


def parse_html(name: str, raw: bytes) -> Parsed:
    """The main part of a page, and what the page says of itself."""
    page = _XML_DECLARATION.sub("", decode_page(name, raw), count=1)
    if len(page) > _MAIN_PART_UP_TO:
        return whole_page(name, page)
    tree = _tree(page)
    if tree is None:
        return whole_page(name, page)
    named = one_line(tree.findtext(".//title") or "")
    return _called(named, _read(name, page, tree))


def _read(name: str, page: str, tree: Any) -> Parsed:
    told = described_texts(page)
    metadata = _metadata(tree)
    _prepare(tree)
    as_seen(tree)
    drop_sure_chrome(tree)
    drop_foreign_sections(tree)
    drop_asides(tree)
    around = deepcopy(tree)
    drop_chrome(around)
    zones = zones_of(tree, around)
    bare = _seen(name, around, metadata)
    main = main_part(name, tree, metadata, bare.title)
    if main is None or _weight(main.text) < _FEW:
        main = _discussion(name, page, main) or main
    if main is None or _lost(main, bare) or is_elsewhere(main, zones):
        seen = cut_back(name, bare, zones) if _weight(bare.text) else _all_of(name, page)
        seen = seen.model_copy(update={"metadata": metadata})
        return agreed(name, seen, seen, told)
    return agreed(name, mended(name, cut_back(name, main, zones), bare), bare, told)


def _called(named: str, page: Parsed) -> Parsed:
    """A page with its sections for headings of the highest level is called what it calls itself, not like the first."""
    tops = [block for block in page.blocks if block.kind == "heading" and block.level == 1]
    if len(tops) < _SECTIONS or not named or letters_of(page.title) in letters_of(named):
        return page
    return page.model_copy(update={"title": named})


def whole_page(name: str, page: str) -> Parsed:
    """Everything that a reader would see of a page."""
    draft = Draft(name)
    seen = SeenPage(draft)
    seen.read(page)
    return draft.parsed(MEDIA_TYPE, None if draft.titled else seen.title)


def _all_of(name: str, page: str) -> Parsed:
    """A page with its menus and banners, where there is nothing else on it."""
    tree = _tree(page)
    _prepare(tree)
    return _seen(name, tree, {})


def _discussion(name: str, page: str, main: Parsed | None) -> Parsed | None:
    """A page on which nothing much is said but in remarks: they are its text."""
    tree = _tree(page)
    _prepare(tree)
    as_seen(tree)
    drop_sure_chrome(tree)
    drop_foreign_sections(tree, remarks=False)
    metadata: dict[str, str] = {}
    talk = main_part(name, tree, metadata, main.title if main else "", include_comments=True)
    if talk is None or _weight(talk.text) < max(_FEW, 3 * _weight(main.text if main else "")):
        return None
    return talk.model_copy(update={"metadata": main.metadata if main else metadata})


def _seen(name: str, tree: Any, metadata: dict[str, str]) -> Parsed:
    """What a reader sees of a tree."""
    draft = Draft(name)
    seen = SeenTree(draft)
    seen.read_tree(tree)
    return draft.parsed(MEDIA_TYPE, None if draft.titled else seen.title, metadata)


def _lost(main: Parsed, bare: Parsed) -> bool:
    """Whether the main part was not found, or its structure was not."""
    here, there = _weight(main.text), _weight(bare.text)
    one_block = len(main.blocks) == 1 and len(bare.blocks) > 1
    if _runs_sections_together(main, bare):
        return True
    if here < _LITTLE:
        return there > here or (one_block and letters_of(main.text) in letters_of(bare.text))
    # By their letters: a table's lines would make the same words half as long again.
    said, seen = (_weight(letters_of(each.text)) for each in (main, bare))
    return one_block and 0.3 * said < seen < 1.2 * said


def _runs_sections_together(main: Parsed, bare: Parsed) -> bool:
    """Whether headings and what stands under them came as words of one block: sections within items of a list do."""
    if len(bare.blocks) > _MANY:
        return False
    long = [
        letters
        for block in main.blocks
        if block.kind in {"list", "paragraph"}
        and block.end - block.start > _FEW
        and (letters := letters_of(main.text[block.start : block.end]))
    ]
    swallowed = 0
    for heading, below in pairwise(bare.blocks):
        if heading.kind == "heading" and below.kind != "heading":
            said = letters_of(bare.text[below.start : below.end])[:_SHORTEST]
            run = letters_of(heading.title) + said
            swallowed += len(said) == _SHORTEST and any(run in each for each in long)
    return swallowed >= _SEVERAL


def _weight(text: str) -> float:
    """Characters, of which a Japanese one says more than a letter."""
    japanese = len(_JAPANESE.findall(text))
    return len(text) + 1.5 * japanese


def _tree(page: str) -> Any:
    import trafilatura

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    logging.getLogger("htmldate").setLevel(logging.CRITICAL)
    return trafilatura.load_html(page)


def main_part(
    name: str, tree: Any, metadata: dict[str, str], title: str, **options: Any
) -> Parsed | None:
    """What trafilatura takes for the main part, as blocks; it may change the tree."""
    import trafilatura

    settings: dict[str, Any] = {
        # Its second readers compare every block with every other.
        "fast": sum(1 for _ in tree.iter(*_BLOCKS)) > _MANY,
        "with_metadata": True,
        "include_comments": False,
        "include_formatting": True,
        # A date that only stands somewhere in the text is not the page's own.
        "date_extraction_params": {"original_date": True, "extensive_search": False},
    }
    found: Any = trafilatura.bare_extraction(tree, **settings | options)
    if found is None:
        return None
    for key in ("author", "date"):
        if value := getattr(found, key, None):
            metadata.setdefault(key, one_line(str(value)))
    draft = Draft(name)
    _pour(found.body, draft)
    if found.commentsbody is not None:
        _pour_remarks(name, found.commentsbody, draft)
    heading = None if draft.titled else str(found.title or "") or title
    return draft.parsed(MEDIA_TYPE, heading, metadata)


def _metadata(tree: Any) -> dict[str, str]:
    said: dict[str, str] = {}
    for element in tree.iter("meta"):
        key = _META.get((element.get("name") or element.get("property") or "").casefold())
        value = one_line(element.get("content") or "")
        if key == "doi":
            doi = _DOI.search(value)
            value = doi.group() if doi else ""
        if key == "author" and key in said and value and value not in said[key]:
            said[key] += "; " + value
        elif key and value:
            said.setdefault(key, value)
    if language := one_line(
        tree.get("lang") or tree.get("{http://www.w3.org/XML/1998/namespace}lang") or ""
    ):
        said.setdefault("language", language)
    return said


def _prepare(tree: Any) -> None:
    """Take out what no reader sees, and mark as code what is set as code."""
    _reveal(tree)
    write_formulas(tree)
    hidden = [
        element
        for element in tree.iter()
        if isinstance(element.tag, str) and element.tag not in {"html", "body"}
        if element.tag in {"rt", "rp", "rtc"}
        or is_hidden(element.attrib.items())
        or _too_small(element)
    ]
    for element in hidden:
        with contextlib.suppress(AssertionError):  # it went with its parent
            element.drop_tree()
    for element in list(tree.iter("ruby", "rb")):
        element.drop_tag()  # Without its reading it is a word like every other.
    for heading in list(tree.iter(*(f"h{level}" for level in range(1, 7)))):
        for link in heading.findall(".//a"):
            if "".join(link.itertext()).strip() in _PERMALINKS:
                link.drop_tree()
    for link in list(tree.iter("a")):
        # The mark by which manuals link to the very line that it stands in.
        leads_here = (link.get("href") or "").startswith("#")
        if leads_here and "".join(link.itertext()).strip() in _MARKS_OF_PLACES:
            link.drop_tree()
    for element in list(tree.iter("pre")):
        if element.find(".//code") is None:
            text = "".join(element.itertext())
            for child in list(element):
                element.remove(child)
            code = element.makeelement("code")
            code.text, element.text = text, None
            element.append(code)


def _reveal(tree: Any) -> None:
    """Dialogs hide the page behind them from readers aloud, as long as they are open."""
    around: set[Any] = set()
    for held in tree.iter("main", "h1"):
        for above in held.iterancestors():
            if above in around:
                break
            around.add(above)
            above.attrib.pop("aria-hidden", None)


def _too_small(element: Any) -> bool:
    """Whether letters have no size; around others of their own size that is done to close gaps."""
    if not _NO_SIZE.search((element.get("style") or "").casefold().replace(" ", "")):
        return False
    return not any("font" in (each.get("style") or "") for each in element.iterdescendants())


# -- trafilatura's own elements --------------------------------------------------------------------


def _pour(body: Any, draft: Draft) -> None:
    """The elements of an extracted page, as blocks."""
    loose: list[str] = [body.text or ""]
    for element in body:
        if element.tag in _MARKS:
            _loose(loose, draft)
            _block(element, draft)
            loose.append(element.tail or "")
        else:
            loose += [_words(element), element.tail or ""]
    _loose(loose, draft)


def _pour_remarks(name: str, remarks: Any, draft: Draft) -> None:
    """Remarks behind a text, without those that were taken for a part of it."""
    said = Draft(name)
    _pour(remarks, said)
    if not said.length:
        return
    before, text = draft.parsed(MEDIA_TYPE), said.parsed(MEDIA_TYPE)
    blocks = {letters_of(before.text[block.start : block.end]) for block in before.blocks}
    known = letters_of(before.text) if len(text.blocks) <= _MANY else ""
    for block in text.blocks:
        letters = letters_of(text.text[block.start : block.end])
        within = len(letters) >= _SHORTEST and letters in known
        if letters and letters not in blocks and not within:
            draft.passage(text.text, [block])


def _loose(pieces: list[str], draft: Draft) -> None:
    """Text between blocks is a paragraph."""
    draft.paragraph(" ".join("".join(pieces).split()))
    pieces.clear()


def _block(element: Any, draft: Draft) -> None:
    match element.tag:
        case "head":
            rend = element.get("rend") or "h2"
            draft.heading(int(rend[1]) if rend[1:2].isdigit() else 2, _words(element))
        case "list":
            draft.items(_items(element, 0, numbered=element.get("rend") == "ol"))
        case "table":
            pour_table(
                [[_words(cell) for cell in row.iter("cell")] for row in element.iter("row")], draft
            )
        case "code":
            draft.code("".join(element.itertext()))
        case _ if any(child.tag in _MARKS and child.tag != "code" for child in element):
            _pour(element, draft)
        case _ if any("\n" in (child.text or "") for child in element if child.tag == "code"):
            _pour(element, draft)
        case _:
            draft.paragraph(_words(element))


def _items(element: Any, depth: int, *, numbered: bool) -> Iterator[str]:
    number = 0
    for item in element:
        if item.tag != "item":
            continue
        number += 1
        mark = f"{number}." if numbered else "-"
        nested = [child for child in item if child.tag == "list"]
        if words := _words(item, without="list"):
            yield "  " * min(depth, 8) + f"{mark} {words}"
        for child in nested:
            yield from _items(child, depth + 1, numbered=child.get("rend") == "ol")


def _words(element: Any, without: str = "") -> str:
    """The words of an element; what is bold or linked is not marked."""
    return " ".join("".join(_texts(element, without)).split())


def _texts(element: Any, without: str) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if child.tag == "lb":
            yield " "
        elif child.tag != without and isinstance(child.tag, str):
            if child.tag in _MARKS and child.tag != "code":
                yield " "
            yield from _texts(child, without)
            if child.tag in _MARKS and child.tag != "code":
                yield " "
        yield child.tail or ""
