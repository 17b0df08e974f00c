"""Reads a Zotero library, on the web or in the program on this machine. The only door to pyzotero."""

import math
import re
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit
from urllib.request import url2pathname

from actors.adapters.bibliography.zotero_items import (
    Attachment,
    Item,
    data_of,
    edited,
    file_name,
    place_of,
)
from actors.ingesting.references import text_of
from events.errors import ResearchError
from events.logs import log

LONGEST_BACKOFF = 60.0
"""Seconds that are waited for a library that asks for it; beyond, the caller comes back later."""

LARGEST_FILE = 512 << 20
READABLE = frozenset(
    {
        *("application/pdf", "text/html", "text/plain", "text/markdown", "application/epub+zip"),
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        *("image/png", "image/jpeg", "image/tiff", "image/webp", "image/bmp"),
    }
)
_ATTEMPTS = 3
"""Times that a request is made which the library turns away for a while."""

_UNSAID = 1.0
"""Seconds that are waited where a library is busy and does not say for how long."""

_PAGE = 100
_KEYS = 50
"""Items that one request may name."""

_LIBRARY = re.compile(r"(users|groups)/([0-9]{1,12})")
Made = TypeVar("Made")


class ZoteroUnavailable(ResearchError):
    """The library could not be read: (why,)."""

    code = "zotero_unavailable"
    says = "Zotero could not be read: {0}."
    suggestion = (
        "Check ZOTERO_API_KEY and RESEARCH_AGENT_ZOTERO_LIBRARY (users/123, groups/456 or local), and "
        "that Zotero runs and allows other applications for a local library."
    )


class NoSuchCollection(ZoteroUnavailable):
    """The library has no such collection: (its name, those there are)."""

    says = "The Zotero library has no collection {0!r}. There are: {1}."
    suggestion = "Name one of these, or leave the collection out to have the whole library."


class ZoteroBusy(ZoteroUnavailable):
    """The library asks to come back later: (seconds, or none where it does not say,)."""

    code = "zotero_busy"
    suggestion = "Call again then; what was read before is kept."

    @property
    def sentence(self) -> str:
        """What it asks for."""
        [seconds] = self.args
        if seconds is None:
            return "Zotero asks to come back later, and does not say when."
        return f"Zotero asks to wait {seconds:g} seconds."


