"""Writers that die one after the other: at once or after a while, and how long the next one rests."""

from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from actors import hosts
from actors.archive import LocalArchive
from actors.vain_claims import (
    AT_ONCE,
    LONGEST_REST,
    UNDELAYED,
    VAIN_CLAIMS,
    rest,
    vain_claims,
)
from events.catalogue import Brief
from events.codec import Record
from events.errors import Poisoned
from events.home import Home
from events.research import StepTaken
from events.stream import EventStream

START = datetime(2026, 11, 16, 12, tzinfo=UTC)


@pytest.fixture
def trace(home: Home) -> Path:
    return home.path("stream")


def claimed(trace: Path, *seconds: float) -> list[Record]:
    """A stream that was claimed at these times."""
    past: list[Record] = []
    for at in seconds:
        moment = (START + timedelta(seconds=at)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        stream, past = EventStream.claim(trace, "a writer that dies", now=partial(str, moment))
        stream.close()
    return past


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def test_a_stream_whose_writers_die_one_after_the_other_is_left_alone(home: Home) -> None:
    archive = LocalArchive(home)
    task, _ = archive.catalogue.enter_task(Brief(question="Why?"))
    for _ in range(VAIN_CLAIMS):
        archive.claim(task, "a writer that dies")[0].close()
    with pytest.raises(Poisoned):
        archive.claim(task, "one too many")


def test_a_machine_that_is_switched_off_each_day_does_not_make_a_waiting_task_a_dying_one(
    trace: Path,
) -> None:
    days = [day * 86_400.0 for day in range(3 * VAIN_CLAIMS)]
    past = claimed(trace, *days)
    assert vain_claims(past, at(days[-1] + 1)) == 1
    assert rest(past, at(days[-1] + 1)) == 0.0


def test_only_writers_that_were_gone_at_once_are_counted(trace: Path) -> None:
    past = claimed(trace, 0, 1, 2, 2 + AT_ONCE + 1, 2 + AT_ONCE + 2)
    assert vain_claims(past, at(2 + AT_ONCE + 3)) == 2


def test_whoever_wrote_something_was_not_there_in_vain(trace: Path) -> None:
    claimed(trace, *range(UNDELAYED))
    stream, _ = EventStream.claim(trace, "one that works")
    stream.append(StepTaken(step=1, action="look", decision="because"))
    stream.close()
    past = claimed(trace, 100)
    assert vain_claims(past, at(101)) == 1


def test_rests_grow_and_end(trace: Path) -> None:
    now = float(UNDELAYED)
    past = claimed(trace, *range(UNDELAYED))
    rests = []
    for _ in range(7):
        rests.append(rest(past, at(now - 1)))
        now += LONGEST_REST
        past = claimed(trace, now - 1)
    assert rests == [1.0, 2.0, 4.0, 8.0, LONGEST_REST, LONGEST_REST, LONGEST_REST]


def test_the_time_that_passed_since_is_part_of_the_rest(trace: Path) -> None:
    past = claimed(trace, *range(UNDELAYED + 3))
    last = UNDELAYED + 2
    assert rest(past, at(last + 3)) == 5.0
    assert rest(past, at(last + 30)) == 0.0


def test_a_clock_that_was_put_back_does_not_make_a_rest_longer(trace: Path) -> None:
    past = claimed(trace, *range(UNDELAYED + 8))
    assert rest(past, at(-9000)) == LONGEST_REST


def test_an_actor_rests_before_its_arrival_is_noted(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = LocalArchive(home)
    task, _ = archive.catalogue.enter_task(Brief(question="Why?"))
    for _ in range(UNDELAYED + 2):
        archive.claim(task, "a writer that dies")[0].close()
    rested: list[float] = []

    def killed(seconds: float) -> None:
        rested.append(seconds)
        raise KeyboardInterrupt

    # For this module alone: other threads of the process sleep, too.
    monkeypatch.setattr(hosts, "time", SimpleNamespace(sleep=killed))
    for _ in range(hosts.VAIN_STARTS + 1):
        with pytest.raises(KeyboardInterrupt):
            hosts.start(archive, task, lambda: None)
    assert all(3.0 < seconds <= 4.0 for seconds in rested)
    assert archive.arriving(task) == 0
