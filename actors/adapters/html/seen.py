"""What a reader sees of a page of HTML, block by block, with nothing but the standard library.

Pages whose main part a better reader does not find, and the chapters of books, which are nothing
but main part, are read with this.
"""

from html.parser import HTMLParser

from actors.adapters.draft import Draft, one_line
from actors.adapters.formulas import TAG as FORMULA
from actors.adapters.formulas import Formula, local
from actors.adapters.html.hidden import is_hidden

_UNSEEN = frozenset(
    {
        *("script", "style", "noscript", "template", "svg", "head", "iframe", "object"),
        *("nav", "button", "select", "textarea", "canvas", "audio", "video", "dialog"),
        *("rt", "rp", "rtc"),  # how the characters before them are read aloud
    }
)
_PARAGRAPHS = frozenset(
    {
        *("p", "div", "section", "article", "main", "header", "footer", "aside", "figure", "body"),
        *("figcaption", "blockquote", "dl", "dt", "dd", "form", "address"),
        *("details", "summary", "hr", "center", "fieldset"),
    }
)
_LISTS = frozenset({"ul", "ol"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_ENDS_FORMULAS = _PARAGRAPHS | _LISTS | _HEADINGS | {"li", "pre", "table", "tr", "td", "th"}
"""Of a page that never closes one: it goes on there."""

_VOID = frozenset(
    {"br", "hr", "img", "input", "meta", "link", "wbr", "area", "base", "col", "embed"}
)
_CLOSED_BY_NEXT = frozenset({"p", "li", "dt", "dd", "tr", "td", "th", "option"})
_DEEPEST = 8
_MOST_CELLS = 2_000_000
_MOST_SPANNED = 100_000
"""Cells of a page that belong to a cell beside or above them; beyond these, each stands for itself."""

_WIDEST, _HIGHEST = 1_000, 65_534
"""Columns and rows of a cell, as browsers bound them."""


class SeenPage(HTMLParser):
    """Collects the visible text of a page into a draft."""

    def __init__(self, draft: Draft, page: int | None = None) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self._draft, self._page = draft, page
        self._text: list[str] = []
        self._level = 0
        self._item = ""
        """The mark of the list item being read."""
        self._items: list[str] = []
        self._lists: list[int] = []
        """For each list that is open, the number of its next item; 0 where it has none."""
        self._row: list[str] | None = None
        self._in_cell = False
        self._spans = 1, 1
        """Columns and rows of the cell being read."""
        self._hanging: dict[int, int] = {}
        """By column: how many more rows a cell above reaches down."""
        self._spanned = 0
        self._rows: list[list[str]] = []
        self._literal = False
        self._formula: Formula | None = None
        self._in_title = False
        self._unseen: list[str] = []
        """The element that hides what is being read, once for each time it is open."""

    def read(self, page: str) -> None:
        """Read a whole page."""
        self.feed(page)
        self.close()
        if self._formula:
            self._end_formula(self._formula)
        self._end_code()
        self._end_table()
        self._flush()
        self._end_list()
        self.title = one_line(self.title)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin an element."""
        if self._formula:
            if tag not in _ENDS_FORMULAS:
                self._formula.start(tag, attrs)
                return
            self._end_formula(self._formula)
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
        if tag not in _VOID and (tag in _UNSEEN or is_hidden(attrs)):
            self._unseen.append(tag)
            return
        if local(tag) == FORMULA:
            self._formula = Formula(attrs)
            return
        self._open(tag, attrs)

    def _open(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "br":
            self._text.append("\n" if self._literal else " ")
        elif self._literal:
            return
        elif tag in {"td", "th"} and self._row is not None:
            self._end_cell()
            self._in_cell = True
            self._spans = _span(attrs, "colspan", _WIDEST), _span(attrs, "rowspan", _HIGHEST)
        elif tag == "tr":
            self._end_row()
            self._flush()
            self._row = []
        elif self._row is not None:
            self._text.append(" ")  # blocks within a cell
        elif tag in _LISTS:
            self._flush()
            self._lists.append(1 if tag == "ol" else 0)
        elif tag == "li":
            self._flush()
            self._item = self._mark()
        elif tag in _HEADINGS:
            self._flush()
            self._level = int(tag[1])
        elif tag == "pre":
            self._flush()
            self._literal = True
        elif tag == "table" or tag in _PARAGRAPHS:
            self._flush()

    def handle_endtag(self, tag: str) -> None:
        """End an element."""
        if self._formula:
            block = tag in _ENDS_FORMULAS
            if block or self._formula.end(tag):
                self._end_formula(self._formula)
            if not block:
                return
        if tag == "title":
            self._in_title = False
        if self._unseen:
            if tag == self._unseen[0]:
                self._unseen.pop()
            return
        if tag == "pre":
            self._end_code()
        elif tag == "table":
            self._end_table()
        elif tag == "tr":
            self._end_row()
        elif self._row is not None:
            if tag in {"td", "th"}:
                self._end_cell()
        elif tag in _LISTS:
            self._flush()
            if self._lists:
                self._lists.pop()
            if not self._lists:
                self._end_list()
        elif tag in _PARAGRAPHS or tag == "li" or tag in _HEADINGS:
            self._flush()

    def handle_data(self, data: str) -> None:
        """Take in text."""
        if self._formula:
            self._formula.data(data)
        elif self._in_title:
            self.title = (self.title + data)[:2000]
        elif not self._unseen:
            self._text.append(data)

    def _end_formula(self, formula: Formula) -> None:
        self._text.append(formula.written())
        self._formula = None

    def _mark(self) -> str:
        depth = min(len(self._lists), _DEEPEST)
        mark = "-"
        if self._lists and self._lists[-1]:
            mark = f"{self._lists[-1]}."
            self._lists[-1] += 1
        return "  " * max(depth - 1, 0) + mark + " "

    def _flush(self) -> None:
        if self._literal:
            return
        text = " ".join("".join(self._text).split())
        self._text.clear()
        if text and self._level:
            self._end_list()
            self._draft.heading(self._level, text, self._page)
        elif text and self._item:
            self._items.append(self._item + text)
            self._item = ""
        elif text and self._lists and self._items:
            self._items.append("  " * min(len(self._lists), _DEEPEST) + text)
        elif text:
            self._end_list()
            self._draft.paragraph(text, self._page)
        self._level = 0

    def _end_list(self) -> None:
        items, self._items, self._item = self._items, [], ""
        if items:
            self._draft.items(items, self._page)

    def _end_code(self) -> None:
        if not self._literal:
            return
        code = "".join(self._text)
        self._text.clear()
        self._literal = False
        self._end_list()
        self._draft.code(code, self._page)

    def _end_cell(self) -> None:
        text = " ".join("".join(self._text).split())
        self._text.clear()
        if self._row is not None and (text or self._in_cell):
            self._place(text, self._row)
        self._in_cell = False

    def _place(self, text: str, row: list[str]) -> None:
        """Put a cell under its column: those that reach into its row from above or beside it have their own."""
        while self._hanging.get(len(row), 0) > 0:
            self._hanging[len(row)] -= 1
            row.append("")
        (columns, rows), self._spans = self._spans, (1, 1)
        self._spanned += columns * rows - 1
        if self._spanned > _MOST_SPANNED:
            columns = rows = 1
        for column in range(len(row), len(row) + columns if rows > 1 else 0):
            self._hanging[column] = rows - 1
        row += [text, *[""] * (columns - 1)]

    def _end_row(self) -> None:
        if self._row is None:
            return
        self._end_cell()
        row, self._row = self._row, None
        # Those beside the last cell reach down one row less, too.
        below = ((at, rows - (at >= len(row))) for at, rows in self._hanging.items())
        self._hanging = {at: rows for at, rows in below if rows > 0}
        while row and not row[-1]:
            row.pop()
        if row:
            self._rows.append(row)

    def _end_table(self) -> None:
        self._end_row()
        rows, self._rows = self._rows, []
        self._hanging.clear()
        if rows:
            self._end_list()
            pour_table(rows, self._draft, self._page)


def _span(attributes: list[tuple[str, str | None]], name: str, most: int) -> int:
    said = (dict(attributes).get(name) or "").strip()[:9]
    return min(max(int(said), 1), most) if said.isascii() and said.isdecimal() else 1


def pour_table(rows: list[list[str]], draft: Draft, page: int | None = None) -> None:
    """A table without its empty columns; one of a single column only arranges what stands in it.

    One that would be nearly all blanks, as a very long row among very many makes it, is told row by row.
    """
    filled = sorted({place for row in rows for place, cell in enumerate(row) if cell})
    if len(filled) > 1 and len(filled) * len(rows) <= _MOST_CELLS:
        draft.table(
            ([row[place] if place < len(row) else "" for place in filled] for row in rows), page
        )
        return
    for row in rows:
        draft.paragraph(" ".join(row), page)
