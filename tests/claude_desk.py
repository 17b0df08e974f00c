"""A desk for the claude researcher in memory: a scripted model, a small web, and everything that was noted."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from actors.outside import Page
from events.base import Blob, Fact
from events.codec import canonical, digest
from events.errors import CallCut, PageNotFound, ResearchError

Noted = TypeVar("Noted", bound=Fact)
Scripted = dict[str, Any] | ResearchError | Callable[[dict[str, Any]], dict[str, Any]]


class Table:
    """Satisfies `actors.kinds.claude_desk.WebDesk`."""

    def __init__(
        self,
        pages: dict[str, str | ResearchError],
        script: Sequence[Scripted] = (),
        searches: Sequence[list[str] | ResearchError] = (),
        moved: dict[str, str] | None = None,
    ) -> None:
        self.pages, self.moved = pages, moved or {}
        self.script, self._searches = list(script), list(searches)
        self.notes: list[Fact] = []
        self.texts: dict[str, str] = {}
        self.requests: list[dict[str, Any]] = []
        self.queries: list[dict[str, Any]] = []
        self.fetched: list[str] = []
        self.rests: list[int] = []
        self.alike: dict[str, float] = {}
        """How near in meaning sentences are to whatever they cite; of others nobody can tell."""

        self.titles: dict[str, str] = {}
        self.markup: dict[str, str] = {}
        """What was served, by address, where it says more than the text that was read out of it."""

        self.stop_at: int | None = None
        """The checkpoint at which the work is told to stop."""

        self._checkpoints = 0

    def provider(self, name: str, operation: str, request: dict[str, Any], care: str) -> bytes:
        assert care == ("perhaps" if name == "tavily" else "try")
        if name == "tavily":
            self.queries.append(request)
            listed: list[str] | ResearchError = list(self.pages)
            if self._searches:
                listed = self._searches.pop(0)
            if isinstance(listed, ResearchError):
                raise listed
            found = [{"url": url, "title": url, "content": "…"} for url in listed]
            return canonical({"results": found})
        self.requests.append(request)
        reply = self.script.pop(0) if self.script else {"content": [], "usage": {}}
        if isinstance(reply, ResearchError):
            raise reply
        message = reply(request) if callable(reply) else reply
        usage = message.get("usage") or {"input_tokens": 10, "output_tokens": 10}
        return canonical({**message, "usage": usage})

    def rest(self, failure: ResearchError, failures: int) -> None:
        self.rests.append(failures)

    def fetch(self, urls: Sequence[str]) -> list[Page | ResearchError]:
        self.fetched += urls
        return [self._page(url) for url in urls]

    def _page(self, url: str) -> Page | ResearchError:
        text = self.pages.get(url, PageNotFound(url, "the site has no such page", {}))
        if isinstance(text, ResearchError):
            return text
        wrapped = text if text.startswith("<html") else f"<html>{text}</html>"
        original = self.markup.get(url, wrapped).encode()
        text_hash = digest(text.encode())
        self.texts |= {text_hash: text, digest(original): original.decode()}
        return Page(
            url=url,
            final_url=self.moved.get(url, url),
            title=self.titles.get(url, f"About {url}"),
            media_type="text/html",
            original=Blob(hash=digest(original), size=len(original), stored=digest(original)),
            text=Blob(hash=text_hash, size=len(text.encode()), stored=text_hash),
            fetched_at="2026-11-16T00:00:00+00:00",
        )

    def likeness(self, question: str, texts: Sequence[str]) -> list[float | None]:
        return [self.alike.get(question)] * len(texts)

    def text(self, text_hash: str) -> str:
        return self.texts[text_hash]

    def note(self, *facts: Fact) -> None:
        self.notes += facts

    def checkpoint(self) -> None:
        self._checkpoints += 1
        if self.stop_at is not None and self._checkpoints >= self.stop_at:
            raise CallCut("the next step")

    def noted(self, kind: type[Noted]) -> list[Noted]:
        return [fact for fact in self.notes if isinstance(fact, kind)]
