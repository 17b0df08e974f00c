"""The tables of the audit as they stood at any time or event."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.errors import BadRequest
from events.home import Home
from projections.audit import _moment
from tests.audit_homes import Unanswered, ask_here
from tests.audit_tables import built, dump, filled, plain_dump, small_pieces
from tests.homes import BuiltHome, copy_home, lines_of

__all__ = ["built", "filled", "small_pieces"]


def at(line: bytes) -> str:
    return line.split(b'"at":"', 1)[1][:27].decode()


def cut(built: BuiltHome, to: Path, until: str, ends: tuple[str, int] = ("", 0)) -> Home:
    """The same home as it stood at a time; one stream may be said to have ended at a line then."""
    copied = copy_home(built, to)
    for path in copied.traces():
        lines = lines_of(path)
        kept = [line for line in lines if at(line) <= until]
        if path.stem == ends[0]:
            kept = lines[: ends[1]]
        path.write_bytes(b"".join(kept))
        if not kept:
            path.unlink()
    return copied.home


@pytest.mark.parametrize("share", [0.1, 0.35, 0.5, 0.8, 1.0])
def test_as_of_a_time_the_tables_are_those_of_the_home_as_it_was(
    share: float, filled: BuiltHome, tmp_path: Path
) -> None:
    times = sorted(at(line) for path in filled.traces() for line in lines_of(path))
    moment = times[int(share * (len(times) - 1))]
    assert dump(filled.home, moment) == plain_dump(cut(filled, tmp_path / "past", moment))


@settings(max_examples=8)
@given(place=st.integers(0, 10_000))
def test_as_of_any_event_the_tables_are_those_of_the_home_as_it_was(
    place: int, filled: BuiltHome, tmp_path_factory: pytest.TempPathFactory
) -> None:
    places = [
        (path.stem, seq, line)
        for path in filled.traces()
        for seq, line in enumerate(lines_of(path), 1)
    ]
    stream, seq, line = places[place % len(places)]
    # The decision that the event is part of, whole.
    until = seq + int(line.split(b'"left":', 1)[1].split(b",", 1)[0])
    past = cut(filled, tmp_path_factory.mktemp("past") / "home", at(line), (stream, until))
    expected = plain_dump(past)
    assert dump(filled.home, f"{stream}:{seq}") == expected
    assert dump(filled.home, line.rsplit(b'"', 2)[1].decode()) == expected


@pytest.mark.parametrize("day", ["2026-11-16", "20261116", "2026-W47-1"])
def test_a_day_is_all_of_it_however_it_is_spelled(day: str) -> None:
    assert _moment(day) == {"time": "2026-11-16T23:59:59.999999", "said": day}


def test_as_of_an_event_by_place_or_by_hash_includes_its_whole_decision(filled: BuiltHome) -> None:
    task = filled.tasks[0]
    accepted = lines_of(filled.stream(task))[1]
    assert b'"left":2' in accepted
    hash_ = accepted.rsplit(b'"', 2)[1].decode()
    sql = f"select max(seq) as seq from events where stream = '{task}'"
    for moment in (f"{task}:2", f"{task}:4", hash_, hash_.removeprefix("sha256:")):
        assert ask_here(filled.home, sql, moment) == [{"seq": 4}]
    assert ask_here(filled.home, sql, f"{task}:1") == [{"seq": 1}]


def test_what_is_neither_a_time_nor_an_event_is_refused(filled: BuiltHome) -> None:
    with pytest.raises(Unanswered, match="moment"):
        ask_here(filled.home, "from tasks", "catalogue:99999")
    beyond = ("0001-01-01T00:00:00+14:00", "9999-12-31T23:00:00-02:00")
    for odd in ("yesterday", "catalogue:", ":3", "2026-13-01", "a b:1", *beyond):
        with pytest.raises(BadRequest):
            ask_here(filled.home, "from tasks", odd)
