"""Asking with care: never twice what must not be, again and again what may be, and all at once."""

import threading
import time
from collections.abc import Callable

import pytest

from actors import careful
from actors.archive import LocalArchive
from actors.careful import SIDE_BY_SIDE, CarefulDesk
from actors.patience import Patience
from actors.ports import Answer
from actors.recorded import FailedBefore, code_of
from events.base import Blob
from events.errors import (
    CallCut,
    DiskFull,
    FateUnknown,
    KeyRefused,
    ProviderAway,
    ProviderBusy,
    ProviderError,
    ProviderFailed,
    ResearchError,
    Unreadable,
)
from events.home import Home
from events.stream import EventStream

QUICK = Patience(first=0.001, longest=0.002, most=0.003)
ORDER = ("shop", "order", {"of": "tea"})


class FullArchive(LocalArchive):
    """A disk that is full for a while."""

    full = False

    def put(self, content: bytes) -> Blob:
        if self.full:
            raise DiskFull("/home")
        return super().put(content)


def desk(home: Home, archive: LocalArchive | None = None) -> CarefulDesk:
    stream, past = EventStream.claim(home.path("work"), "test")
    return CarefulDesk(stream, past, archive or LocalArchive(home), threading.Event(), QUICK)


class Shop:
    """Takes orders, and counts them; fails first as it is told to."""

    def __init__(self, *failures: BaseException) -> None:
        self.failures, self.asked = list(failures), 0

    def serve(self) -> Answer:
        self.asked += 1
        if self.failures:
            raise self.failures.pop(0)
        return Answer(content=b"tea", cost_usd=0.25)


def kinds(home: Home) -> list[str]:
    return [r.kind for r in home.read("work")[0] if r.kind != "stream_claimed"]


def forgiving(_: ResearchError, __: int) -> bool:
    return True


# -- once ------------------------------------------------------------------------------------------


def test_an_order_is_placed_once_however_often_the_work_runs(home: Home) -> None:
    shop = Shop()
    assert [desk(home).ask_once(*ORDER, shop.serve) for _ in range(3)] == [b"tea"] * 3
    assert shop.asked == 1


def test_an_order_whose_fate_is_unknown_is_never_placed_again(home: Home) -> None:
    with pytest.raises(KeyboardInterrupt):
        desk(home).ask_once(*ORDER, Shop(KeyboardInterrupt()).serve)
    shop = Shop()
    with pytest.raises(FateUnknown):
        desk(home).ask_once(*ORDER, shop.serve)
    with pytest.raises(FailedBefore) as again:
        desk(home).ask_once(*ORDER, shop.serve)
    assert code_of(again.value) == "fate_unknown"
    assert "may be running" in again.value.sentence
    assert shop.asked == 0


@pytest.mark.parametrize("failure", [ProviderFailed("shop", "500"), Unreadable("x", "y")])
def test_an_order_that_failed_unclearly_is_not_repeated(home: Home, failure: ResearchError) -> None:
    shop = Shop(failure)
    with pytest.raises(type(failure)):
        desk(home).ask_once(*ORDER, shop.serve)
    with pytest.raises(FailedBefore):
        desk(home).ask_once(*ORDER, shop.serve)
    assert shop.asked == 1


@pytest.mark.parametrize("failure", [ProviderAway("shop", "refused"), ProviderBusy("shop", "429")])
def test_an_order_that_never_arrived_is_repeated(home: Home, failure: ProviderError) -> None:
    shop = Shop(failure, failure)
    assert desk(home).ask_once(*ORDER, shop.serve) == b"tea"
    assert shop.asked == 3


def test_an_order_refused_for_good_is_not_repeated(home: Home) -> None:
    shop = Shop(KeyRefused("shop", "no such key"))
    with pytest.raises(KeyRefused):
        desk(home).ask_once(*ORDER, shop.serve)
    assert shop.asked == 1


