"""Which reference a document is: matched by DOI, by title, or by the name of its file.

References are CSL-JSON items, whatever format they came in. A wrong citation is worse than none, so
a match needs one strong sign, and the strongest sign decides.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import PurePath
from typing import Any

from pydantic import BaseModel, ConfigDict

from events.codec import canonical, decode

ALIKE = 0.9
"""How alike two titles must be to be taken for one."""

TOO_SHORT = 8
"""Letters of a title that say nothing about which document it is; of Japanese or Chinese, half."""

LARGE_LINES = "large_lines"
"""The metadata of a document with what stands out on its first page, parted by ` | `."""

OTHERS = {"literal": "others"}
"""The last of names that are not all told, as BibTeX and those who read it write it."""

UNPARTED = {"parse-names": False}
"""What CSL says of a name whose family name is one, whatever small words it begins with."""

LONGEST_VALUE = 2_000
LONGEST_ITEM = 16_000
"""Characters of an item that are kept with its document."""

_DOI = re.compile(r"10\.\d{4,9}/\S{1,300}")
_ARXIV = re.compile(
    r"(?i)(?:arxiv(?:\.org/(?:abs|pdf|html)/|[:.]\s*)|\babs/)"
    r"(\d{4}\.\d{4,5}|[a-z-]{2,12}(?:\.[a-z]{2})?/\d{7})(?!\d)"
)
_TAG = re.compile(r"(?i)</?(?:i|b|em|strong|sc|sup|sub|span)(?:\s[^<>]{0,100})?>")
_YEAR = re.compile(r"(?<!\d)(1[4-9]\d\d|20\d\d)(?!\d)")
_SUBTITLE = re.compile(r"[:–—?!.]\s|[\uff1a\uff1f\uff01\u3002\u2015\u2500\u301c\uff5e]")
"""What a subtitle stands behind; Japanese has marks of its own, with no blank behind them."""

_CANDIDATES = 20
_LEFT_OUT = frozenset({"abstract", "note", "annote", "custom", "references", "source"})
"""Fields that no style prints and that can be as long as a page."""


class Reference(BaseModel):
    """One entry of a list of references."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    citekey: str
    item: dict[str, Any]
    """As CSL-JSON has it; its id is the citekey."""

    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    """Names of the files that its list says belong to it."""

    @property
    def title(self) -> str:
        """Its title, or nothing."""
        return without_tags(text_of(self.item.get("title")))

    @property
    def doi(self) -> str:
        """Its DOI, as it is compared, or nothing."""
        return doi_of(text_of(self.item.get("DOI")))

    @property
    def arxiv(self) -> str:
        """Its number in the arXiv, or nothing."""
        said = (self.item.get(name) for name in ("number", "DOI", "URL", "volume", "note"))
        return next((found for each in said if (found := arxiv_of(text_of(each)))), "")

    @property
    def year(self) -> str:
        """The year it was issued, or nothing."""
        return year_in(self.item.get("issued"))

    @property
    def authors(self) -> tuple[str, ...]:
        """Its authors, family name first; its editors where it has no authors."""
        people = self.item.get("author") or self.item.get("editor") or []
        named = (
            [each for each in people if not are_others(each)] if isinstance(people, list) else []
        )
        return tuple(filter(None, map(_name, named)))

    def metadata(self) -> dict[str, str]:
        """What a document says of itself once it is known to be this reference."""
        said = {
            "citekey": self.citekey,
            "doi": doi_in(text_of(self.item.get("DOI"))),
            "year": self.year,
            "authors": "; ".join(self.authors)[:LONGEST_VALUE],
            "title": self.title[:LONGEST_VALUE],
            "language": text_of(self.item.get("language"))[:40],
            "csl": packed(self.item),
        }
        return {name: value for name, value in said.items() if value}


def same_work(one: Reference, other: Reference) -> bool:
    """Whether two references with one key mean the same: by their DOIs, else by their titles."""
    if one.doi and other.doi:
        return one.doi == other.doi
    return plain(one.title) == plain(other.title)


def packed(item: Mapping[str, Any]) -> str:
    """An item as a line that can be kept with a document: without what no style prints."""
    kept = {name: value for name, value in item.items() if name not in _LEFT_OUT}
    line = canonical(kept).decode()
    if len(line) > LONGEST_ITEM:
        plain = (str, int)
        line = canonical(
            {
                name: value[:LONGEST_VALUE] if isinstance(value, str) else value
                for name, value in kept.items()
                if isinstance(value, plain)
            }
        ).decode()
    return line if len(line) <= LONGEST_ITEM else ""


