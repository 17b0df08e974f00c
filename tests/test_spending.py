"""A cap that is reached stops the next paid call, and says so."""

import errno
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.archive import LocalArchive
from actors.outside import Nowhere
from actors.patience import Patience
from actors.ports import Answer
from actors.prices import cost_of
from actors.query_log import QueryLog
from actors.researcher import ResearchDesk
from actors.spending import Caps, SpendingCapReached, check_caps
from contracts.deep_research.estimates import PRICED_AS, PRIORS
from contracts.settings import Settings
from events import stream
from events.asking import ordering
from events.base import Fact
from events.calls import CallAnswered, CallAsked, CallFailed
from events.catalogue import Brief
from events.codec import canonical
from events.errors import BadRequest, HomeUnwritable
from events.home import QUERIES
from projections.costs import Spend, cost_on
from projections.spent import JOB_USD, open_spent
from tests.gemini_tasks import NoCorpus
from tests.homes import build_home
from tests.past_tasks import MODEL, PastTasks


def test_without_caps_everything_is_allowed_and_nothing_is_added_up() -> None:
    check_caps(Caps(), task_usd=1e9, today_usd=lambda: pytest.fail("nobody asked"))


def test_a_tasks_cap_stops_it_with_an_error_that_says_so() -> None:
    check_caps(Caps(task_usd=2.0), task_usd=1.99, today_usd=lambda: 0.0)
    with pytest.raises(SpendingCapReached, match=r"task spending cap of \$2\.00 is reached") as end:
        check_caps(Caps(task_usd=2.0), task_usd=2.0, today_usd=lambda: 0.0)
    assert "RESEARCH_AGENT_TASK_CAP_USD" in end.value.advice


def test_the_days_cap_stops_every_task() -> None:
    with pytest.raises(SpendingCapReached, match=r"daily spending cap of \$5\.00 .* \$5\.1000"):
        check_caps(Caps(daily_usd=5.0), task_usd=0.0, today_usd=lambda: 5.1)


def test_a_cap_of_nothing_allows_nothing() -> None:
    with pytest.raises(SpendingCapReached):
        check_caps(Caps(task_usd=0.0), task_usd=0.0, today_usd=lambda: 0.0)


@dataclass
class Shop:
    """Somebody who makes paid calls, and asks first."""

    caps: Caps
    spent: float = 0.0

    def buy(self, price: float) -> None:
        check_caps(self.caps, task_usd=self.spent, today_usd=lambda: self.spent)
        self.spent += price


@given(st.lists(st.floats(0.01, 3.0), max_size=30), st.floats(0.1, 10.0))
def test_no_more_than_one_call_goes_beyond_a_cap(prices: list[float], cap: float) -> None:
    shop = Shop(Caps(task_usd=cap, daily_usd=cap))
    for price in prices:
        try:
            shop.buy(price)
        except SpendingCapReached:
            assert shop.spent >= cap
    assert shop.spent < cap + max(prices, default=0.0)


def test_a_tasks_caps_are_those_it_was_accepted_under() -> None:
    brief = Brief(question="?", task_cap_usd=1.5, daily_cap_usd=10.0)
    assert Caps.of(Brief.model_validate_json(canonical(brief))) == Caps(1.5, 10.0)


def test_a_brief_that_says_nothing_new_is_spelled_as_ever() -> None:
    assert not {b"notify", b"cap_usd"} & set(canonical(Brief(question="?")).split(b'"'))


def test_the_sums_come_from_the_record(tmp_path: Path) -> None:
    past = PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))
    past.completed("Yesterday?", dollars=7.0)
    past.clock.time = past.clock.time.now(past.clock.time.tzinfo)
    past.completed("Today?", minutes=0, dollars=1.25)
    task = past.running("Now?")
    past.pay(task, 0.5)
    spent = open_spent(str(past.built.root))
    assert spent.today() == pytest.approx(1.75)
    past.pay(task, 0.25)
    assert spent.today() == pytest.approx(2.0)