def test_an_order_that_certainly_failed_before_a_crash_is_placed_again(home: Home) -> None:
    first = desk(home)

    def refuse_and_stop() -> Answer:
        first.stop.set()
        raise ProviderBusy("shop", "429")

    with pytest.raises(CallCut):
        first.ask_once(*ORDER, refuse_and_stop)
    shop = Shop()
    assert desk(home).ask_once(*ORDER, shop.serve) == b"tea"


def test_a_stop_does_not_make_an_order_forgotten(home: Home) -> None:
    work = desk(home)

    def serve_and_stop() -> Answer:
        work.stop.set()
        time.sleep(0.05)
        return Answer(content=b"tea")

    assert work.ask_once(*ORDER, serve_and_stop) == b"tea"
    with pytest.raises(CallCut):
        work.checkpoint()


def test_nothing_is_ordered_after_a_stop(home: Home) -> None:
    work, shop = desk(home), Shop()
    work.stop.set()
    with pytest.raises(CallCut):
        work.ask_once(*ORDER, shop.serve)
    assert (shop.asked, kinds(home)) == (0, [])


def test_an_answer_that_the_disk_had_no_room_for_is_not_lost(home: Home) -> None:
    archive, shop = FullArchive(home), Shop()

    def serve_then_fill() -> Answer:
        answer = shop.serve()
        archive.full = True
        return answer

    with pytest.raises(DiskFull):
        desk(home, archive).ask_once(*ORDER, serve_then_fill)
    with pytest.raises(DiskFull):
        desk(home, archive).ask_once(*ORDER, serve_then_fill)
    archive.full = False
    assert desk(home, archive).ask_once(*ORDER, serve_then_fill) == b"tea"
    assert shop.asked == 1
    assert not careful._unrecorded


# -- until it works --------------------------------------------------------------------------------


def test_what_passes_is_waited_out_and_said_once(home: Home) -> None:
    busy = [ProviderFailed("shop", "500") for _ in range(4)]
    shop = Shop(*busy)
    assert desk(home).ask_patiently(*ORDER, shop.serve, forgiving) == b"tea"
    assert shop.asked == 5
    assert kinds(home).count("provider_awaited") == 1
    assert kinds(home)[-2:] == ["call_answered", "provider_answered"]


def test_another_trouble_is_said_again(home: Home) -> None:
    shop = Shop(ProviderFailed("shop", "500"), ProviderBusy("shop", "429"))
    desk(home).ask_patiently(*ORDER, shop.serve, forgiving)
    assert kinds(home).count("provider_awaited") == 2


def test_what_is_not_forgiven_ends_it(home: Home) -> None:
    shop = Shop(*(ProviderFailed("shop", "500") for _ in range(9)))
    with pytest.raises(ProviderFailed):
        desk(home).ask_patiently(*ORDER, shop.serve, lambda _, failures: failures < 3)
    assert shop.asked == 3


def test_a_wait_is_said_to_be_over_also_by_who_takes_the_work_up(home: Home) -> None:
    work = desk(home)

    def fail_and_stop() -> Answer:
        work.stop.set()
        raise ProviderFailed("shop", "500")

    with pytest.raises(CallCut):
        work.ask_patiently(*ORDER, fail_and_stop, forgiving)
    desk(home).ask_patiently(*ORDER, Shop().serve, forgiving)
    assert kinds(home).count("provider_answered") == 1


def test_a_pause_ends_when_the_work_is_told_to_stop(home: Home) -> None:
    work = desk(home)
    threading.Timer(0.05, work.stop.set).start()
    with pytest.raises(CallCut):
        work.pause(3600.0)


@pytest.mark.parametrize(
    ("failure", "failures", "least", "most"),
    [
        (ProviderFailed("p", "w"), 1, 0.8, 1.0),
        (ProviderFailed("p", "w"), 4, 6.4, 8.0),
        (ProviderFailed("p", "w"), 10_000, 48.0, 60.0),
        (ProviderBusy("p", "w", 0.0), 1, 1.0, 1.0),
        (ProviderBusy("p", "w", 42.0), 9, 42.0, 42.0),
        (ProviderBusy("p", "w", 31_536_000.0), 1, 300.0, 300.0),
        (ProviderBusy("p", "w", None), 1, 0.8, 1.0),
    ],
)
def test_pauses_grow_heed_wishes_and_have_an_end(
    failure: ProviderError, failures: int, least: float, most: float
) -> None:
    assert least <= Patience().pause(failure, failures) <= most


