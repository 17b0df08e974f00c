"""Text as the labelled sets need it: read, brought to one form, cut, taken from pages."""

import gzip
import re
import unicodedata
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

JAPANESE = re.compile("[ぁ-んァ-ヶ一-龥]")
"""One Japanese letter."""

_BETWEEN_JAPANESE = re.compile("(?<=[ぁ-んァ-ヶ一-龥、。ー]) (?=[ぁ-んァ-ヶ一-龥、。ー])")
_SENTENCE_END = re.compile(r'(?<=[.!?])\s+(?=[A-Z"(\[])')


def words_of(text: str) -> str:
    """Only the words, in small letters: what two texts have in common when they say the same."""
    return re.sub(r"[\W_]+", " ", unicodedata.normalize("NFKC", text).lower()).strip()


def squeezed(text: str) -> str:
    """With one blank where there was white space."""
    return re.sub(r"\s+", " ", text).strip()


def joined(text: str) -> str:
    """Japanese without the blanks that the ends of lines left."""
    return _BETWEEN_JAPANESE.sub("", squeezed(text))


def letters(text: str) -> int:
    """How many letters are Japanese."""
    return len(JAPANESE.findall(text))


def cut(text: str, most: int) -> str:
    """No longer than that, and cut at the end of a sentence where one is near."""
    if len(text) <= most:
        return text
    end = max(text.rfind(". ", 0, most), text.rfind("。", 0, most))
    return text[: end + 1] if end > most // 2 else text[:most]


def sentences(text: str) -> list[str]:
    """The sentences of English text."""
    return [each for each in _SENTENCE_END.split(text) if each]


def read(path: Path) -> str:
    """The text of a file that may be packed, and may be older than UTF-8."""
    raw = path.read_bytes()
    if path.suffix == ".gz":
        raw = gzip.decompress(raw)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def in_order(paths: Iterable[Path]) -> list[Path]:
    """Files by the letters of their paths, so that every run meets them in the same order."""
    return sorted(paths, key=str)


class Section(NamedTuple):
    """A heading of a page and the text up to the next one."""

    heading: str
    text: str


class _Sections(HTMLParser):
    """Collects the sections of a page; what stands before its first heading comes first."""

    LEFT_OUT = frozenset({"script", "style", "nav", "head", "footer"})
    OPENS_A_LINE = frozenset(
        {
            *("p", "li", "div", "tr", "br", "dd", "dt", "pre", "td", "ul", "ol"),
            *("table", "blockquote"),
        }
    )
    ENDS_A_LINE = frozenset({"p", "li", "div", "tr", "pre"})

    def __init__(self, *, terms: bool) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, list[str]]] = [("", [])]
        self._terms = terms
        self._within: str | None = None
        self._heading: list[str] = []
        self._left_out = 0
        self._anchor = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a heading, a line, or a part that is left out."""
        if tag in self.LEFT_OUT:
            self._left_out += 1
        elif tag == "a" and "headerlink" in (dict(attrs).get("class") or ""):
            self._anchor = True
        elif re.fullmatch("h[1-6]", tag) or (self._terms and tag == "dt"):
            self._within, self._heading = tag, []
        elif self._within is None and tag in self.OPENS_A_LINE:
            self.found[-1][1].append("\n")

    def handle_endtag(self, tag: str) -> None:
        """End it."""
        if tag in self.LEFT_OUT:
            self._left_out = max(0, self._left_out - 1)
        elif tag == "a":
            self._anchor = False
        elif self._within and tag == self._within:
            self.found.append((squeezed("".join(self._heading)), []))
            self._within = None
        elif self._within is None and tag in self.ENDS_A_LINE:
            self.found[-1][1].append("\n")

    def handle_data(self, data: str) -> None:
        """Keep what is said."""
        if not self._left_out and not self._anchor:
            (self._heading if self._within else self.found[-1][1]).append(data)


def sections(path: Path, *, terms: bool = False) -> list[Section]:
    """The sections of an HTML page that have a heading; a defined term counts as one if told so."""
    reader = _Sections(terms=terms)
    reader.feed(read(path))
    return [
        Section(heading.replace("¶", "").strip(), squeezed("".join(text)))
        for heading, text in reader.found[1:]
    ]
