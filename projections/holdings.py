"""What the catalogue says of collections and the documents in them."""

from collections.abc import Container
from dataclasses import replace

from events.errors import UnknownCollection
from projections.catalogue import Catalogue, Collection, SourceVersion


def collections_held(catalogue: Catalogue) -> list[Collection]:
    """Every collection with what it holds now, in order of creation."""
    held = dict(catalogue.collections)
    for source in catalogue.sources():
        name = source.collection
        so_far = held.get(name) or Collection(name, created_at=source.published_at)
        held[name] = replace(
            so_far,
            documents=so_far.documents + 1,
            chunks=so_far.chunks + source.chunks,
        )
    return [each for each in held.values() if each.deleted_at is None]


def sources_held(catalogue: Catalogue, collection: str | None) -> list[SourceVersion]:
    """The current version of each document that is there now; refused for a collection that is not."""
    found = list(catalogue.sources(collection))
    there = [name for name in catalogue.collections if not catalogue.is_deleted(name)]
    if not found and collection is not None and collection not in there:
        raise UnknownCollection(collection, ", ".join(there) or "none")
    return found


def last_published(catalogue: Catalogue, collection: str) -> SourceVersion | None:
    """The newest version that ever came into a collection, also one that has left it."""
    latest = (
        versions[-1] for place, versions in catalogue.history.items() if place[0] == collection
    )
    return max(latest, key=lambda version: version.published_at, default=None)


def held_elsewhere(catalogue: Catalogue, collections: Container[str]) -> set[str]:
    """Where the documents lie, or lay, that other collections hold or held, and these never did."""
    own: set[str] = set()
    others: set[str] = set()
    for (collection, _), versions in catalogue.history.items():
        known = own if collection in collections else others
        known.update(version.locator for version in versions)
    return others - own
