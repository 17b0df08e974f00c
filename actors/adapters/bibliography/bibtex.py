"""Reads BibTeX with pybtex, entry by entry. The only door to pybtex."""

import re
from collections.abc import Iterable, Iterator, Mapping

from actors.adapters.bibliography.bibtex_items import FIELDS, PEOPLE, VERBATIM, item_of
from actors.adapters.bibliography.latex_text import marked, printed
from actors.adapters.bibliography.raw_references import (
    LONGEST_LIST,
    LONGEST_TEXT,
    Found,
    Item,
    RawEntry,
    decoded,
    words_of,
)
from actors.ingesting.references import OTHERS, UNPARTED
from actors.webpages.markup import unescaped

_ENTRY = re.compile(r"(?m)^[ \t]*(?=@[ \t]*[A-Za-z]+[ \t]*[{(])")
_KEYLESS = re.compile(r"@\s*\w+\s*[{(](?=\s*,)")
_NO_KEY = "entry-without-a-key"
_NAMELESS = re.compile(r"(?i)(\A\s*@\s*(?!string\b)\w+\s*[{(])(?=\s*[A-Za-z]+\s*=\s*[{\"\w])")
_SPACED_KEY = re.compile(r"(\A\s*@\s*\w+\s*[{(]\s*)([^\s,={}\"#][^,={}\"#\n]{1,200}?)(?=\s*,)")
_FIELD = re.compile(r"(?:^|[,{}\"\n])[^\S\n]*+([A-Za-z][\w-]{1,30})\s*+=\s*+(?=[{\"\w])")
LONGEST_ENTRY = 200_000
_ONE_LETTER = re.compile(r"\{([^\W\d_][\u0300-\u0331]*)\}")
_EASTERN = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+ [\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+"
)
"""A name whose family comes first without a comma."""

_LABELLED = re.compile(r"(?i)(?:family|given|prefix|suffix)\s*=")
_WORTH_SAVING = frozenset(
    {*FIELDS, *PEOPLE, *VERBATIM, "year", "date", "month", "crossref", "subtitle", "keywords"}
)
_GENERATIONS = 3
_OWN = frozenset(
    {
        *("title", "subtitle", "shorttitle", "doi", "url", "eprint", "file", "pages", "eid"),
        *("abstract", "keywords", "note", "annote", "crossref", "xdata", "ids"),
    }
)
"""What a parent says of itself alone."""

_MORE = re.compile(r"(?i)others|et\.? al\.?")
"""What stands for the names that a list leaves out."""

_NAME_ENDS = frozenset({"jr", "jr.", "sr", "sr.", "ii", "iii", "iv"})
_LONGEST_NAME = 3
"""Parts of a name between commas: family, suffix, given."""


class _Overfull(Exception):
    """More was made of a list than it can rightly hold."""


class _Room:
    """How many letters of values a list may come to: macros and parents repeat what was written once."""

    def __init__(self, text: str) -> None:
        self._left = 4 * len(text) + (1 << 20)

    def take(self, values: Iterable[str]) -> None:
        """Count these values; `_Overfull` when there is no room for them."""
        self._left -= sum(map(len, values))
        if self._left < 0:
            raise _Overfull


def read_bibtex(name: str, raw: bytes, found: Found) -> Iterator[RawEntry]:
    """The entries of a list; what is broken in one is told, and costs no other."""
    text = re.sub(r"\r\n?", "\n", decoded(raw))
    room = _Room(text)
    entries = list(_bibtex_entries(text, found))
    by_key = {key.casefold(): fields for _, key, fields in entries if key}
    for kind, key, fields in entries:
        if kind == "xdata":
            continue
        try:
            inherit(fields, by_key)
            room.take(fields.values())
            entry = _of_bibtex(kind, key, fields)
        except _Overfull:
            found.warn("The rest is left out: what entries take from others makes it too long")
            return
        except Exception as failure:  # noqa: BLE001 - one entry can break its reading in any way
            found.warn(f"BibTeX entry '{key}' is broken: {type(failure).__name__}")
            continue
        yield entry


def inherit(fields: dict[str, str], by_key: Mapping[str, dict[str, str]]) -> None:
    """Take from an entry's parents what it lacks; the title of the first is where it stands."""
    for named in fields.get("xdata", "").split(",")[:_GENERATIONS]:
        for label, value in by_key.get(named.strip().casefold(), {}).items():
            fields.setdefault(label, value)
    own = fields
    for generation in range(_GENERATIONS):
        parent = by_key.get(own.get("crossref", "").strip().casefold())
        if parent is None or parent is fields or parent is own:
            return
        for label in parent.keys() - _OWN:
            fields.setdefault(label, parent[label])
        if generation == 0 and "title" in parent:
            fields.setdefault("booktitle", parent["title"])
            if "subtitle" in parent and fields["booktitle"] == parent["title"]:
                fields.setdefault("booksubtitle", parent["subtitle"])
        own = parent