@dataclass
class ZoteroLibrary:
    """One library, opened when it is first asked."""

    library: str
    """`users/123`, `groups/456`, or `local`."""

    api_key: str | None = field(default=None, repr=False)
    url: str | None = None
    """Another address of the API, for tests."""

    until: float | None = None
    """The moment of `time.monotonic` until which somebody waits for an answer, if anybody does."""

    def __post_init__(self) -> None:
        local = self.library == "local"
        named = _LIBRARY.fullmatch("users/0" if local else self.library)
        if named is None:
            raise ZoteroUnavailable(f"{self.library[:40]!r} is no library")
        self.local, self._kind, self._id = local, named.group(1), named.group(2)
        self._opened: Any = None

    def patience(self) -> float:
        """Seconds that may be waited now, if the library asks for it."""
        if self.until is None:
            return LONGEST_BACKOFF
        return min(max(self.until - time.monotonic(), 0.0), LONGEST_BACKOFF)

    def may_wait_later(self, busy: ZoteroBusy) -> bool:
        """Whether only the haste of this moment keeps from waiting."""
        [seconds] = busy.args
        return self.until is not None and seconds is not None and seconds <= LONGEST_BACKOFF

    @property
    def link(self) -> str:
        """How links into Zotero name it."""
        return "library" if self._kind == "users" else f"groups/{self._id}"

    def changed(self, since: int | None) -> int | None:
        """The library's version, unless it is still that one."""

        def ask() -> int | None:
            client = self._client()
            url = f"{client.endpoint}/{self._kind}/{self._id}/items?limit=1&format=versions"
            headers = {} if since is None else {"If-Modified-Since-Version": str(since)}
            answer = self._answer(client, url, headers)
            if answer.status_code == 304:
                return None
            version = int(answer.headers.get("last-modified-version", 0))
            # The program's own library counts only what was synchronised: always look.
            return None if version == since and not self.local else version

        return self._careful(ask)

    @staticmethod
    def _answer(client: Any, url: str, headers: dict[str, str]) -> Any:
        for _ in range(_ATTEMPTS):
            client._check_backoff()
            answer = client._send("GET", url, headers=headers)
            if answer.status_code == 304:
                return answer
            client._post_check(answer)
            if answer.status_code != 429:
                return answer
        raise ZoteroBusy(None)

    def attachments(self, collection: str | None) -> list[Attachment]:
        """The files of a library, or of one collection."""
        return self._careful(lambda: self._attachments(self._items(collection)))

    def _attachments(self, items: Iterable[Item]) -> list[Attachment]:
        by_key = {each["key"]: data_of(each) for each in items if "key" in each}
        notes: dict[str, list[Item]] = {}
        for data in by_key.values():
            if data.get("itemType") == "annotation" and data.get("parentItem"):
                notes.setdefault(data["parentItem"], []).append(data)
        found: list[Attachment] = []
        for key, data in by_key.items():
            if data.get("itemType") != "attachment" or data.get("contentType") not in READABLE:
                continue
            if data.get("linkMode") not in {"imported_file", "imported_url", "linked_file"}:
                continue
            parent = by_key.get(data.get("parentItem") or key, data)
            orphaned = bool(data.get("parentItem")) and parent is data
            if orphaned or data.get("deleted") or parent.get("deleted"):
                continue  # It, or what it belongs to, is in the bin.
            found.append(
                Attachment(
                    key=key,
                    version=int(data.get("version") or 0),
                    name=file_name(data),
                    md5=text_of(data.get("md5")),
                    parent=parent,
                    annotations=tuple(sorted(notes.get(key, []), key=place_of)),
                    edited=edited(data),
                    linked=data["linkMode"] == "linked_file" and not self.local,
                )
            )
        return sorted(found, key=lambda each: each.key)

    def gone(self, keys: Collection[str], since: int | None) -> set[str]:
        """Those of some items that were deleted or put into the bin."""
        if not keys:
            return set()
        deleted = self._careful(lambda: self._deleted(since or 0))
        lost = self._careful(lambda: self._listed("trash", keys))
        if deleted is None:
            deleted = set(keys) - self._careful(lambda: self._listed("items", keys))
        return lost | (set(keys) & deleted)

    def _deleted(self, since: int) -> set[str] | None:
        """What left the library since a version; nothing where it does not keep account of that."""
        client = self._client()
        try:
            said = client.deleted(since=since)
        except Exception as refusal:
            if self.local and re.search(r"Code: (?:400|404|501)", str(refusal)):
                return None
            raise
        listed = said.get("items") if isinstance(said, dict) else None
        return set(map(str, listed)) if isinstance(listed, list) else None

    def _listed(self, where: str, keys: Collection[str]) -> set[str]:
        """Those of some items that are in the library, or in its bin."""
        client, wanted = self._client(), sorted(keys)
        found: set[str] = set()
        for begin in range(0, len(wanted), _KEYS):
            named = ",".join(wanted[begin : begin + _KEYS])
            some = client.everything(getattr(client, where)(itemKey=named, limit=_PAGE))
            found |= {str(each.get("key")) for each in some}
        return found

    def file(self, key: str) -> bytes:
        """The bytes of an attachment."""

        def fetch() -> Any:
            client = self._client()
            if self.local:
                return self._own_file(client, key)
            try:
                raw = client.file(key)
            except ValueError:
                raw = client.request.content  # of a kind that it would read as JSON
            if client.request.url.scheme == "file":
                raise ZoteroUnavailable(f"attachment {key} is said to lie on this machine")
            return raw

        raw = self._careful(fetch)
        if not isinstance(raw, bytes):
            raise ZoteroUnavailable(f"attachment {key} is not a file")
        if len(raw) > LARGEST_FILE:
            raise ZoteroUnavailable(f"attachment {key} is larger than {LARGEST_FILE >> 20} MB")
        return raw

    def _own_file(self, client: Any, key: str) -> bytes:
        """The bytes of a file that the program on this machine keeps: it only says where."""
        url = f"{client.endpoint}/{self._kind}/{self._id}/items/{key}/file"
        answer = client._send("GET", url, follow_redirects=False)
        place = urlsplit(answer.headers.get("location", ""))
        if answer.status_code != 302 or place.scheme != "file":
            raise ZoteroUnavailable(f"attachment {key} is not on this machine")
        path = Path(url2pathname(place.path))
        if not path.is_file() or path.stat().st_size > LARGEST_FILE:
            raise ZoteroUnavailable(f"attachment {key} is missing or too large")
        return path.read_bytes()

    def _items(self, collection: str | None) -> list[Item]:
        client = self._client()
        if collection is None:
            first = client.items(limit=_PAGE)
        else:
            key = self._collection_key(client, collection)
            first = client.collection_items(key, limit=_PAGE)
        # What is listed would be lost: from here on the library is waited for.
        self.until = None
        return list(client.everything(first))

    @staticmethod
    def _collection_key(client: Any, named: str) -> str:
        known = client.everything(client.collections(limit=_PAGE))
        for each in known:
            if named in {each.get("key"), data_of(each).get("name")}:
                return str(each["key"])
        alike = [each for each in known if _collection_name(each).casefold() == named.casefold()]
        if len(alike) == 1:
            return str(alike[0]["key"])
        names = ", ".join(sorted(map(_collection_name, known))[:30])
        raise NoSuchCollection(named[:80], names or "none")

    def _client(self) -> Any:
        if self._opened is None:
            from pyzotero.zotero import Zotero

            library = self

            class Bounded(Zotero):
                def _set_backoff(self, duration: str | float) -> None:
                    super()._set_backoff(_seconds(duration))

                def _check_backoff(self) -> None:
                    remainder = self.backoff_until - time.time()
                    if remainder > library.patience():
                        raise ZoteroBusy(float(math.ceil(remainder)))
                    super()._check_backoff()

                def _send(self, method: str, url: str, **kwargs: Any) -> Any:
                    answer = super()._send(method, url, **kwargs)
                    if answer.status_code == 503:
                        # Most often it is there again at once; what stays so is told.
                        self._set_backoff(answer.headers.get("retry-after") or _UNSAID)
                        self._check_backoff()
                        answer = super()._send(method, url, **kwargs)
                    return answer

            kind = self._kind.removesuffix("s")
            self._opened = Bounded(self._id, kind, self.api_key, local=self.local)
            if self.url:
                self._opened.endpoint = self.url.rstrip("/")
        return self._opened

    def _careful(self, act: Callable[[], Made]) -> Made:
        from pyzotero.errors import TooManyRequestsError, TooManyRetriesError

        try:
            return act()
        except ResearchError:
            raise
        except (TooManyRequestsError, TooManyRetriesError) as failure:
            raise ZoteroBusy(None) from failure
        except Exception as failure:
            # The library's own errors and those of its transport, which has a door of its own.
            log("zotero").warning("not_read", failure=type(failure).__name__)
            raise ZoteroUnavailable(_why(failure)) from failure


def _collection_name(collection: Item) -> str:
    return text_of(data_of(collection).get("name"))


def _seconds(duration: str | float) -> float:
    """How long a library asks to wait: it says seconds, or a date until which."""
    try:
        seconds = float(duration)
    except ValueError:
        try:
            moment = parsedate_to_datetime(str(duration))
        except ValueError:
            return _UNSAID
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        seconds = (moment - datetime.now(UTC)).total_seconds()
    return max(seconds, 0.0) if math.isfinite(seconds) else _UNSAID


def _why(failure: Exception) -> str:
    said = " ".join(str(failure).split())
    code = re.search(r"Code: (\d{3})", said)
    if code and code.group(1) in {"401", "403"}:
        return "the key is not accepted"
    if code:
        return f"it answered {code.group(1)}"
    package = type(failure).__module__.partition(".")[0]
    if package.startswith("httpx"):
        return f"it cannot be reached ({said or 'no answer'})"[:200]
    if package == "pyzotero" and said:
        return said[:200]
    return "its answer cannot be understood"