@pytest.mark.parametrize("of_questions", [False, True])
def test_what_was_spent_is_not_told_while_it_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of_questions: bool
) -> None:
    past = PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))
    past.clock.time = past.clock.time.now(past.clock.time.tzinfo)
    task = past.running("Now?")
    past.pay(task, 0.5)
    QueryLog(past.built.home).record_now(*made_call(past, 0.25))
    spent = open_spent(str(past.built.root))
    path = past.built.home.path(QUERIES if of_questions else task)
    open_file = os.open

    def fail(name: Path, *rest: int, **more: int) -> int:
        if name == path:
            raise OSError(errno.EMFILE, "Too many open files")
        return open_file(name, *rest, **more)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", fail)
        with pytest.raises(HomeUnwritable, match="Too many open files"):
            spent.today()
    assert spent.today() == pytest.approx(0.75)


def made_call(past: PastTasks, dollars: float) -> list[Fact]:
    return [call(past, "rewrite"), answer(past, "rewrite", dollars)]


# -- what is on order ------------------------------------------------------------------------------


@pytest.fixture
def past(tmp_path: Path) -> PastTasks:
    past = PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))
    past.clock.time = past.clock.time.now(past.clock.time.tzinfo)
    return past


def call(past: PastTasks, operation: str) -> CallAsked:
    request = past.built.home.blobs.put(operation.encode())
    name = f"gemini.{operation}:0#1"
    return CallAsked(call=name, port="gemini", operation=operation, request=request)


def answer(past: PastTasks, operation: str, dollars: float = 0.0) -> CallAnswered:
    reply = past.built.home.blobs.put(b"answered")
    return CallAnswered(call=f"gemini.{operation}:0#1", reply=reply, model=MODEL, cost_usd=dollars)


def failure(operation: str, code: str) -> CallFailed:
    return CallFailed(call=f"gemini.{operation}:0#1", code=code, message="", final=True)


def placed(past: PastTasks) -> str:
    return past.running("Ordered?", call(past, "create"), answer(past, "create"))


def sums(past: PastTasks) -> tuple[float, float]:
    spent = open_spent(str(past.built.root))
    return spent.paid_today(), spent.today()


def test_a_job_counts_with_what_it_likely_costs_until_it_tells(past: PastTasks) -> None:
    task = placed(past)
    assert sums(past) == (0.0, JOB_USD)
    past.note(task, call(past, "follow"), answer(past, "follow"))
    assert sums(past) == (0.0, JOB_USD)
    past.note(task, call(past, "get"), answer(past, "get", 0.75))
    assert sums(past) == pytest.approx((0.75, 0.75))


def test_what_a_job_likely_costs_is_what_the_price_table_says() -> None:
    likely = PRIORS["gemini"]["moderate"].usage[1]
    assert pytest.approx(cost_of(PRICED_AS["gemini"], likely)) == JOB_USD


def test_an_order_that_was_certainly_not_taken_counts_for_nothing(past: PastTasks) -> None:
    past.running("Busy?", call(past, "create"), failure("create", "provider_busy"))
    assert sums(past) == (0.0, 0.0)


@pytest.mark.parametrize("ended", [False, True])
def test_an_order_of_which_nobody_knows_counts_for_the_day(past: PastTasks, ended: bool) -> None:
    task = past.running("Lost?", call(past, "create"), failure("create", "fate_unknown"))
    if ended:
        past.failed(task, "fate_unknown", "It may be running there.")
    assert sums(past) == (0.0, JOB_USD)


def test_a_job_that_never_told_its_cost_counts_on_the_day_of_its_order_alone(
    past: PastTasks,
) -> None:
    past.stopped(placed(past))
    assert sums(past) == (0.0, JOB_USD)
    past.clock.pass_minutes(-24 * 60)
    past.stopped(placed(past))
    assert sums(past) == (0.0, JOB_USD)


def test_a_job_of_yesterday_that_still_runs_counts(past: PastTasks) -> None:
    past.clock.pass_minutes(-24 * 60)
    placed(past)
    assert sums(past) == (0.0, JOB_USD)


def test_of_orders_that_are_placed_together_the_first_comes_through(past: PastTasks) -> None:
    tasks = [past.running(f"Number {number}?", call(past, "create")) for number in range(3)]
    spent = open_spent(str(past.built.root))
    seen = []
    for task in tasks:
        with ordering(f"{task}.r1"):
            seen.append(spent.today())
    assert seen == pytest.approx([0.0, JOB_USD, 2 * JOB_USD])
    # Who cannot say who it is may be any of them.
    assert spent.today() == pytest.approx(2 * JOB_USD)
    past.note(tasks[2], answer(past, "create"))
    with ordering(f"{tasks[0]}.r1"):
        assert spent.today() == pytest.approx(JOB_USD)


