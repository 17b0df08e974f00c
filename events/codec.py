"""Facts to sealed lines and back.

A line is one JSON object whose last two members are always `prev` and `hash`:

    {"v":1,"stream":…,"seq":…,"at":…,"epoch":…,"cause":…,"left":…,"event":{…},"prev":…,"hash":…}

The hash is taken over the very bytes stored, up to and without `,"hash":…`, closed by `}`. Both digests
sit at a fixed distance from the line's end, so a chain is checked without parsing anything.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from hashlib import sha256
from typing import Any

import orjson
from pydantic import ValidationError

from events import calls, catalogue, ingest, queries, research, shelves, task, upkeep, websites
from events.base import Fact, UnknownFact
from events.errors import BrokenChain, UnknownWording
from events.secrets import may_hold_secret, redact_event
from events.spelling import canonical as canonical
from events.spelling import decode as decode
from events.spelling import digest as digest

FORMAT = 1
"""Version of the line format; a reader refuses later ones."""

GENESIS = "sha256:" + "0" * 64
"""What the first line of every stream follows."""

_BLANK = sha256()
_LINE = b'%b%d%b%d,"event":%b,"prev":"sha256:%b"'
_SEAL = b',"hash":"sha256:'
_PREV = b',"prev":"sha256:'
_TAIL = len(_SEAL) + 64 + 2
_LINK = _TAIL + 64 + 1
_END = _LINK + len(_PREV)

# Both can only be the line's own: inside a string, a quote has a backslash before it.
_AT = b',"at":"'
_EVENT = b',"event":{"kind":"'
_BODY = len(b',"event":')
_PLACED = re.compile(rb'[^"]*"v":[0-9]+,"stream":"([a-z0-9.-]+)","seq":([0-9]{1,18}),')

FACTS: dict[str, type[Fact]] = {
    cls.model_fields["kind"].default: cls
    for module in (upkeep, calls, catalogue, shelves, task, research, ingest, queries, websites)
    for cls in vars(module).values()
    if isinstance(cls, type) and issubclass(cls, Fact) and "kind" in cls.__annotations__
    if cls is not Fact and cls is not UnknownFact
}
"""Every kind of fact there has ever been, by its name on disk."""

_KINDS = {kind.encode(): kind for kind in FACTS}


class Record:
    """A fact in its place. Cheap to make: nothing is parsed until it is asked for."""

    __slots__ = ("_data", "_event", "_line", "_place", "kind")

    def __init__(self, line: bytes) -> None:
        """Take a sealed line without its newline; `ValueError` if it records no event."""
        event = line.index(_EVENT)
        start = event + len(_EVENT)
        name = line[start : line.find(b'"', start)]
        self._line = line
        self._event = event
        self._data: dict[str, Any] | None = None
        self._place: dict[str, Any] | None = None
        self.kind = _KINDS.get(name) or name.decode()
        """The fact's name."""

    @property
    def line(self) -> bytes:
        """All of it as it stands in its file, without the newline."""
        return self._line

    @property
    def length(self) -> int:
        """Bytes of the whole line, newline included."""
        return len(self._line) + 1

    @property
    def stream(self) -> str:
        """The stream it belongs to."""
        return self._where()["stream"]  # type: ignore[no-any-return]

    @property
    def seq(self) -> int:
        """Its number there, from 1."""
        return self._where()["seq"]  # type: ignore[no-any-return]

    @property
    def at(self) -> str:
        """When it was written, UTC."""
        start = self._line.index(_AT) + len(_AT)
        return self._line[start : self._line.index(b'"', start)].decode()

    @property
    def epoch(self) -> int:
        """Which writer wrote it."""
        return self._where()["epoch"]  # type: ignore[no-any-return]

    @property
    def cause(self) -> str | None:
        """What led to it: a command, a correlation id, a record elsewhere."""
        return self._where()["cause"]  # type: ignore[no-any-return]

    @property
    def left(self) -> int:
        """How many lines of the same decision follow."""
        start = self._line.rindex(b":", 0, self._event) + 1
        return int(self._line[start : self._event])

    @property
    def prev(self) -> str:
        """Hash of the line before."""
        return "sha256:" + self._line[-_LINK : -_TAIL - 1].decode()

    @property
    def hash(self) -> str:
        """Its own hash."""
        return "sha256:" + self._line[-66:-2].decode()

    @property
    def data(self) -> dict[str, Any]:
        """The fact as stored."""
        if self._data is None:
            self._data = orjson.loads(self._line[self._event + _BODY : -_END])
        return self._data

    @property
    def raw(self) -> bytes:
        """The fact as stored, unparsed."""
        return self._line[self._event + _BODY : -_END]

    @property
    def fact(self) -> Fact:
        """The fact itself."""
        try:
            return to_fact(self.data)
        except ValidationError:
            raise UnknownWording(*self._place_in_file(), self.kind) from None
        except orjson.JSONDecodeError:
            raise BrokenChain(*self._place_in_file(), "its event cannot be read") from None

    def _where(self) -> dict[str, Any]:
        if self._place is None:
            self._place = orjson.loads(self._line[: self._event] + b"}")
        return self._place

    def _place_in_file(self) -> tuple[str, int]:
        """File and line, of a line whose JSON may be wrong."""
        found = _PLACED.match(self._line)
        return (f"{found[1].decode()}.jsonl", int(found[2])) if found else ("a trace", 0)


