"""Reads Markdown with markdown-it-py.

The text of the document is the decoded file itself, so a span in it is a place in the file; the
parser only says which lines belong together and what they are.
"""

import functools
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from actors.adapters.decoding import decode_text
from actors.adapters.draft import document, lines_of, one_line
from actors.adapters.plain import plain_blocks
from actors.ports import Block, Parsed

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

MEDIA_TYPE = "text/markdown"
_TRUE_PARSER_UP_TO = 3_000_000
_MOST_LINES = 60_000
"""A token costs a thousand times the memory of its character: larger files are read by lines."""

_Kind = Literal["paragraph", "list", "table", "code", "aside"]
_KINDS: dict[str, _Kind] = {
    "paragraph_open": "paragraph",
    "blockquote_open": "paragraph",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "dl_open": "list",
    "table_open": "table",
    "fence": "code",
    "code_block": "code",
    "math_block": "code",
    "html_block": "aside",
    "hr": "aside",
    "front_matter": "aside",
    "footnote_block_open": "list",
    "footnote_reference_open": "list",
}
_TAG = re.compile(r"<[^<>]{0,2000}>")
_COMMENT = re.compile(r"\s*<!--")
_YAML_LINE = re.compile(r"([A-Za-z][\w .-]{0,40}?)[ \t]*[:=][ \t]*(\S.{0,1999})")
_YAML_ITEM = re.compile(r"[ \t]*-[ \t]+(\S.{0,500})")
_KNOWN = {
    "title": "title",
    "author": "author",
    "authors": "author",
    "date": "date",
    "published": "date",
    "lang": "language",
    "language": "language",
    "doi": "doi",
    "description": "description",
    "abstract": "description",
    "tags": "tags",
    "keywords": "tags",
    "url": "url",
    "source": "url",
}


def parse_markdown(name: str, raw: bytes) -> Parsed:
    """Headings, paragraphs, lists, tables and code of a Markdown file."""
    text = decode_text(name, raw)
    blocks = markdown_blocks(text)
    metadata = {}
    if blocks and blocks[0].kind == "aside" and text.startswith(("---", "+++")):
        metadata = front_matter(text[: blocks[0].end])
    first = next((block.title for block in blocks if block.kind == "heading"), "")
    title = metadata.get("title") or first
    return document(name, MEDIA_TYPE, text, blocks, title=title, metadata=metadata)


def markdown_blocks(text: str) -> list[Block]:
    """The blocks of a Markdown text, in order and not overlapping."""
    if len(text) > _TRUE_PARSER_UP_TO or text.count("\n") + text.count("\r") > _MOST_LINES:
        return plain_blocks(text)
    lines = list(lines_of(text))
    parser = _parser()
    found: list[Block] = []
    after = 0
    if toml := _toml_front_matter(lines):
        found.append(Block(kind="aside", start=0, end=lines[toml][0] + 3))
        after = toml + 1
    source = "\n" * after + text[lines[after][0] :] if after < len(lines) else ""
    for block in _top_level(parser, parser.parse(source), lines):
        if not found or block.start >= found[-1].end:
            found.append(block)
    return found


@functools.cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt
    from mdit_py_plugins.footnote import footnote_plugin
    from mdit_py_plugins.front_matter import front_matter_plugin

    parser = MarkdownIt("commonmark").enable("table").use(front_matter_plugin).use(footnote_plugin)
    # Which words are bold is nobody's question here, and asking takes most of the time.
    return parser.disable(["inline", "footnote_tail"])


def _top_level(
    parser: "MarkdownIt", tokens: Sequence["Token"], lines: list[tuple[int, str]]
) -> Iterator[Block]:
    """One block for each outermost element; a quotation gives those that are in it."""
    inside = 0
    for place, token in enumerate(tokens):
        if token.nesting < 0 and token.type != "blockquote_close":
            inside -= 1
            continue
        quoting = token.type.startswith("blockquote")
        if inside == 0 and not quoting and token.map:
            yield from _block(parser, token, tokens[place + 1 : place + 2], lines)
        if token.nesting > 0 and not quoting:
            inside += 1


def _block(
    parser: "MarkdownIt",
    token: "Token",
    following: Sequence["Token"],
    lines: list[tuple[int, str]],
) -> Iterator[Block]:
    assert token.map
    first, last = token.map[0], min(token.map[1], len(lines)) - 1
    while last > first and not lines[last][1].strip():
        last -= 1
    while first < last and not lines[first][1].strip():
        first += 1
    start, end = lines[first][0], lines[last][0] + len(lines[last][1].rstrip())
    if start >= end:
        return
    if token.type == "heading_open":
        title = _words(parser, following[0].content if following else "")
        yield Block(kind="heading", start=start, end=end, level=int(token.tag[1]), title=title)
        return
    kind = _KINDS.get(token.type, "paragraph")
    if kind == "aside" and token.type == "html_block" and _has_words(token.content):
        kind = "paragraph"
    if token.type == "front_matter" and ":" not in token.content:
        kind = "paragraph"  # words between two rules
    yield Block(kind=kind, start=start, end=end)


def _has_words(html: str) -> bool:
    """Whether a reader sees text of it, as of a paragraph between tags."""
    if _COMMENT.match(html) or html.lstrip().casefold().startswith(("<script", "<style")):
        return False
    return bool(_TAG.sub("", html).strip())


def _words(parser: "MarkdownIt", markup: str) -> str:
    """The words of a heading, without its markup."""
    if not markup.strip("*_`[]<>&\\!"):
        return one_line(markup)
    if not any(sign in markup for sign in "*_`[]<&\\!"):
        return one_line(markup)
    inline = parser.parseInline(markup[:2000])[0]
    inline.children = []
    parser.inline.parse(inline.content, parser, {}, inline.children)
    seen = (
        child.content if child.type in {"text", "code_inline", "text_special", "image"} else " "
        for child in inline.children
        if child.type != "html_inline" and child.nesting == 0
    )
    return one_line("".join(seen)) or one_line(markup)


def _toml_front_matter(lines: list[tuple[int, str]]) -> int:
    """The line that ends settings between +++ signs, else 0."""
    if lines[0][1].strip() != "+++":
        return 0
    for last in range(1, min(len(lines), 80)):
        if lines[last][1].strip() == "+++":
            return last
    return 0


def front_matter(settings: str) -> dict[str, str]:
    """What a file says of itself in the lines before its text, as far as it is known what it means."""
    said: dict[str, str] = {}
    key: str | None = None
    for line in settings[:20_000].splitlines():
        if pair := _YAML_LINE.match(line):
            key = _KNOWN.get(pair.group(1).casefold())
            value = pair.group(2).strip().strip("[]")
            if key and value:
                said.setdefault(key, ", ".join(part.strip(" \"'") for part in value.split(",")))
        elif line[:1].isalpha():
            key = _KNOWN.get(line.partition(":")[0].strip().casefold())
        elif key and (item := _YAML_ITEM.match(line)):
            value = item.group(1).strip(" \"'")
            said[key] = f"{said[key]}, {value}" if key in said else value
    return said
