"""A fetcher for tests: names that lead to a site on loopback, and time that passes when somebody sleeps."""

import ssl
from collections.abc import Callable, Sequence
from dataclasses import replace

import httpcore2

from actors.adapters import dialling
from actors.adapters.fetching import Fetcher
from actors.adapters.pages import FetchSettings
from tests.webserver import Site

PUBLIC = "93.184.216.34"


class Clock:
    """Time that passes only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 3))
        self.now += seconds


def fetcher(site: Site, clock: Clock | None = None, **settings: object) -> Fetcher:
    clock = clock or Clock()
    chosen = FetchSettings(allow_hosts=(site.host,), delay_s=0.0)
    chosen = replace(chosen, **settings)  # type: ignore[arg-type]
    return Fetcher(chosen, now=clock, sleep=clock.sleep)


class World:
    """Names that all lead, by way of public addresses, to one site on loopback."""

    def __init__(self, site: Site, names: dict[str, Sequence[str]] | None = None) -> None:
        self.site = site
        self.names = names or {}
        self.dialled: list[tuple[str, int]] = []
        self.looked_up: list[str] = []

    def resolve(self, host: str) -> Sequence[str]:
        self.looked_up.append(host)
        return self.names.get(host, [PUBLIC])

    def dial(self, address: str, port: int, seconds: float) -> httpcore2.NetworkStream:
        self.dialled.append((address, port))
        return dialling.dial("127.0.0.1", self.site.port, seconds)

    def fetcher(
        self, roots: Callable[[], ssl.SSLContext] = dialling.trusted_roots, **settings: object
    ) -> Fetcher:
        clock = Clock()
        chosen = replace(FetchSettings(delay_s=0.0), **settings)  # type: ignore[arg-type]
        return Fetcher(
            chosen,
            resolve=self.resolve,
            dial=self.dial,
            roots=roots,
            now=clock,
            sleep=clock.sleep,
        )