class Bibliography:
    """A list of references that documents are looked up in."""

    def __init__(self, references: Sequence[Reference]) -> None:
        self.references = tuple(references)
        self._by_doi: dict[str, Reference] = {}
        self._by_arxiv: dict[str, Reference] = {}
        self._by_key: dict[str, Reference] = {}
        self._by_title: dict[str, Reference] = {}
        self._by_name: dict[str, Reference] = {}
        self._by_word: dict[str, list[Reference]] = defaultdict(list)
        for each in self.references:
            self._enter(each)

    @classmethod
    def of(cls, raw: bytes) -> "Bibliography":
        """As `packed_list` wrote it."""
        return cls([Reference.model_validate(each) for each in decode(raw)])

    def packed_list(self) -> bytes:
        """For a job's order."""
        return canonical([each.model_dump(mode="json") for each in self.references])

    def _enter(self, reference: Reference) -> None:
        # The first of two that are the same counts, so that the order of the list decides.
        self._by_key.setdefault(reference.citekey, reference)
        if reference.doi:
            self._by_doi.setdefault(reference.doi, reference)
        if reference.arxiv:
            self._by_arxiv.setdefault(reference.arxiv, reference)
        title = plain(reference.title)
        if title:
            self._by_title.setdefault(title, reference)
            for word in set(title.split()):
                self._by_word[word].append(reference)
        names = [reference.citekey, *map(_stem, reference.files)]
        if reference.doi:
            names.append(reference.doi)
        for name in filter(None, map(squeezed, names)):
            self._by_name.setdefault(name, reference)

    def match(self, name: str, title: str, metadata: Mapping[str, str]) -> Reference | None:
        """The reference that a document is, by what it is called and says of itself."""
        known = self._by_key.get(metadata.get("citekey", ""))
        if known and plain(known.title) == plain(title):
            return known
        by_doi = self._by_doi.get(doi_of(metadata.get("doi", "")))
        by_title = self._titled(title) or self._titled(metadata.get("title", ""))
        by_doi = by_doi or self._by_arxiv.get(_arxiv_of_file(name, metadata))
        if by_doi and by_title and by_doi is not by_title:
            # A DOI on the first page may be that of a paper it speaks of.
            return by_doi if likeness(title, by_doi.title) > 0.5 else by_title
        return by_doi or by_title or self._named(name) or self._shown(metadata)

    def _shown(self, metadata: Mapping[str, str]) -> Reference | None:
        """By what stands in large letters on the first page, where a file's own title is another."""
        for line in metadata.get(LARGE_LINES, "").split(" | "):
            wanted = plain(line)
            if _weight(wanted) >= 2 * TOO_SHORT and (found := self._titled(line)):
                return found
        return None

    def _titled(self, title: str) -> Reference | None:
        wanted = plain(title)
        if _weight(wanted) < TOO_SHORT:
            return None
        if wanted in self._by_title:
            return self._by_title[wanted]
        shared: Counter[str] = Counter()
        by_key: dict[str, Reference] = {}
        for word in set(wanted.split()):
            here = self._by_word.get(word, [])
            if len(here) > 2_000:
                continue  # A word of every title tells nothing.
            for reference in here:
                shared[reference.citekey] += 1
                by_key[reference.citekey] = reference
        best: tuple[float, Reference] | None = None
        for citekey, _ in shared.most_common(_CANDIDATES):
            alike = likeness(title, by_key[citekey].title)
            if alike >= ALIKE and (best is None or alike > best[0]):
                best = alike, by_key[citekey]
        return best[1] if best else None

    def _named(self, name: str) -> Reference | None:
        stem = _stem(name)
        if found := self._by_name.get(squeezed(stem)):
            return found
        if found := self._titled(stem):
            return found
        return self._author_year_title(stem)

    def _author_year_title(self, stem: str) -> Reference | None:
        """Files called `Author - 2005 - Title that may be cut o.pdf`, as reference managers do."""
        year = _YEAR.search(stem)
        if year is None:
            return None
        people, rest = plain(stem[: year.start()]).split(), plain(stem[year.end() :])
        if not people or _weight(rest) < TOO_SHORT:
            return None
        fitting = {
            each.citekey: each
            for word in set(rest.split())
            for each in self._by_word.get(word, ())[:2_000]
            if each.year == year.group()
            and plain(each.title).startswith(rest)
            and any(plain(author.partition(",")[0]) in " ".join(people) for author in each.authors)
        }
        return next(iter(fitting.values())) if len(fitting) == 1 else None


# -- how things are compared -----------------------------------------------------------------------


