"""Who may speak to the HTTP server: bearer tokens with names and scopes, of which only hashes are kept.

A token is 256 random bits, so one plain hash of it is as hard to turn back as the token is to guess; nothing slower
would help. The file `tokens.json` of the data home is looked at again with each request, so that a token which was
added or removed counts at once in a server that runs.
"""

import fcntl
import hashlib
import hmac
import os
import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal, get_args

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from events.errors import AlreadyThere, BadRequest, HomeUnwritable
from events.logs import log
from events.secrets import TOKEN_PREFIX

Scope = Literal["read", "write", "admin"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
"""From the least to the most; each includes those before it."""

FILE = "tokens.json"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
_MOST = 200
"""Tokens of one data home."""

_LONGEST_LIFE = 3650
"""Days; who wants more leaves the expiry out."""

_LARGEST = 1 << 20
"""Bytes of the file; more is not ours."""


class Token(BaseModel):
    """One token as it is kept: enough to recognise it, not enough to use it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=f"^{_NAME.pattern}$")
    digest: str = Field(pattern=r"^[0-9a-f]{64}$", repr=False)
    ends_with: str = Field(max_length=4)
    """Its last characters, for somebody who wonders which one it is."""

    scopes: tuple[Scope, ...] = Field(min_length=1)
    created: AwareDatetime
    expires: AwareDatetime | None = None

    def grants(self) -> frozenset[str]:
        """Every scope that it has or includes."""
        highest = max(SCOPES.index(scope) for scope in self.scopes)
        return frozenset(SCOPES[: highest + 1])

    def counts(self, now: datetime) -> bool:
        """Whether it has not expired."""
        return self.expires is None or now < self.expires


class _Kept(BaseModel):
    """The file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1] = 1
    tokens: tuple[Token, ...] = Field(default=(), max_length=_MOST)


def make_token(name: str, scopes: Sequence[Scope], days: float | None = None) -> tuple[str, Token]:
    """A new token, and what is kept of it."""
    if not _NAME.fullmatch(name):
        raise BadRequest(
            f"A token cannot be called {name[:80]!r}.",
            "Use up to 60 letters, digits, dots, dashes and underscores.",
        )
    if days is not None and not 0 < days <= _LONGEST_LIFE:
        raise BadRequest(
            f"A token cannot expire after {days:g} days.",
            f"Give a number up to {_LONGEST_LIFE}, or leave it out for one that stays.",
        )
    now = datetime.now(UTC).replace(microsecond=0)
    spelled = TOKEN_PREFIX + secrets.token_urlsafe(32)
    return spelled, Token(
        name=name,
        digest=digest_of(spelled),
        ends_with=spelled[-4:],
        scopes=tuple(scopes),
        created=now,
        expires=None if days is None else now + timedelta(days=days),
    )


def digest_of(spelled: str) -> str:
    """What is kept of a token, a session or a login code."""
    return hashlib.sha256(spelled.encode("utf-8", "surrogatepass")).hexdigest()


class TokenStore:
    """The tokens of one data home, and those that this process made for itself."""

    def __init__(self, home: Path, guests: Sequence[Token] = ()) -> None:
        self._home, self._path = home, home / FILE
        self._guests = tuple(guests)
        self._seen: tuple[int, int, int] | None = None
        self._stored: tuple[Token, ...] = ()

    # -- asking -----------------------------------------------------------------------------------

    def find(self, spelled: str) -> Token | None:
        """The token that was presented, if it is one and counts."""
        return self.holder(digest_of(spelled))

    def holder(self, digest: str) -> Token | None:
        """The token with that hash, if it counts; all are compared, in the same time each."""
        found = None
        for token in (*self._current(), *self._guests):
            if hmac.compare_digest(token.digest, digest):
                found = token
        return found if found and found.counts(datetime.now(UTC)) else None

    def any_counts(self) -> bool:
        """Whether somebody holds a stored token that has not expired."""
        now = datetime.now(UTC)
        return any(token.counts(now) for token in self._current())

    def _current(self) -> tuple[Token, ...]:
        """The stored tokens as they are now. A file that cannot be trusted lets nobody in."""
        try:
            seen = self._path.stat()
        except OSError:
            self._seen, self._stored = None, ()
            return ()
        mark = seen.st_ino, seen.st_ctime_ns, seen.st_size
        if mark != self._seen:
            try:
                self._stored = self.listed()
            except (BadRequest, OSError) as trouble:
                log("tokens").error("the tokens cannot be used", why=str(trouble))
                self._stored = ()
            self._seen = mark
        return self._stored

    def listed(self) -> tuple[Token, ...]:
        """The stored tokens; refuses a file that others could have changed or that makes no sense."""
        try:
            with self._path.open("rb") as file:
                mode = os.fstat(file.fileno()).st_mode
                raw = file.read(_LARGEST + 1)
        except FileNotFoundError:
            return ()
        if mode & 0o077:
            raise BadRequest(
                f"Others may open {self._path}.", f"Run chmod 600 on it. (It is {mode & 0o777:o}.)"
            )
        try:
            return _Kept.model_validate_json(raw[:_LARGEST]).tokens
        except ValidationError:
            raise BadRequest(
                f"{self._path} is not a list of tokens.", "Remove it and make the tokens anew."
            ) from None

    # -- changing ---------------------------------------------------------------------------------

    def add(self, name: str, scopes: Sequence[Scope], days: float | None = None) -> str:
        """Make a token and keep its hash; the token itself is told this once."""
        spelled, token = make_token(name, scopes, days)
        with self._alone():
            stored = self.listed()
            if any(each.name == name for each in stored):
                raise AlreadyThere("a token", name)
            if len(stored) >= _MOST:
                raise BadRequest(
                    f"There are {_MOST} tokens already.", "Remove those that nobody uses."
                )
            self._keep((*stored, token))
        return spelled

    def remove(self, name: str) -> Token:
        """Take a token away; from now on nobody gets in with it."""
        with self._alone():
            stored = self.listed()
            gone = next((each for each in stored if each.name == name), None)
            if gone is None:
                names = ", ".join(each.name for each in stored) or "none"
                raise BadRequest(
                    f"There is no token called {name[:80]!r}.", f"Existing tokens: {names}."
                )
            self._keep(tuple(each for each in stored if each is not gone))
        return gone

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One at a time, across processes: the lock is on the folder, so it leaves nothing behind."""
        try:
            self._home.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder = os.open(self._home, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as failure:
            raise HomeUnwritable(str(self._home), failure.strerror or str(failure)) from failure
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)

    def _keep(self, tokens: tuple[Token, ...]) -> None:
        aside = self._path.with_name(f".{FILE}.{os.getpid()}")
        raw = _Kept(tokens=tokens).model_dump_json(indent=1).encode() + b"\n"
        with suppress(FileNotFoundError):
            aside.unlink()  # Of a process with our number that was killed here.
        try:
            descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(raw)
                file.flush()
                os.fsync(file.fileno())
            aside.replace(self._path)
        except OSError as failure:
            with suppress(OSError):
                aside.unlink()
            raise HomeUnwritable(str(self._home), failure.strerror or str(failure)) from failure
