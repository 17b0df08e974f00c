"""The page's view of what is held: documents, the versions each had, what changed, and whom that leaves behind."""

from collections.abc import Callable, Iterable
from dataclasses import asdict

from contracts.core import Core
from contracts.page.answers import Asked, Reply
from contracts.page.texts import LONGEST, changes, window
from contracts.websites.drift import affected_citations
from contracts.websites.wording import is_stale
from events.errors import BadRequest, UnknownDocument
from events.websites import COLLECTION
from projections.catalogue import SourceVersion
from projections.websites import Website, Websites

LISTED = 200
_AROUND = 2_000
_COMPARED = 4_000_000
"""Characters of a text that may be compared with another."""


class SourceRoom:
    """Answers about sources; for any number of threads."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._websites = Websites(core.home)

    def listing(self, asked: Asked) -> Reply:
        """What is held now, the latest first, narrowed by collection and by words of title and address."""
        views = self._core.views
        collection = asked.text("collection", most=200) or None
        words = asked.text("q", most=200).casefold().split()
        offset = asked.number("offset", 0, 0, 10_000_000)
        limit = asked.number("limit", 50, 1, LISTED)
        found = [each for each in views.sources(collection) if _named(each, words)]
        found.sort(key=lambda each: (each.published_at, each.document), reverse=True)
        sites = self._sites()
        return {
            "sources": [self._listed(each, sites) for each in found[offset : offset + limit]],
            "total": len(found),
            "offset": offset,
            "next_offset": offset + limit if offset + limit < len(found) else None,
            "collections": [asdict(each) for each in views.collections()],
        }

    def source(self, asked: Asked) -> Reply:
        """One document with every version it had, and what has become of it since."""
        versions = self._versions(asked)
        latest = versions[-1]
        site = self._sites().get(latest.document) if latest.collection == COLLECTION else None
        return {
            "collection": latest.collection,
            "document": latest.document,
            "title": latest.title,
            "locator": latest.locator,
            "held": latest.ended_at is None,
            "versions": [_version(each) for each in reversed(versions)][:LISTED],
            "website": _website(site) if site else None,
            "left_behind": affected_citations(self._core, site) if site else [],
        }

    def text(self, asked: Asked) -> Reply:
        """The stored text of a version: around a place, or a part of it from a place on."""
        version = _chosen(self._versions(asked), asked.text("version", most=100))
        start = asked.number("start", 0, 0, 1 << 40)
        end = asked.number("end", start, 0, 1 << 40)
        text = self._text(version)
        shown = window(text, start, end, _AROUND)
        if end <= start:
            last = min(len(text), start + LONGEST)
            shown |= {"before": "", "after": text[start:last], "first": start, "last": last}
        return shown | {"version": _version(version), "title": version.title}

    def changes(self, asked: Asked) -> Reply:
        """What changed between two versions."""
        versions = self._versions(asked)
        one = _chosen(versions, asked.text("from", most=100))
        other = _chosen(versions, asked.text("to", most=100))
        texts = self._text(one), self._text(other)
        if max(map(len, texts)) > _COMPARED:
            raise BadRequest("The texts are too long to be compared.", "Read the versions.")
        return changes(*texts) | {"from": _version(one), "to": _version(other)}

    def _versions(self, asked: Asked) -> tuple[SourceVersion, ...]:
        collection, document = asked.path["collection"], asked.path["document"]
        found = self._core.views.versions(collection, document)
        if not found:
            raise UnknownDocument(document[:120], collection[:120])
        return found

    def _text(self, version: SourceVersion) -> str:
        return self._core.home.blobs.get(version.text).decode("utf-8", "replace")

    def _sites(self) -> dict[str, Website]:
        return {site.document: site for site in self._websites.all()}

    def _listed(self, source: SourceVersion, sites: dict[str, Website]) -> Reply:
        site = sites.get(source.document) if source.collection == COLLECTION else None
        history = self._core.views.versions(source.collection, source.document)
        return _version(source) | {
            "collection": source.collection,
            "document": source.document,
            "title": source.title,
            "locator": source.locator,
            "version_count": len({each.version for each in history}),
            "website": _website(site) if site else None,
        }


def _named(source: SourceVersion, words: Iterable[str]) -> bool:
    name = f"{source.title} {source.locator}".casefold()
    return all(word in name for word in words)


def _chosen(versions: tuple[SourceVersion, ...], wanted: str) -> SourceVersion:
    if not wanted:
        return versions[-1]
    for each in reversed(versions):
        if each.version == wanted:
            return each
    raise UnknownDocument(wanted, versions[-1].document)


def _version(version: SourceVersion) -> Reply:
    return {
        "version": version.version,
        "text_hash": version.text,
        "media_type": version.media_type,
        "bytes": version.size,
        "chunks": version.chunks,
        "published_at": version.published_at,
        "ended_at": version.ended_at,
        "job": version.job,
    }


def _website(site: Website) -> Reply:
    return {
        "url": site.url,
        "phase": site.phase,
        "fetched_at": site.fetched_at,
        "is_stale": is_stale(site),
        "outcome": (site.ending or {}).get("outcome"),
        "error": site.error,
    }


def reads(core: Core) -> dict[str, Callable[[Asked], Reply]]:
    """The routes, over one view of the websites."""
    room = SourceRoom(core)
    one = "/api/sources/{collection}/{document}"
    return {
        "/api/sources": room.listing,
        one: room.source,
        f"{one}/text": room.text,
        f"{one}/changes": room.changes,
    }