def _bibtex_entries(text: str, found: Found) -> Iterator[tuple[str, str, dict[str, str]]]:
    from pybtex.database.input.bibtex import LowLevelParser, month_names
    from pybtex.utils import CaseInsensitiveDict

    class Macros(CaseInsensitiveDict):  # type: ignore[misc]
        def __getitem__(self, name: str) -> object:
            # A name that nobody defined is the most that is known of what it stands for.
            return super().__getitem__(name) if name in self else name

    room = _Room(text)

    class Bounded(LowLevelParser):  # type: ignore[misc]
        def parse_value(self) -> None:
            # Macros made of macros grow with each of them.
            super().parse_value()
            parts: list[str] = self.current_value
            self.current_value: list[str] = [_cut(parts)] if parts else []
            room.take(self.current_value)

    macros = Macros(month_names)
    # One by one: an open brace would swallow all that follows.
    starts = [match.end() for match in _ENTRY.finditer(text)] or [0]
    line, counted = 1, 0
    for begin, end in zip(starts, [*starts[1:], len(text)], strict=True):
        # An entry without a key is still an entry.
        piece = _KEYLESS.sub(rf"\g<0>{_NO_KEY}", text[begin:end], count=1)
        piece = _NAMELESS.sub(rf"\g<1>{_NO_KEY},", piece)
        piece = _SPACED_KEY.sub(lambda found: found[1] + "_".join(found[2].split()), piece)
        line, counted = line + text.count("\n", counted, begin), begin
        broken: list[str] = []

        def note(error: Exception, broken: list[str] = broken) -> None:
            broken.append(str(error).splitlines()[0])

        try:
            parser = Bounded(piece, macros=macros, handle_error=note)
            made = [tuple(each) for each in parser]
        except _Overfull:
            found.warn("The rest is left out: macros make it too long")
            return
        except Exception as failure:  # noqa: BLE001 - one entry can break a parser in any way
            note(failure)
            made = []
        kept = [each for each in made if each[0].casefold() not in {"string", "preamble"}]
        key = str(kept[0][1][0] or "") if kept else ""
        if broken:
            where = f"'{key}'" if key else piece[:40].strip()
            found.warn(f"BibTeX entry {where} (line {line}) is broken: {broken[0]}")
        for kind, (own, fields) in kept:
            values: dict[str, str] = {}
            for label, parts in fields:
                values.setdefault(str(label).casefold(), "".join(parts))
            if len(kept) == 1:
                salvage(piece if broken else _spilled(piece), values)
            if values:
                yield str(kind).casefold(), "" if own == _NO_KEY else str(own or ""), values


def _cut(parts: list[str]) -> str:
    """The parts of a value as one, as far as it is read."""
    kept: list[str] = []
    room = LONGEST_TEXT
    for part in parts:
        kept.append(part[:room])
        room -= len(kept[-1])
        if not room:
            break
    return "".join(kept)


def _spilled(piece: str) -> str:
    """What stands behind an entry that a brace too many has closed."""
    depth = 0
    for place in re.finditer(r"(?<!\\)[{}]", piece[:LONGEST_ENTRY]):
        depth += 1 if place.group() == "{" else -1
        if depth == 0:
            rest = piece[place.end() :]
            return rest if rest.lstrip().startswith(",") else ""
    return ""


def salvage(piece: str, values: dict[str, str]) -> None:
    """Add the fields that the parser did not reach, because a brace or comma is out of place."""
    places = list(_FIELD.finditer(piece[:LONGEST_ENTRY]))
    ends = [*(place.start() for place in places[1:]), len(piece)]
    for place, end in zip(places, ends, strict=False):
        label = place.group(1).casefold()
        if label in values or label not in _WORTH_SAVING:
            continue
        value = piece[place.end() : end].strip().rstrip("}),").strip().strip('{}",').strip()
        if value:
            values[label] = value[:LONGEST_TEXT]


def _of_bibtex(kind: str, key: str, fields: dict[str, str]) -> RawEntry:
    said = {
        label: _verbatim(value) if label in VERBATIM else printed(value)
        for label, value in fields.items()
    }
    item = item_of(kind, said)
    for role, csl in PEOPLE.items():
        if people := _people(fields.get(role, "")):
            item[csl] = people
    tags = words_of(said.get("keywords", "") or said.get("keyword", ""))
    return RawEntry(key, item, tags, _files(fields.get("file", "")))