def likeness(one: str, other: str) -> float:
    """How alike two titles are, 0 to 1; a title is like itself with its subtitle."""
    first, second = plain(one), plain(other)
    if not first or not second:
        return 0.0
    if first == second:
        return 1.0
    mains = {
        plain(title[: part.start()]) for title in (one, other) for part in _SUBTITLE.finditer(title)
    }
    short, long = sorted((first, second), key=len)
    if short in mains and _weight(short) >= 2 * TOO_SHORT and long.startswith(f"{short} "):
        return 0.95
    # Numbers tell the parts of a series apart that are alike in all else.
    if re.findall(r"\d+", first) != re.findall(r"\d+", second):
        return 0.0
    return SequenceMatcher(None, first, second, autojunk=False).ratio()


def plain(text: str) -> str:
    """The words of a title: no accents, marks or capitals."""
    parted = unicodedata.normalize("NFKD", text[:LONGEST_VALUE])
    letters = (letter for letter in parted if not unicodedata.combining(letter))
    return " ".join(re.findall(r"\w+", "".join(letters).casefold().replace("_", " ")))


def _weight(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def squeezed(text: str) -> str:
    """A name without all that differs between a key and a file's name."""
    return "".join(plain(text).split())


def arxiv_of(text: str) -> str:
    """A number in the arXiv without its version, however it is written, or nothing."""
    found = _ARXIV.search(text[:LONGEST_VALUE])
    return found.group(1).casefold() if found else ""


def without_tags(title: str) -> str:
    """A title without the marks that CSL allows in it."""
    return _TAG.sub("", title) if "<" in title else title


def doi_of(text: str) -> str:
    """A DOI however it is written, as it is compared, or nothing."""
    return doi_in(text).casefold()


def doi_in(text: str) -> str:
    """A DOI as it stands in a text, or nothing."""
    found = _DOI.search(text[:LONGEST_VALUE])
    if found is None:
        return ""
    doi = found.group().rstrip(".,;]}>\"'")
    while doi.endswith(")") and doi.count(")") > doi.count("("):
        doi = doi[:-1].rstrip(".,;]}>\"'")
    return doi


def year_in(issued: Any) -> str:
    """The year of a CSL date, however it is written."""
    if isinstance(issued, Mapping):
        parts = issued.get("date-parts")
        if isinstance(parts, list) and parts and isinstance(parts[0], list) and parts[0]:
            return _year_of_parts(parts[0][0])
        return year_in(issued.get("raw") or issued.get("literal") or "")
    found = _YEAR.search(str(issued or "")[:200])
    return found.group() if found else ""


def _year_of_parts(first: Any) -> str:
    """The year that a CSL date begins with; also one that no text would be searched for."""
    said = str(first).strip()
    bare = said.removeprefix("-")
    if bare.isascii() and bare.isdecimal() and len(bare) <= 4 and int(bare):
        return str(int(said))
    return year_in(said)


def text_of(value: Any) -> str:
    """A value that ought to be a text."""
    if isinstance(value, str):
        return " ".join(value[: LONGEST_VALUE * 4].split())
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def is_unparted(person: Mapping[str, Any]) -> bool:
    """Whether somebody said that a family name is one, and no particle of it stands apart: `{von Neumann}`."""
    return person.get("parse-names") is False and not any(
        person.get(f"{kind}-particle") for kind in ("non-dropping", "dropping")
    )


def are_others(person: Any) -> bool:
    """Whether a name only says that there are more than are named: styles print et al. for it."""
    if not isinstance(person, Mapping) or person.get("given"):
        return False
    named = text_of(person.get("literal") or person.get("family"))
    return named.casefold() == OTHERS["literal"]


def _arxiv_of_file(name: str, metadata: Mapping[str, str]) -> str:
    said = metadata.get("arxiv", "")
    # Files from there are called by their number alone.
    called = _stem(name) if re.fullmatch(r"\d{4}\.\d{4,5}(?:v\d{1,2})?", _stem(name)) else ""
    return arxiv_of(f"arxiv:{said or called}") if said or called else ""


def _stem(name: str) -> str:
    return PurePath(name.replace("\\", "/")).stem


def name_parts(person: Mapping[str, Any]) -> tuple[str, str]:
    """Family and given name of a person, each with the particle that belongs to it: `van der Berg`, `Ludwig van`."""
    before, behind = (
        text_of(person.get(f"{kind}-particle")) for kind in ("non-dropping", "dropping")
    )
    family, given = text_of(person.get("family")), text_of(person.get("given"))
    return " ".join(filter(None, (before, family))), " ".join(filter(None, (given, behind)))


def _name(person: Any) -> str:
    if not isinstance(person, Mapping):
        return text_of(person)
    if literal := text_of(person.get("literal")):
        return literal
    return ", ".join(filter(None, name_parts(person)))
