"""Makes of a parsed page what a reader sees in it, where its markup says something else.

Tables that only arrange a page are no tables, a page that stands whole in its `noscript` is no remark for
browsers, text beside paragraphs is one, and what a forum says of whoever wrote a post, over and over, is no
part of any post.
"""

import re
from collections import Counter
from itertools import islice
from typing import Any

from actors.adapters.html.page_chrome import sizes_of

_ROWS = frozenset({"table", "thead", "tbody", "tfoot", "tr", "td", "th"})
_HOLDERS = ("td", "div", "dl", "ul", "span", "aside", "section", "p")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_LOOSE = ("div", "section", "article", "td")
_PARAGRAPHS = frozenset({"p", "div", "ul", "ol", "table", "blockquote", "pre"})
_SENTENCE = 25
"""Letters from which text is no label."""

_REMARKS = frozenset(
    {"note", "tip", "hint", "important", "warning", "caution", "danger", "admonition"}
)
_LISTED = 3
"""Terms from which a list of them is taken for one."""

_SENTENCES = ("p", "li", "dd", "td")
_INLINE = frozenset(
    {
        *(
            "a",
            "abbr",
            "acronym",
            "b",
            "br",
            "cite",
            "code",
            "dfn",
            "em",
            "font",
            "i",
            "img",
            "kbd",
        ),
        *("mark", "q", "s", "samp", "small", "span", "strong", "sub", "sup", "time", "tt", "u"),
        *("var", "wbr"),
    }
)
_WORD = re.compile("[^\\W\\d_]{2}|[\u2192\u21d2\u25b8\u25ba\u203a>]")
"""Words, or what leads from one menu to the next: File > Print."""

_LONGEST_WORDS = 60
"""Letters of what is a word or a name in a sentence."""

_LONGEST_HEADING = 60
_MOST_TABLES = 2_000
_MOST_OF_IT = 0.5
"""Share of a page's letters from which its `noscript` is the page."""

_LONGEST_PROFILE = 250
"""Letters of what is said of somebody beside a post."""

_PROFILES = 2
_SINCE = (
    r"\b(?:joined|join date|member since|registered|registriert|mitglied seit|dabei seit|inscrit(?:e|ption)?|registrado"
    r"|registrato|lid geworden|dołączył|регистрация)\b\s*:|(?:登録日?|注册(?:时间|日期)?|가입일?)\s*[:\uff1a]"
)
_BESIDES = (
    r"\b(?:posts?|messages?|location|reputation|likes received|beiträge|wohnort|localisation"
    r"|mensajes|ubicación|messaggi|berichten|posty|сообщения|откуда)\b\s*:|(?:投稿数?|居住地|帖子|게시물)\s*[:\uff1a]"
)
_LABELS = re.compile(f"(?P<since>{_SINCE})|{_BESIDES}", re.I)
"""What forums tell of who wrote a post: since when they are there, and what else."""

_REPLY = re.compile(r"\A(?:(?:re|aw|antw|回复|回覆)\s*[:\uff1a]\s*)+", re.I)
_REPLIES = 2
"""Replies from which their heading says nothing of what stands under it."""


def as_seen(tree: Any) -> None:
    """Change a parsed page into what it is for a reader."""
    _open_noscript(tree)
    _open_layout_tables(tree)
    _open_lists_of_terms(tree)
    _wrap_loose_text(tree)
    _name_paragraphs(tree)
    _keep_words_of_sentences(tree)
    _name_bold_headings(tree)
    _lower_remarks(tree)
    _drop_profiles(tree)
    _drop_repeated_headings(tree)


def _open_noscript(tree: Any) -> None:
    """Some sites serve readers without scripts a whole page in there."""
    remarks = list(tree.iter("noscript"))
    if not remarks:
        return
    elements = [element for element in tree.iter() if isinstance(element.tag, str)]
    sizes = dict(zip(elements, sizes_of(elements), strict=True))
    for remark in remarks:
        if sizes[remark].letters > _MOST_OF_IT * sizes[elements[0]].letters:
            remark.tag = "div"


def _open_layout_tables(tree: Any) -> None:
    tables = list(tree.iter("table"))[:_MOST_TABLES]
    for table in [each for each in tables if _arranges(each)]:
        for part in _own_parts(table):
            part.tag = "div"


def _arranges(table: Any) -> bool:
    """Whether a table only says where on the page something stands."""
    if (table.get("role") or "").casefold() in {"presentation", "none"}:
        return True
    if table.find(".//table") is not None:
        return True
    rows = [part for part in _own_parts(table) if part.tag == "tr"]
    return bool(rows) and all(len(row) < 2 for row in rows)


def _own_parts(table: Any) -> list[Any]:
    """A table with its rows and cells, without those of tables within it."""
    found, waiting = [], [table]
    while waiting:
        part = waiting.pop()
        found.append(part)
        waiting += [child for child in part if child.tag in _ROWS - {"table"}]
    return found


def _open_lists_of_terms(tree: Any) -> None:
    """Terms over paragraphs that explain them are paragraphs, too: readers of main parts keep the latter only."""
    for terms in list(tree.iter("dl")):
        parts = [each for each in terms if each.tag in {"dt", "dd"}]
        named = sum(each.tag == "dt" for each in parts)
        long = [each for each in parts if any(child.tag in _PARAGRAPHS for child in each)]
        if named and (long or named < _LISTED):
            terms.tag = "div"
            for each in parts:
                each.tag = "div" if each in long else "p"


