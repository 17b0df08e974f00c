"""What a fetch is told, and what it brings home."""

import json
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from typing import Self

from actors.adapters import sniffing

AGENT = "research-agent"
"""The name by which robots.txt speaks to us."""

READABLE = (
    *(sniffing.HTML, sniffing.XHTML, sniffing.MARKDOWN, "text/*", sniffing.PDF),
    *(sniffing.XML, sniffing.RSS, sniffing.ATOM, sniffing.JSON),
)
"""Types that are taken unless the caller wants fewer."""


@dataclass(frozen=True)
class FetchSettings:
    """How pages are fetched."""

    contact: str = ""
    """An address or URL in the User-Agent, for those who want to ask about it."""

    connect_s: float = 10.0
    first_byte_s: float = 20.0
    whole_s: float = 60.0
    """Of all requests of one fetch, redirects included, without the waiting between them."""

    max_bytes: int = 20 << 20
    """Of a body, as it was sent and as it is unpacked."""

    max_redirects: int = 5
    obey_robots: bool = True
    robots_ttl_s: float = 3_600.0
    per_host: int = 2
    """Requests to one host at the same time."""

    delay_s: float = 1.0
    """Between the beginnings of two requests to one host."""

    max_crawl_delay_s: float = 30.0
    """The longest delay that a robots.txt can ask for and get."""

    patience_s: float = 15.0
    """A host that wants a longer pause is not waited for."""

    redirectors: tuple[str, ...] = ("vertexaisearch.cloud.google.com",)
    """Hosts whose links a provider hands out to be followed; where they lead to is asked for leave, they are not."""

    hosts: str = ""
    """A folder in which all processes of a data home keep whose turn it is; none keeps it to oneself."""

    allow_hosts: tuple[str, ...] = ()
    """Test hosts, as `host:port`, that may be on this machine's loopback."""

    @property
    def user_agent(self) -> str:
        """Who we say we are."""
        return f"{AGENT}/{version(AGENT)}" + (f" (+{self.contact})" if self.contact else "")


@dataclass(frozen=True)
class Hop:
    """One request on the way to a page."""

    url: str
    status: int
    address: str


@dataclass(frozen=True)
class Fetched:
    """A page as it was served, or the news that it has not changed (status 304)."""

    url: str
    """As it was asked for, in normal form."""

    final_url: str
    hops: tuple[Hop, ...]
    """Every request, the last one included."""

    status: int
    media_type: str
    """As the bytes show it; empty for a 304."""

    content_type: str
    """As the server states it."""

    charset: str
    etag: str
    last_modified: str
    date: str
    address: str
    body: bytes = field(repr=False)
    rendered: bool = False
    """The body is the page as a browser shows it, after its scripts have run."""

    @property
    def not_modified(self) -> bool:
        """Whether what one has is still what is there."""
        return self.status == 304

    def metadata(self) -> dict[str, object]:
        """All but the body, as it can be written into a fact."""
        return {name: value for name, value in asdict(self).items() if name != "body"}

    def pack(self) -> bytes:
        """The whole as bytes, for an answer that is kept."""
        return json.dumps(self.metadata(), sort_keys=True).encode() + b"\n" + self.body

    @classmethod
    def unpack(cls, packed: bytes) -> Self:
        """What was packed."""
        first, _, body = packed.partition(b"\n")
        known = json.loads(first)
        known["hops"] = tuple(Hop(**hop) for hop in known["hops"])
        return cls(**known, body=body)