def test_a_days_cost_is_that_days() -> None:
    totals = [
        Spend("2026-11-15", "a", cost_nano=10**9),
        Spend("2026-11-16", "a", cost_nano=2 * 10**9),
    ]
    assert cost_on(totals, "2026-11-16") == 2.0


@pytest.mark.parametrize("name", ["DAILY_CAP_USD", "TASK_CAP_USD"])
def test_caps_are_settings(name: str) -> None:
    given = {f"RESEARCH_AGENT_{name}": "2.50", "RESEARCH_AGENT_HOME": "h"}
    assert getattr(Settings.from_environment(given), name.lower()) == 2.5
    assert getattr(Settings.from_environment({}), name.lower()) is None
    for wrong in ("-1", "much", "inf"):
        with pytest.raises(BadRequest, match=name):
            Settings.from_environment({f"RESEARCH_AGENT_{name}": wrong})


# -- orders at the same moment ---------------------------------------------------------------------


class Provider:
    """Takes orders, and its time."""

    def __init__(self) -> None:
        self.taken, self.reached = 0, threading.Event()

    def do(self, operation: str, request: dict[str, Any], pause: Any) -> Answer:
        self.taken += 1
        self.reached.set()
        time.sleep(1.0)
        return Answer(content=b"{}")


class Outdoors(Nowhere):
    """Nobody is there but the provider."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider

    def provider(self, name: str) -> Any:
        return self._provider


def desk(past: PastTasks, task: str, provider: Provider) -> ResearchDesk:
    """The desk of a task's researcher, under a cap that one order reaches."""
    archive = LocalArchive(past.built.home)
    writer, known = archive.claim(f"{task}.r1", "test")
    spent = open_spent(str(past.built.root))

    def allow(_: float) -> None:
        check_caps(Caps(daily_usd=1.0), task_usd=0.0, today_usd=spent.today)

    stop, quick = threading.Event(), Patience(first=0.001, longest=0.002, most=0.003)
    return ResearchDesk(writer, known, archive, NoCorpus(), stop, Outdoors(provider), quick, allow)


def order(desk: ResearchDesk) -> str:
    try:
        desk.provider("gemini", "create", {"input": "?"}, "once")
    except SpendingCapReached as reached:
        return reached.code
    return "ordered"


def test_of_two_orders_within_one_write_of_each_other_one_comes_through(
    past: PastTasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (past.running(f"Number {number}?") for number in range(2))
    slow = past.built.home.path(f"{first}.r1")
    provider, writing = Provider(), threading.Event()
    write = stream._write_all

    def slowly(descriptor: int, raw: bytes) -> None:
        """The first has the time of its order, and its line is not there yet."""
        if b"call_asked" in raw and os.path.samestat(os.fstat(descriptor), slow.stat()):
            writing.set()
            provider.reached.wait(1.0)
        write(descriptor, raw)

    monkeypatch.setattr(stream, "_write_all", slowly)
    one, other = desk(past, first, provider), desk(past, second, provider)
    with ThreadPoolExecutor() as pool:
        earlier = pool.submit(order, one)
        assert writing.wait(10)
        outcomes = [order(other), earlier.result(30)]
    assert sorted(outcomes) == ["ordered", "spending_cap_reached"]
    assert provider.taken == 1


def test_an_order_that_is_repeated_comes_after_those_that_left_meanwhile(past: PastTasks) -> None:
    tasks = [past.running(f"Number {number}?", call(past, "create")) for number in range(2)]
    busy = failure("create", "provider_busy")
    past.note(tasks[0], busy.model_copy(update={"final": False}))
    third = past.running("Meanwhile?", call(past, "create"))
    past.note(tasks[0], call(past, "create"))
    spent = open_spent(str(past.built.root))
    seen = []
    for task in (tasks[1], third, tasks[0]):
        with ordering(f"{task}.r1"):
            seen.append(spent.today())
    assert seen == pytest.approx([0.0, JOB_USD, 2 * JOB_USD])