def _wrap_loose_text(tree: Any) -> None:
    """What an element says before its first paragraph is one: `<div>One.<p>Two.</p></div>`."""
    for holder in list(tree.iter(*_LOOSE)):
        opening = (holder.text or "").strip()
        if len(opening) < _SENTENCE or not any(child.tag in _PARAGRAPHS for child in holder):
            continue
        paragraph = holder.makeelement("p")
        paragraph.text, holder.text = opening + " ", None
        for child in list(holder):
            if child.tag in _PARAGRAPHS or not isinstance(child.tag, str):
                break
            paragraph.append(child)
        holder.insert(0, paragraph)


def _name_paragraphs(tree: Any) -> None:
    """A division that holds a sentence and nothing else is a paragraph: readers of main parts would cut it up."""
    for block in list(tree.iter("div")):
        inline = all(each.tag in _INLINE for each in block.iterdescendants())
        if not inline or block.find("br") is not None:
            continue
        own = sum(len("".join((each or "").split())) for each in _own_text(block))
        if own >= _SENTENCE and len(block) and not _arranges_links(block):
            block.tag = "p"


def _own_text(element: Any) -> list[str | None]:
    return [element.text, *(child.tail for child in element)]


def _arranges_links(block: Any) -> bool:
    return sum(_letters_of(link) for link in block.iter("a")) > 0.5 * _letters_of(block)


def _keep_words_of_sentences(tree: Any) -> None:
    """Words amid a sentence are its own, whatever they are called: choose <span class="menu">Print</span>."""
    for block in tree.iter(*_SENTENCES):
        spans = [each for each in block.iter("span") if each.attrib]
        if not spans or any(each.tag not in _INLINE for each in block.iterdescendants()):
            continue
        linked = sum(_letters_of(link) for link in block.iter("a"))
        if _letters_of(block) - linked < _SENTENCE:
            continue
        for span in spans:
            if _is_amid(span, block) and _letters_of(span) <= _LONGEST_WORDS:
                span.attrib.pop("class", None)
                span.attrib.pop("id", None)


def _is_amid(element: Any, block: Any) -> bool:
    """Whether words stand beside an element, and not only others like it."""
    while element is not block:
        above, before = element.getparent(), element.getprevious()
        said = above.text if before is None else before.tail
        if _WORD.search(said or "") or _WORD.search(element.tail or ""):
            return True
        element = above
    return False


def _letters_of(element: Any) -> int:
    return sum(len("".join(piece.split())) for piece in element.itertext())


def _name_bold_headings(tree: Any) -> None:
    """A short bold line over a list is its heading: job boards let nobody write another."""
    level = 1
    for element in list(tree.iter("p", "div", *_HEADINGS)):
        if element.tag in _HEADINGS:
            level = int(element.tag[1])
        elif _is_bold_heading(element):
            element.tag = f"h{min(level + 1, 6)}"


def _is_bold_heading(line: Any) -> bool:
    after = line.getnext()
    if after is None or after.tag not in {"ul", "ol"} or (line.text or "").strip():
        return False
    bold = [child for child in line if child.tag in {"b", "strong"}]
    if len(bold) != 1:
        return False
    rest = [child for child in line if child is not bold[0] and child.tag != "br"]
    loose = any((child.tail or "").strip() for child in line)
    return not rest and not loose and bool(_short_text(line, _LONGEST_HEADING))


def _lower_remarks(tree: Any) -> None:
    """What stands over a remark in a box heads nothing but the box: the next section is not part of it."""
    for heading in list(tree.iter(*_HEADINGS)):
        box = heading.getparent()
        names = (box.get("class") or "").casefold().split() if box is not None else []
        if _REMARKS.intersection(names) and _short_text(heading, _LONGEST_HEADING):
            heading.tag = "p"


def _drop_profiles(tree: Any) -> None:
    """The smallest elements that tell several things of a person, where there are several persons."""
    labels = islice(_LABELS.finditer(" ".join(tree.itertext())), 2 * _PROFILES)
    if len(list(labels)) < 2 * _PROFILES:
        return
    found = {element for element in tree.iter(*_HOLDERS) if _is_profile(element)}
    around = {above for element in found for above in element.iterancestors()}
    profiles = found - around
    for element in profiles if len(profiles) >= _PROFILES else ():
        element.drop_tree()


def _is_profile(element: Any) -> bool:
    labels = list(_LABELS.finditer(_short_text(element, _LONGEST_PROFILE)))
    return any(each["since"] for each in labels) and not all(each["since"] for each in labels)


def _drop_repeated_headings(tree: Any) -> None:
    """Every post of a thread may be headed like the first."""
    headings = [(each, _short_text(each, _LONGEST_PROFILE)) for each in tree.iter(*_HEADINGS)]
    replies = Counter(_REPLY.sub("", said) for _, said in headings if _REPLY.match(said))
    for heading, said in headings:
        subject = _REPLY.sub("", said)
        if subject != said and replies[subject] >= _REPLIES:
            heading.drop_tree()


def _short_text(element: Any, most: int) -> str:
    """What an element says, if that is short; nothing else."""
    pieces: list[str] = []
    room = most
    for piece in element.itertext():
        room -= len("".join(piece.split()))
        if room < 0:
            return ""
        pieces.append(piece)
    return " ".join(" ".join(pieces).split())
