"""Contract 05: one key, one work: what documents are cited by, and how works that share a key are told apart."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count

from actors.ingesting.references import Reference, same_work, year_in
from contracts.citations.name_particles import with_particles
from events.catalogue import SourcePublished
from events.codec import decode

Place = tuple[str, str]
"""Where a project holds a document: (collection, document)."""


def reference_of(source: SourcePublished) -> Reference | None:
    """The reference that a document was matched with; nothing where it is none."""
    said = source.metadata
    key = said.get("citekey")
    if not key:
        return None
    try:
        item = decode(said["csl"].encode())
    except (KeyError, ValueError):
        item = None
    if not isinstance(item, dict):
        item = {"type": "document", "title": said.get("title") or source.title}
        if doi := said.get("doi"):
            item["DOI"] = doi
        if year := year_in(said.get("year")):
            item["issued"] = {"date-parts": [[int(year)]]}
    return Reference(citekey=key, item=with_particles(item) | {"id": key}, tags=source.tags)


def references_of(documents: Mapping[Place, SourcePublished]) -> dict[Place, Reference]:
    """The reference of each document, under a key that no other work has.

    Keys are told apart when documents come in. Those that came before that was done, or two at the
    same moment, may still share one.
    """
    found = {place: known for place, each in documents.items() if (known := reference_of(each))}
    works = list(found.values())
    return dict(zip(found, told_apart(works, former=works), strict=True))


def citekey_of(place: Place, documents: Mapping[Place, SourcePublished]) -> str | None:
    """What a document is cited by: one of two works that share a key is cited by another."""
    own = reference_of(documents[place])
    if own is None:
        return None
    sharers = (each for each in documents.values() if each.metadata.get("citekey") == own.citekey)
    works = filter(None, map(reference_of, sharers))
    if all(same_work(own, each) for each in works):
        return own.citekey
    return references_of(documents)[place].citekey


def told_apart(
    references: Sequence[Reference],
    held: Iterable[Reference] = (),
    former: Iterable[Reference] = (),
) -> list[Reference]:
    """The references in their order, each under a key that no other work has: `smith1999-2`.

    A key that a project holds stays with its work, because somebody may have written it down. What
    the references take the place of, `former`, keeps no key from others, but is called as before.
    """
    taken = by_key(held)
    before = by_key(former)
    keys: list[str | None] = []
    for each in references:
        known = _key_among(each, before)
        free = known is not None and same_work(taken.setdefault(known, each), each)
        keys.append(known if free else None)
    return [
        _called(each, key or _new_key(each, taken))
        for each, key in zip(references, keys, strict=True)
    ]


def sharing(given: Sequence[Reference], called: Sequence[Reference]) -> list[str]:
    """What is to be said of references that are called otherwise than their list has them."""
    pairs = {
        (one.citekey, other.citekey)
        for one, other in zip(given, called, strict=True)
        if one.citekey != other.citekey
    }
    return [
        f"Duplicate citekey '{key}': a different work is called '{other}'"
        for key, other in sorted(pairs)
    ]


def by_key(references: Iterable[Reference]) -> dict[str, Reference]:
    """References by their keys; the first of several with one key counts."""
    found: dict[str, Reference] = {}
    for each in references:
        found.setdefault(each.citekey, each)
    return found


def _names(key: str) -> Iterator[str]:
    yield key
    yield from (f"{key}-{number}" for number in count(2))


def _key_among(reference: Reference, known: Mapping[str, Reference]) -> str | None:
    """What a work is called among others, be it by its own key or by one that it was given."""
    for key in _names(reference.citekey):
        work = known.get(key)
        if work is not None and same_work(work, reference):
            return key
        # The first may have left since, and the others keep their numbers.
        if work is None and key != reference.citekey:
            return None
    return None


def _new_key(reference: Reference, taken: dict[str, Reference]) -> str:
    key = _key_among(reference, taken)
    if key is None:
        key = next(each for each in _names(reference.citekey) if each not in taken)
    taken.setdefault(key, reference)
    return key


def _called(reference: Reference, key: str) -> Reference:
    if key == reference.citekey:
        return reference
    # A file may still be called by the key that its list has.
    files = (*reference.files, f"{reference.citekey}.pdf")
    item = reference.item | {"id": key}
    return reference.model_copy(update={"citekey": key, "item": item, "files": files})