def to_fact(data: dict[str, Any]) -> Fact:
    """Build a fact from its stored form; an unknown kind is carried along as it is."""
    return FACTS.get(data["kind"], UnknownFact).model_validate(data)


def as_recorded(fact: Fact) -> Fact:
    """The fact as it will be read back: without anything that looks like a secret."""
    raw = fact.__pydantic_serializer__.to_json(fact)
    return to_fact(orjson.loads(redact_event(raw))) if may_hold_secret(raw) else fact


@lru_cache(maxsize=64)
def _start(stream: str) -> bytes:
    return b'{"v":%d,"stream":%b,"seq":' % (FORMAT, orjson.dumps(stream))


def seal(
    stream: str, seq: int, at: str, epoch: int, cause: str | None, prev: str, facts: Iterable[Fact]
) -> tuple[list[bytes], str]:
    """The lines of one decision, chained onto `prev`, and the hash of the last one."""
    lines: list[bytes] = []
    events = [fact.__pydantic_serializer__.to_json(fact) for fact in facts]
    if may_hold_secret(b"".join(events)):
        events = [redact_event(event) for event in events]
    start = _start(stream)
    why = b"null" if cause is None else orjson.dumps(cause)
    middle = b',"at":"%b","epoch":%d,"cause":%b,"left":' % (at.encode(), epoch, why)
    # The loop is what a batch costs beyond its disk: nothing is made here that is not written,
    # and a copied hash is begun sooner than a new one.
    line, add, fresh, last, left = _LINE, lines.append, _BLANK.copy, bare(prev), len(events)
    for event in events:
        seq += 1
        left -= 1
        body = line % (start, seq, middle, left, event, last)
        hashed = fresh()
        hashed.update(body)
        hashed.update(b"}")
        last = hashed.hexdigest().encode()
        add(b'%b,"hash":"sha256:%b"}\n' % (body, last))
    return lines, "sha256:" + last.decode()


def chain(lines: list[bytes], prev: str) -> list[str] | None:
    """The digests of lines (without newlines) if each is whole and follows the one before it.

    All digests are bare hex; `prev` is what the first line has to follow.
    """
    sealed = [sha256(line[:-_TAIL] + b"}").hexdigest() for line in lines]
    ends = [
        f',"prev":"sha256:{before}","hash":"sha256:{own}"}}'.encode()
        for before, own in zip((prev, *sealed), sealed, strict=False)
    ]
    return sealed if all(map(bytes.endswith, lines, ends)) else None


def link_fault(line: bytes, prev: bytes) -> str | None:
    """Why a line (without its newline) does not follow `prev` (bare hex), or none."""
    if line[-_TAIL : -_TAIL + len(_SEAL)] != _SEAL:
        return "the line has no seal"
    if sha256(line[:-_TAIL] + b"}").hexdigest().encode() != line[-66:-2]:
        return "the line does not match its hash"
    if line[-_END : -_TAIL - 1] != _PREV + prev:
        return "the line does not follow the one before it"
    return None


def bare(tagged: str) -> bytes:
    """A tagged digest's hex digits."""
    return tagged[7:].encode()


def unseal(line: bytes) -> dict[str, Any]:
    """The members of a line."""
    return orjson.loads(line)  # type: ignore[no-any-return]
