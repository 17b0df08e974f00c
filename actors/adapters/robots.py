"""What a site asks of robots in its robots.txt, by RFC 9309, with the delay many sites add."""

import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import quote

LONGEST = 500 * 1024
"""Bytes of a robots.txt that are read; the rest is passed over, as the standard allows."""

_MOST_RULES = 5_000
_MOST_SITEMAPS = 1_000
_MOST_ORIGINS = 4_096
_ESCAPE = re.compile("%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


@dataclass(frozen=True)
class _Rule:
    allow: bool
    pattern: str

    def matches(self, path: str) -> bool:
        """`*` stands for anything, `$` for the end; found from left to right, without backtracking."""
        whole = self.pattern.endswith("$")
        first, *parts = (self.pattern[:-1] if whole else self.pattern).split("*")
        if not path.startswith(first):
            return False
        place = len(first)
        if not parts:
            return not whole or place == len(path)
        last = parts.pop() if whole else ""
        for part in parts:
            found = path.find(part, place)
            if found < 0:
                return False
            place = found + len(part)
        return not whole or (path.endswith(last) and len(path) - len(last) >= place)


@dataclass(frozen=True)
class Robots:
    """What one robot may do at one site."""

    rules: tuple[_Rule, ...] = ()
    crawl_delay: float | None = None
    sitemaps: tuple[str, ...] = ()
    unavailable: str = ""
    """Why there is no knowing: then nothing may be read."""

    def allows(self, path: str) -> bool:
        """Whether a path, with its query, may be read: the longest rule decides, and allowing wins."""
        if self.unavailable:
            return False
        path = _normal(path)
        if path == "/robots.txt":
            return True
        fitting = [rule for rule in self.rules if rule.matches(path)]
        return max(((len(rule.pattern), rule.allow) for rule in fitting), default=(0, True))[1]


def read_robots(raw: bytes, agent: str) -> Robots:
    """The rules for that robot, by the product token it goes by."""
    named, anyone = _Group(), _Group()
    sitemaps: list[str] = []
    listening: list[_Group] = []
    in_head = False
    for line in raw[:LONGEST].decode("utf-8-sig", "replace").splitlines():
        key, colon, value = line.partition("#")[0].partition(":")
        key, value = key.strip().lower(), value.strip()
        if not colon:
            continue
        if key == "user-agent":
            if not in_head:
                listening, in_head = [], True
            token = re.match(r"[A-Za-z_-]*|\*", value)
            if value.startswith("*"):
                listening.append(anyone)
            elif token and token[0].lower() == agent.lower():
                listening.append(named)
                named.present = True
        elif key == "sitemap":
            sitemaps.append(value)
        elif key in ("allow", "disallow", "crawl-delay"):
            in_head = False
            for group in listening:
                group.take(key, value)
    group = named if named.present else anyone
    return Robots(tuple(group.rules), group.delay, tuple(sitemaps[:_MOST_SITEMAPS]))


@dataclass
class _Group:
    rules: list[_Rule] = field(default_factory=list)
    delay: float | None = None
    present: bool = False

    def take(self, key: str, value: str) -> None:
        if key == "crawl-delay":
            if re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})?", value, re.ASCII):
                self.delay = max(self.delay or 0.0, float(value))
        elif value and len(self.rules) < _MOST_RULES:
            self.rules.append(_Rule(key == "allow", _normal(value)))


def _normal(path: str) -> str:
    """One spelling for what may be percent-encoded or not."""

    def one(match: re.Match[str]) -> str:
        code = int(match[1], 16)
        return chr(code) if code in _UNRESERVED else match[0].upper()

    return _ESCAPE.sub(one, quote(path, safe="%/?#[]@!$&'()*+,;=:~-._|\\^`{}\"<>"))


class RobotsCache:
    """Each site's wishes, asked for once in a while."""

    def __init__(
        self, ask: Callable[[str], tuple[Robots, float]], now: Callable[[], float]
    ) -> None:
        """`ask` learns an origin's wishes and for how many seconds they hold."""
        self._ask, self._now = ask, now
        self._known: dict[str, tuple[Robots, float]] = {}
        self._asking: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def of(self, origin: str) -> Robots:
        """The wishes of a site; several threads that want them ask once."""
        with self._lock:
            if len(self._known) > _MOST_ORIGINS:
                self._known.clear()
                self._asking.clear()
            asking = self._asking.setdefault(origin, threading.Lock())
        with asking:
            robots, until = self._known.get(origin, (None, 0.0))
            if robots is None or until <= self._now():
                robots, seconds = self._ask(origin)
                self._known[origin] = (robots, self._now() + seconds)
            return robots
