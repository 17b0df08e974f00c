"""Reads what somebody marked and wrote in a file: Markdown whose headings name the pages of that file."""

import re
from collections.abc import Iterator, Sequence

from actors.adapters.markdown import parse_markdown
from actors.ports import Block, Parsed

SUFFIX = ".annotations"
"""Ends the name of such notes: a Markdown file of anybody's may have headings that look like theirs."""

_LEVEL = 2
_PAGE = re.compile(r"Page ([1-9][0-9]{0,5})")
_NO_PAGE = "Without a page"
_LOOKS_LIKE_HEADING = re.compile(r"(?m)^([ \t>]*)(?=#|=+[ \t]*$|-+[ \t]*$)")


def page_heading(page: int | None) -> str:
    """The heading of what stands on a page of the file."""
    return f"{'#' * _LEVEL} " + (f"Page {page}" if page else _NO_PAGE)


def no_heading(text: str) -> str:
    """What a reader wrote, so that none of its lines is taken for a heading of ours."""
    return _LOOKS_LIKE_HEADING.sub(r"\1\\", text)


def parse_annotations(name: str, raw: bytes) -> Parsed:
    """The notes, each block with the page of the file that it is about."""
    parsed = parse_markdown(name, raw)
    return parsed.model_copy(update={"blocks": tuple(_on_pages(parsed.blocks))})


def _on_pages(blocks: Sequence[Block]) -> Iterator[Block]:
    page: int | None = None
    for block in blocks:
        if block.kind == "heading" and block.level == _LEVEL:
            if named := _PAGE.fullmatch(block.title or ""):
                page = int(named[1])
            elif block.title == _NO_PAGE:
                page = None
        yield block.model_copy(update={"page": page})
