"""The fold states of all streams but the catalogue: each caught up with when it is asked for.

A stream whose end is anchored and reached is at rest: kept packed, and its file is never looked at
again. For every other stream the cursor is a hint. Where it does not fit the file, the stream
is folded from zero; only what is found then can convict the file.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from events.anchor import read_anchor
from events.errors import BrokenChain
from events.home import Home
from events.tail import cursor_fits, file_size, read_parts
from projections.catalogue import Anchor
from projections.folded import Folded, Role, fold
from projections.packing import pack_folded, packed_at_rest, packed_name, unpack_folded

MALFORMED = (KeyError, TypeError, ValueError, AttributeError, ArithmeticError)
"""What folding a line raises when its members are not those of its kind."""

ODD = "up to here, some line lacks what its kind has to say"


@lru_cache(256)
def _at_rest(line: bytes) -> Folded:
    """A state that is kept packed; those that are asked for again and again are unpacked once."""
    return unpack_folded(line)


class Streams:
    """Fold states by stream. Not safe to share between threads: `Views` holds the lock."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._moving: dict[str, Folded] = {}
        self._resting: dict[str, bytes] = {}
        self._unproven: set[str] = set()
        self.facts = 0
        """How many this object has folded."""

    def at_rest(self, name: str) -> bool:
        """Whether a stream has ended and was folded to its end."""
        return name in self._resting

    def is_near(self, name: str, most: int) -> bool:
        """Whether a stream was folded up to so many bytes before its end."""
        if self.at_rest(name):
            return True
        known = self._moving.get(name)
        if known is None or name in self._unproven:  # It may have to be folded from zero.
            return False
        return 0 <= self._growth(name, known) <= most

    def _growth(self, name: str, known: Folded) -> int:
        return file_size(self._home.path(name)) - known.cursor.offset

    def catch_up(self, name: str, role: Role, owner: str, end: Anchor | None) -> Folded:
        """The stream's state, with everything that was acknowledged before this call."""
        if (line := self._resting.get(name)) is not None:
            state = _at_rest(line)
            if state.reached(end) and state.role == role:
                return state
            del self._resting[name]
        path = self._home.path(name)
        known = self._moving.pop(name, None)
        going = self._continue(path, known) if known and known.role == role else None
        state = going or self._start(path, Folded(role, owner), end)
        if end is None:
            self._moving[name] = state
        elif state.reached(end):
            self._resting[name] = pack_folded(name, state, resting=True)
        else:
            found = min(state.cursor.seq, end.seq)
            raise BrokenChain(
                path.name, found, "the stream does not end where its end was recorded"
            )
        return state

    def _continue(self, path: Path, state: Folded) -> Folded | None:
        """Go on from what is known, if the file still is what was folded."""
        size, offset = file_size(path), state.cursor.offset
        # Lines that were read but never acknowledged may have been taken back.
        if size == offset or path.stem in self._unproven:
            self._unproven.discard(path.stem)
            if not cursor_fits(path, state.cursor):
                return None
        if size == offset:
            return state
        with suppress(BrokenChain):
            return self._fold(path, state) if size > offset else None
        return None

    def _start(self, path: Path, fresh: Folded, end: Anchor | None) -> Folded:
        """Fold from zero; whatever is wrong now is wrong with the file."""
        # Looked at before the stream: what it mentions is then there, or gone.
        noted = None if end else read_anchor(path)
        state = self._fold(path, fresh)
        if noted and noted[0] > state.cursor.seq:
            raise BrokenChain(path.name, state.cursor.seq + 1, "acknowledged lines are gone")
        return state

    def _fold(self, path: Path, state: Folded) -> Folded:
        for records, cursor in read_parts(path, state.cursor):
            try:
                state = fold(state, records, cursor)
            except MALFORMED as failure:
                raise BrokenChain(path.name, cursor.seq, ODD) from failure
            self.facts += len(records)
        return state

    # -- sharing the work ---------------------------------------------------------------------------

    def take_resting(self) -> Iterator[bytes]:
        """Hand over, and forget, the states of streams that were folded to their ends."""
        states, self._resting = self._resting, {}
        yield from states.values()

    def take_over(self, states: Iterable[bytes], facts: int) -> None:
        """Take in what another process handed over."""
        self.unpack(states)
        self.facts += facts

    # -- snapshots ---------------------------------------------------------------------------------

    def pack(self) -> Iterator[bytes]:
        """Every state, a line each."""
        yield from self._resting.values()
        for name, state in self._moving.items():
            yield pack_folded(name, state, resting=False)

    def unpack(self, lines: Iterable[bytes]) -> None:
        """Take over what was packed; what still moves is proven against its file before use."""
        for line in lines:
            name = packed_name(line)
            if packed_at_rest(line):
                self._resting[name] = line
            else:
                self._moving[name] = unpack_folded(line)
                self._unproven.add(name)
