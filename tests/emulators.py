"""Stand-ins for the slow and the hostile parts of the world, used by engines that tests start."""

import json
import os
import re
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from actors.adapters.fetching import Fetcher
from actors.adapters.pages import Fetched, FetchSettings
from actors.keys import Credential, KeySource
from actors.outside import World
from actors.ports import Parsed, Parser
from events.websites import FetchOrder
from projections.search import open_corpus

PAGES_AT = "TEST_PAGES_AT"
"""In the environment: where the pages of an emulated web are, as `host:port`."""


class SlowCorpus:
    """The real corpus, slowed down, with every answer it gives written down outside the record.

    `run/pace` in the data home says how many seconds an answer takes; it is read anew each time.
    """

    def __init__(self, home: str) -> None:
        self._corpus = open_corpus(home)
        self._run = Path(home) / "run"

    def search(
        self,
        query: str,
        limit: int,
        collections: tuple[str, ...] | None,
        among: tuple[str, ...] = (),
    ) -> list[dict[str, Any]]:
        until = time.monotonic()
        began = until
        while time.monotonic() - began < self._pace():
            time.sleep(0.02)
        found: list[dict[str, Any]] = self._corpus.search(query, limit, collections, among)
        with (self._run / "served").open("a") as file:
            file.write(json.dumps(query) + "\n")
        return found

    def likeness(self, question: str, texts: Sequence[str]) -> list[float | None]:
        return [None] * len(texts)

    def _pace(self) -> float:
        try:
            return float((self._run / "pace").read_text() or 0)
        except (FileNotFoundError, ValueError):
            return 0.0


class BriskWorld(World):
    """The real world at an emulator's pace, with an emulated web on loopback."""

    def __init__(self, keys: KeySource, parser: Parser) -> None:
        adapters = {"gemini": "tests.emulators:brisk_gemini"}
        super().__init__(keys, parser, "tests.emulators:LoopbackFetcher", adapters)


def brisk_gemini(credential: Credential) -> Any:
    gemini = _opened(credential)
    gemini._listening.clear()
    return gemini


@cache
def _opened(credential: Credential) -> Any:
    """Opening the door takes half a second, so each is opened once."""
    from actors.adapters.gemini import Gemini, Pace

    pace = Pace(first=0.01, longest=0.05, idle=0.5, call=2.0, last_word=1.0)
    return Gemini(credential, pace)


class LoopbackFetcher:
    """Fetches from the emulated web, without waiting between two pages."""

    def __init__(self, hosts: Path | None) -> None:
        allowed = (os.environ[PAGES_AT],)
        settings = FetchSettings(
            hosts=str(hosts or ""), allow_hosts=allowed, delay_s=0.0, per_host=8
        )
        self._fetcher = Fetcher(settings)

    def __call__(self, url: str, order: FetchOrder) -> Fetched:
        return self._fetcher.fetch(url)


class PlainParser:
    """Takes the tags out of a page, and is quick about it."""

    def parse(self, name: str, raw: bytes) -> Parsed:
        page = raw.decode()
        title = re.search(r"<title>(.*?)</title>", page)
        body = re.sub(r"<head>.*?</head>", "", page, flags=re.S)
        text = re.sub(r"\s*\n\s*", "\n\n", re.sub(r"</?[^>]+>", "\n", body)).strip()
        named = title.group(1) if title else ""
        return Parsed(title=named, media_type="text/html", text=text, blocks=())


class HeldKeys:
    """Keys that a test holds in its hand."""

    def __init__(self, credential: Credential | None) -> None:
        self.held = credential

    def credential(self, provider: str) -> Credential | None:
        return self.held