# -- at the end ------------------------------------------------------------------------------------


def test_the_last_word_is_said_also_after_a_stop(home: Home) -> None:
    work, shop = desk(home), Shop()
    work.stop.set()
    assert work.ask_at_last("shop", "cancel", {}, shop.serve) == b"tea"


def test_the_last_word_is_said_one_time(home: Home) -> None:
    work, shop = desk(home), Shop(ProviderFailed("shop", "500"))
    work.stop.set()
    with pytest.raises(ProviderFailed):
        work.ask_at_last("shop", "cancel", {}, shop.serve)
    with pytest.raises(FailedBefore):
        desk(home).ask_at_last("shop", "cancel", {}, shop.serve)
    assert shop.asked == 1


# -- many at once ----------------------------------------------------------------------------------


def questions(
    count: int, serve: Callable[[int], Answer]
) -> list[tuple[dict[str, int], Callable[[], Answer]]]:
    return [({"number": number}, lambda n=number: serve(n)) for number in range(count)]  # type: ignore[misc]


def test_many_questions_are_out_together_and_answered_in_order(home: Home) -> None:
    gate, out = threading.Barrier(SIDE_BY_SIDE, timeout=10), []

    def serve(number: int) -> Answer:
        out.append(number)
        gate.wait()
        return Answer(content=b"%d" % number)

    found = desk(home).ask_all("web", "read", questions(2 * SIDE_BY_SIDE, serve))
    assert found == [b"%d" % number for number in range(2 * SIDE_BY_SIDE)]
    assert desk(home).ask_all("web", "read", questions(2 * SIDE_BY_SIDE, serve)) == found
    assert len(out) == 2 * SIDE_BY_SIDE


def test_failures_come_in_the_place_of_answers_now_and_later(home: Home) -> None:
    def serve(number: int) -> Answer:
        if number == 1:
            raise Unreadable("page", "it is binary")
        return Answer(content=b"")

    first = desk(home).ask_all("web", "read", questions(3, serve))
    again = desk(home).ask_all("web", "read", questions(3, serve))
    for found in (first, again):
        assert (found[0], found[2]) == (b"", b"")
        assert isinstance(found[1], ResearchError)
        assert code_of(found[1]) == "unreadable"
    assert first[1].sentence == again[1].sentence  # type: ignore[union-attr]


def test_told_to_stop_it_brings_what_is_there(home: Home) -> None:
    work, never = desk(home), threading.Event()

    def serve(number: int) -> Answer:
        if number:
            never.wait(20)
        else:
            threading.Timer(0.1, work.stop.set).start()
        return Answer(content=b"quick")

    found = work.ask_all("web", "read", questions(9, serve))
    never.set()
    assert found[0] == b"quick"
    assert all(isinstance(each, CallCut) for each in found[1:])
    later = desk(home).ask_all("web", "read", questions(9, lambda n: Answer(content=b"later")))
    assert later == [b"quick", *[b"later"] * 8]


def test_a_full_disk_is_not_the_pages_fault(home: Home) -> None:
    archive = FullArchive(home)

    def fill(_: int) -> Answer:
        archive.full = True
        return Answer(content=b"page")

    with pytest.raises(DiskFull):
        desk(home, archive).ask_all("web", "read", questions(1, fill))
    archive.full = False
    found = desk(home, archive).ask_all(
        "web", "read", questions(1, lambda _: Answer(content=b"page"))
    )
    assert found == [b"page"]


def test_what_was_spent_is_known_across_restarts(home: Home) -> None:
    work = desk(home)
    work.ask_once(*ORDER, Shop().serve)
    work.ask("shop", "more", {}, Shop().serve)
    assert work.spent == desk(home).spent == 0.5