# -- names -----------------------------------------------------------------------------------------


def _people(names: str) -> list[Item]:
    from pybtex.database.input.bibtex import split_name_list

    # A mark that stands between braces or blanks would part the name that it is in.
    whole = _ONE_LETTER.sub(r"\1", marked(" ".join(names.split())))
    if not whole:
        return []
    listed = split_name_list(re.sub(r"(?<= )AND(?= )", "and", whole))
    if len(listed) == 1 and "{" not in whole:
        # Lists as people write them who know other ones.
        by_mark = re.split(r"\s*;\s*", whole)
        by_sign = re.split(r"\s+\\?&\s+", whole)
        if len(by_mark) > 1:
            listed = by_mark
        elif len(by_sign) > 1 and all("," in each for each in by_sign):
            listed = by_sign
    found: list[Item] = []
    for name in listed[:LONGEST_LIST]:
        found += _persons(name.strip().strip(",").strip())
    more = bool(found) and _MORE.fullmatch(listed[-1].strip()) is not None
    return [*found, OTHERS] if more else found


def _persons(name: str) -> list[Item]:
    """A name; several, where commas part them as well as their parts."""
    if not name or _MORE.fullmatch(name):
        return []
    if _is_enclosed(name):
        return [{"literal": printed(name)}]
    if _LABELLED.match(name):
        return [_labelled(name)]
    parts = [part.strip() for part in name.split(",")] if "{" not in name else []
    if len(parts) > _LONGEST_NAME and len(parts) % 2 == 0:
        pairs = zip(parts[::2], parts[1::2], strict=True)
        return [person for pair in pairs for person in _persons(", ".join(pair))]
    if len(parts) == _LONGEST_NAME and parts[2].casefold() in _NAME_ENDS:
        name = f"{parts[0]}, {parts[2]}, {parts[1]}"
    return [_person(name.replace(" ", ", ") if _EASTERN.fullmatch(name) else name)]


def _is_enclosed(name: str) -> bool:
    """Whether one pair of braces is around all of a name: it is not to be parted."""
    if not (name.startswith("{") and name.endswith("}")) or name.startswith("{\\"):
        return False
    depth = 0
    for place, letter in enumerate(name):
        depth += (letter == "{") - (letter == "}")
        if depth == 0:
            return place == len(name) - 1
    return False


def _person(name: str) -> Item:
    from pybtex.database import Person

    try:
        person = Person(name)
    except Exception:  # noqa: BLE001 - a name that cannot be parted is still a name
        return {"literal": printed(name)}
    parts = {
        "family": person.last_names,
        "given": person.bibtex_first_names,
        "non-dropping-particle": person.prelast_names,
        "suffix": person.lineage_names,
    }
    spoken = {label: printed(" ".join(words)) for label, words in parts.items()}
    named: Item = {label: text for label, text in spoken.items() if text}
    if any(" " in printed(word) for word in person.last_names):
        named |= UNPARTED  # Braces hold its words together.
    return named or {"literal": printed(name)}


def _labelled(name: str) -> Item:
    """A name as biblatex also has it: `family=Doe, given=Jane`."""
    parts = dict(each.split("=", 1) for each in name.split(",") if "=" in each)
    said = {label.strip().casefold(): printed(value.strip(' "')) for label, value in parts.items()}
    named = {label: said[label] for label in ("family", "given", "suffix") if said.get(label)}
    return named | ({"non-dropping-particle": said["prefix"]} if said.get("prefix") else {})


# -- texts -----------------------------------------------------------------------------------------


def _verbatim(text: str) -> str:
    """An address or number as it is, without what only LaTeX needs."""
    text = unescaped(re.sub(r"\\(?:url|path|nolinkurl|href)\s*(?=\{)", "", text))
    text = re.sub(r"\$\\sim\$|\\textasciitilde\s*(?:\{\})?|\\~(?:\{\})?", "~", text)
    text = re.sub(r"\\([&%$#_{}-])", r"\1", re.sub(r"\\textunderscore\s*(?:\{\})?", "_", text))
    return " ".join(re.sub(r"[{}]", "", text).split())


def _files(listed: str) -> list[str]:
    """Names in the styles of JabRef and Zotero: `description:path:type`, several with `;`."""
    found: list[str] = []
    for each in listed.split(";"):
        parts = [part for part in re.split(r"(?<!\\):", each) if "." in part] or [each]
        path = parts[0].replace("\\:", ":").strip()
        if path:
            found.append(path)
    return found
