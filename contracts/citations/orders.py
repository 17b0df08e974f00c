"""Contract 05: what a caller wants ingested: which files, and the references that lie with them."""

import math
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from actors.ingesting.references import Reference
from actors.ingesting.scan_languages import SAID_BY_CALLER
from actors.unlinked import open_unlinked
from contracts.allowed_paths import check_allowed, shortened
from contracts.citations.asking import Projects
from contracts.citations.citekeys import by_key, reference_of, sharing, told_apart
from contracts.core import list_files
from contracts.settings import Settings
from events.catalogue import Entry, SourcePublished
from events.errors import BadRequest, PathRefused, Unreadable

OPTIONS = (
    *("ocr_languages", "references_path", "force_rebuild"),
    *("zotero_collection", "zotero_tags", "zotero_library"),
)
_OTHER_NAMES = {
    "collection": "zotero_collection",
    "library": "zotero_library",
    "tag": "zotero_tags",
    "tags": "zotero_tags",
}
ZOTERO = "zotero"
_AS_ZOTERO = "Use zotero, or zotero?collection=KEY&tag=x&library=groups/456."
_OF_ZOTERO = ("zotero_collection", "zotero_tags", "zotero_library")

_LISTS = (".bib", ".ris", ".csljson")
_LIST_NAMES = frozenset({"references.json", "bibliography.json", "library.json"})


@dataclass
class Order:
    """What is to be ingested, and what is known of it before anybody looks."""

    documents: list[str | Entry]
    references: list[Reference] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    """Documents that left the project because they left where they came from."""

    later: "Callable[[Callable[[Order], str]], None] | None" = None
    """Brings in the rest, where not all of it could be had in time."""

    entered: Callable[[list[str]], None] = lambda jobs: None
    """To be told of the job that brings it in, if there is anything to bring in."""


@dataclass(frozen=True)
class Options:
    """What a caller may set."""

    ocr_languages: tuple[str, ...] = ()
    """Those of scanned pages; none for the parser's default, English and German."""

    references_path: str | None = None
    force_rebuild: bool = False
    zotero_collection: str | None = None
    zotero_tags: tuple[str, ...] = ()
    zotero_library: str | None = None


def read_options(given: Mapping[str, Any] | None) -> Options:
    """Understand a caller's options."""
    said: dict[str, Any] = {}
    for label, value in (given or {}).items():
        name = _OTHER_NAMES.get(str(label), str(label))
        if name not in OPTIONS:
            raise BadRequest(
                f"There is no option {shortened(name, 60)!r}.", f"Use {', '.join(OPTIONS)}."
            )
        if value is None:
            continue
        if name in said:
            raise BadRequest(f"The option {name} is given twice.", "Give it once.")
        said[name] = value
    path, rebuild = said.get("references_path"), said.get("force_rebuild", False)
    if not isinstance(path, str | None):
        raise BadRequest("references_path is not a path.", "Give a path as text.")
    if not isinstance(rebuild, bool):
        raise BadRequest("force_rebuild is neither true nor false.", "Give one of them.")
    return Options(
        ocr_languages=_names(said, "ocr_languages"),
        references_path=path or None,
        force_rebuild=rebuild,
        zotero_collection=_one("zotero_collection", _names(said, "zotero_collection")),
        zotero_tags=_names(said, "zotero_tags"),
        zotero_library=_one("zotero_library", _names(said, "zotero_library")),
    )


