"""The claude researcher's world on loopback: emulated providers, real SDKs, real fetching and parsing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpcore2
import pytest

from actors.adapters.fetching import Fetcher
from actors.adapters.pages import FetchSettings
from actors.ingesting.parsing import AnyParser
from actors.keys import Credential
from actors.kinds.claude_budget import usage_of
from actors.outside import Page, Pause, Provider, World, read_page
from actors.patience import Patience
from actors.ports import Answer, Passage
from events.base import Blob
from events.codec import canonical
from events.errors import PageNotFound, ResearchError
from events.websites import FetchOrder
from tests.emulator_claude import Wire

ADAPTERS = {
    "claude": "actors.adapters.claude:Claude",
    "tavily": "actors.adapters.web_search:WebSearch",
}
AT_ONCE = Patience(first=0.0, longest=0.0, most=0.0)


class Keys:
    """Keys that the emulator takes."""

    def __init__(self, wire: Wire, key: str, missing: str) -> None:
        self._credential, self._missing = Credential(key, wire.address), missing

    def credential(self, provider: str) -> Credential | None:
        return None if provider == self._missing else self._credential


class Outdoors:
    """Satisfies `actors.outside.Outside`; every host name leads to the emulator."""

    def __init__(self, wire: Wire, key: str = "a-key-of-some-length", missing: str = "") -> None:
        self._world = World(Keys(wire, key, missing), AnyParser(), adapters=ADAPTERS)

        def dial(address: str, port: int, seconds: float) -> httpcore2.NetworkStream:
            return httpcore2.SyncBackend().connect_tcp("127.0.0.1", wire.port, timeout=seconds)

        self._fetcher = Fetcher(
            FetchSettings(delay_s=0.0, first_byte_s=1.0),
            resolve=lambda host: ["93.184.216.34"],
            dial=dial,
        )

    def provider(self, name: str) -> Provider | None:
        return self._world.provider(name)

    def read(
        self, url: str, keep: Callable[[bytes], Blob], order: FetchOrder | None = None
    ) -> Page:
        return read_page(url, self._fetcher.fetch(url), AnyParser(), keep)


class Indoors:
    """Satisfies `actors.outside.Outside` without a network: the same answer to the same question.

    Each answer is written down outside the record.
    """

    def __init__(
        self,
        pages: dict[str, str],
        script: Sequence[dict[str, Any] | ResearchError],
        ledger: Path | None = None,
    ) -> None:
        self._pages, self._script, self._ledger = pages, script, ledger
        self._failed: set[int] = set()

    def provider(self, name: str) -> Provider | None:
        return _Scripted(self._search if name == "tavily" else self._message)

    def read(
        self, url: str, keep: Callable[[bytes], Blob], order: FetchOrder | None = None
    ) -> Page:
        self._served(f"fetch {url}")
        if url not in self._pages:
            raise PageNotFound(url, "the site has no such page", {})
        text = self._pages[url].encode()
        return Page(
            url=url,
            final_url=url,
            title="A page",
            media_type="text/plain",
            original=keep(b"raw " + text),
            text=keep(text),
            fetched_at="2026-11-16T00:00:00+00:00",
        )

    def _search(self, request: dict[str, Any]) -> Answer:
        self._served(f"search {request['query']}")
        found = [{"url": url, "title": "A page", "content": "…"} for url in self._pages]
        return Answer(content=canonical({"results": found}), model="tavily")

    def _message(self, request: dict[str, Any]) -> Answer:
        """What the script says at this point of the conversation; a failure only once."""
        said = sum(message["role"] == "assistant" for message in request["messages"])
        place = said + sum(1 for failed in self._failed if failed <= said)
        reply = self._script[min(place, len(self._script) - 1)]
        if isinstance(reply, ResearchError):
            self._failed.add(said)
            raise reply
        self._served(f"message {said}")
        usage = {"input_tokens": 100 + said, "output_tokens": 50}
        message = {"usage": usage, **reply}
        return Answer(content=canonical(message), model=request["model"], usage=usage_of(message))

    def _served(self, what: str) -> None:
        if self._ledger:
            with self._ledger.open("a") as file:
                file.write(what + "\n")


@dataclass(frozen=True)
class _Scripted:
    answer: Callable[[dict[str, Any]], Answer]

    def do(self, operation: str, request: dict[str, Any], pause: Pause) -> Answer:
        return self.answer(request)


class EmptyCorpus:
    """Holds nothing."""

    def search(
        self,
        query: str,
        limit: int,
        collections: tuple[str, ...] | None,
        among: tuple[str, ...] = (),
    ) -> list[Passage]:
        return []

    def likeness(self, question: str, texts: Sequence[str]) -> list[float | None]:
        return [None] * len(texts)


def teach(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing stand between the researcher and its emulators."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