def _names(said: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = said.get(name) or ()
    listed = (value,) if isinstance(value, str) else value
    if not isinstance(listed, list | tuple) or not all(isinstance(each, str) for each in listed):
        raise BadRequest(f"{name} is {shortened(str(value), 60)!r}.", "Give a list of texts.")
    return tuple(dict.fromkeys(each.strip() for each in listed[:100] if each.strip()))


def _one(name: str, values: tuple[str, ...]) -> str | None:
    if len(values) > 1:
        raise BadRequest(
            f"{name} is given {len(values)} times.",
            "Give one, and ingest again for the next: what came in stays.",
        )
    return values[0] if values else None


def narrowed(options: Options, query: str) -> Options:
    """The options with what a source such as `zotero?collection=KEY&tag=x` says itself.

    What would not be applied is refused: left out, all of the library would come in.
    """
    said: dict[str, list[str]] = {}
    for label, value in parse_qsl(query, keep_blank_values=True):
        name = _OTHER_NAMES.get(label, label)
        if name not in _OF_ZOTERO:
            raise BadRequest(
                f"A Zotero source has no {shortened(label, 60)!r}.",
                _AS_ZOTERO,
            )
        said.setdefault(name, []).append(value)
    if options.references_path is not None:
        raise BadRequest(
            "references_path is for files: what Zotero holds has its references there.",
            "Leave it out.",
        )

    def united(name: str, given: Iterable[str | None]) -> tuple[str, ...]:
        found = _names({name: [*filter(None, given), *said.get(name, ())]}, name)
        if name in said and not found:
            raise BadRequest(f"{name} is empty.", f"Name one, or use {ZOTERO} alone.")
        return found

    return replace(
        options,
        zotero_collection=_one(
            "zotero_collection", united("zotero_collection", [options.zotero_collection])
        ),
        zotero_tags=united("zotero_tags", options.zotero_tags),
        zotero_library=_one("zotero_library", united("zotero_library", [options.zotero_library])),
    )


def _refuse_other_sources(source: str) -> None:
    """Refuse what is plainly meant as no path: that it is outside a folder would help nobody."""
    scheme = source.partition(":")[0].casefold()
    if scheme in {"http", "https"} and "://" in source:
        raise BadRequest(
            f"The source {shortened(source, 60)!r} is an address, and not a path.",
            "Download the document and give its path, or ingest the page with rag_process_website.",
        )
    if scheme == ZOTERO and ":" in source:
        raise BadRequest(
            f"A Zotero source is not written as {shortened(source, 60)!r}.", _AS_ZOTERO
        )


def _refuse_narrowing(options: Options) -> None:
    """Refuse files together with what only a library can be narrowed by."""
    given = [name for name in _OF_ZOTERO if getattr(options, name)]
    if given:
        raise BadRequest(
            f"{given[0]} is for Zotero, and the source is a path.",
            "Leave it out, or use the source zotero.",
        )


def order_from(
    projects: Projects,
    project: str,
    source: str,
    options: Options,
    roots: tuple[Path, ...] | None,
    cause: str,
    until: float = math.inf,
) -> Order:
    """What a source comes to; somebody waits for it until a moment of `time.monotonic`."""
    kind, _, query = source.strip().partition("?")
    if kind.casefold() == ZOTERO:
        from contracts.citations.zotero import order_from_zotero

        return order_from_zotero(projects, project, narrowed(options, query), cause, until)
    _refuse_other_sources(source.strip())
    _refuse_narrowing(options)
    place = check_allowed(source, roots) if roots is not None else Path(source)
    files = list_files(place, recursive=True, roots=roots)
    beside = place if place.is_dir() else place.parent
    lists = _reference_lists(beside, files, options, roots)
    used = set(lists)
    # Also where another list is named, a list of references is no paper.
    papers = [file for file in files if file not in used and not is_list(file)]
    order = Order([_document(file, options) for file in papers])
    for path in lists:
        _read_list(path, order, asked_for=options.references_path is not None)
    _tell_apart(order, projects.documents(project).values())
    if not order.documents:
        raise PathRefused(shortened(source), "there are no documents in it")
    return order


def _reference_lists(
    beside: Path, files: list[Path], options: Options, roots: tuple[Path, ...] | None
) -> list[Path]:
    """The list that is named; else those that lie with the documents."""
    if options.references_path is not None:
        named = options.references_path
        path = check_allowed(named, roots) if roots is not None else Path(named).resolve()
        if not path.is_file():
            raise PathRefused(shortened(named), "there is no such file")
        return [path]
    there = set(files)
    if beside.is_dir():
        there |= {each for each in beside.iterdir() if each.is_file() and not each.is_symlink()}
    return sorted(path for path in there if is_list(path))


def is_list(path: Path) -> bool:
    """Whether a file is called like a list of references."""
    name = path.name.casefold()
    return name.endswith((*_LISTS, ".csl.json")) or name in _LIST_NAMES


def _read_list(path: Path, order: Order, *, asked_for: bool) -> None:
    from actors.adapters.bibliography.references import LARGEST, read_references

    try:
        with os.fdopen(open_unlinked(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            found = read_references(path.name, file.read(LARGEST + 1))
    except (OSError, Unreadable) as refusal:
        if asked_for:
            raise (
                refusal
                if isinstance(refusal, Unreadable)
                else PathRefused(str(path), "it cannot be read")
            ) from None
        order.warnings.append(f"References of {path.name} were not read: {refusal}"[:300])
        return
    order.references += found.references
    order.warnings += found.warnings


def _tell_apart(order: Order, documents: Iterable[SourcePublished]) -> None:
    """Give no key to two works, be they of two lists or one of them in the project already."""
    coming = {each if isinstance(each, str) else each.locator for each in order.documents}
    held: list[Reference] = []
    former: list[Reference] = []
    for source in documents:
        if reference := reference_of(source):
            (former if source.locator in coming else held).append(reference)
    called = told_apart(order.references, held, former)
    order.warnings += sharing(order.references, called)
    order.references = list(by_key(called).values())


def _document(file: Path, options: Options) -> str | Entry:
    # A name that is not text cannot be recorded as it is; the job will say it is not there.
    locator = str(file).encode(errors="backslashreplace").decode()
    said = spoken(options)
    return Entry(locator=locator, metadata=said) if said else locator


def spoken(options: Options) -> dict[str, str]:
    """What an entry says of the languages that its caller named."""
    named = ", ".join(each.replace(",", " ")[:40] for each in options.ocr_languages[:20])
    return {SAID_BY_CALLER: named} if named else {}


def wants_roots(settings: Settings, source: str) -> bool:
    """Whether a client is to be asked which folders may be read."""
    return settings.roots is None and source.strip().partition("?")[0].casefold() != ZOTERO
