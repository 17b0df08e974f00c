"""The desk: nothing answered is asked twice, nothing noted is noted twice, and a stop is heard."""

import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path

import pytest

from actors.archive import LocalArchive
from actors.inline import run_task
from actors.ports import Answer, Passage
from actors.recorded import FailedBefore, RecordedDesk
from events.catalogue import Brief
from events.codec import Record
from events.errors import CallCut, ReplayDiffers, Unreadable
from events.home import Home
from events.research import StepTaken
from events.stream import EventStream


def step(number: int) -> StepTaken:
    return StepTaken(step=number, action="look", decision="because")


class World:
    """Answers, and counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def answer(self) -> Answer:
        self.asked += 1
        return Answer(content=b"forty-two", cost_usd=0.5)


def open_desk(home: Home) -> tuple[RecordedDesk, EventStream, list[Record]]:
    stream, past = EventStream.claim(home.path("work"), "test")
    return RecordedDesk(stream, past, LocalArchive(home), threading.Event()), stream, past


def kinds(home: Home) -> list[str]:
    return [record.kind for record in home.read("work")[0] if record.kind != "stream_claimed"]


def test_an_answered_call_is_never_made_again(home: Home) -> None:
    world = World()
    for _ in range(3):
        desk, _, _ = open_desk(home)
        assert desk.ask("model", "think", {"about": "it"}, world.answer) == b"forty-two"
    assert world.asked == 1
    assert kinds(home) == ["call_asked", "call_answered"]


def test_an_answer_that_comes_just_as_the_wait_for_it_ends_is_taken(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Late(Future[Answer]):
        """Comes in between the end of a wait and the look whether it is there."""

        def result(self, timeout: float | None = None) -> Answer:
            if timeout is None:
                return super().result()
            super().result()
            raise TimeoutError

    monkeypatch.setattr("actors.recorded.Future", Late)
    desk, _, _ = open_desk(home)
    assert desk.ask("model", "think", {}, World().answer) == b"forty-two"


def test_a_call_that_times_out_itself_has_failed(home: Home) -> None:
    def perform() -> Answer:
        raise TimeoutError("nobody answers")

    desk, _, _ = open_desk(home)
    with pytest.raises(TimeoutError, match="nobody answers"):
        desk.ask("model", "think", {}, perform)


def test_the_same_question_asked_twice_in_one_run_is_two_calls(home: Home) -> None:
    world = World()
    for _ in range(2):
        desk, _, _ = open_desk(home)
        desk.ask("model", "think", {}, world.answer)
        desk.ask("model", "think", {}, world.answer)
    assert world.asked == 2


def test_a_call_whose_fate_is_unknown_is_asked_again_and_says_so(home: Home) -> None:
    desk, _, _ = open_desk(home)

    def die() -> Answer:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        desk.ask("model", "think", {}, die)
    world = World()
    open_desk(home)[0].ask("model", "think", {}, world.answer)
    attempts = [r.data["attempt"] for r in home.read("work")[0] if r.kind == "call_asked"]
    assert attempts == [1, 2]


def test_a_call_that_was_given_up_is_not_tried_again(home: Home) -> None:
    def refuse() -> Answer:
        raise Unreadable("x.bin", "it is binary")

    with pytest.raises(Unreadable):
        open_desk(home)[0].ask("parse", "text", {}, refuse)
    with pytest.raises(FailedBefore) as again:
        open_desk(home)[0].ask("parse", "text", {}, refuse)
    assert again.value.args[0] == "unreadable"
    assert again.value.sentence == Unreadable("x.bin", "it is binary").sentence
    assert kinds(home) == ["call_asked", "call_failed"]


def test_attempts_are_counted_across_restarts(home: Home) -> None:
    def refuse() -> Answer:
        raise Unreadable("x", "y")

    with pytest.raises(Unreadable):
        open_desk(home)[0].ask("parse", "text", {}, refuse, attempts=3)
    assert kinds(home) == ["call_asked", "call_failed"] * 3


def test_notes_taken_before_a_restart_are_passed_over(home: Home) -> None:
    open_desk(home)[0].note(step(1), step(2))
    desk, _, _ = open_desk(home)
    desk.note(step(1))
    desk.note(step(2), step(3))
    assert [r.data["step"] for r in home.read("work")[0] if r.kind == "step_taken"] == [1, 2, 3]


def test_a_note_that_differs_from_the_recorded_one_is_refused(home: Home) -> None:
    open_desk(home)[0].note(step(1))
    with pytest.raises(ReplayDiffers):
        open_desk(home)[0].note(step(2))


def test_a_note_that_was_redacted_is_known_again(home: Home) -> None:
    told = StepTaken(step=1, action="look", decision="with Bearer abcdefghijklmnop1234")
    open_desk(home)[0].note(told)
    open_desk(home)[0].note(told)
    noted = [r.data["decision"] for r in home.read("work")[0] if r.kind == "step_taken"]
    assert noted == ["with [redacted]"]


def test_a_stop_is_heard_while_a_call_is_out(home: Home) -> None:
    desk, _, _ = open_desk(home)
    hang = threading.Event()

    def never() -> Answer:
        hang.wait(30)
        return Answer(content=b"")

    threading.Timer(0.05, desk.stop.set).start()
    began = time.monotonic()
    with pytest.raises(CallCut):
        desk.ask("model", "think", {}, never)
    hang.set()
    assert time.monotonic() - began < 10
    assert kinds(home) == ["call_asked", "call_failed"]


def test_a_call_that_was_cut_is_asked_again_by_the_next_run(home: Home) -> None:
    desk, _, _ = open_desk(home)
    desk.stop.set()
    with pytest.raises(CallCut):
        desk.ask("model", "think", {}, World().answer)
    world = World()
    assert open_desk(home)[0].ask("model", "think", {}, world.answer) == b"forty-two"


def test_questions_and_answers_are_kept_whole(home: Home, tmp_path: Path) -> None:
    open_desk(home)[0].ask("model", "think", {"about": "it"}, World().answer)
    asked, answered = [r.data for r in home.read("work")[0] if r.kind.startswith("call_")]
    assert b'"about":"it"' in home.blobs.get(asked["request"]["hash"])
    assert home.blobs.get(answered["reply"]["hash"]) == b"forty-two"
    assert answered["cost_usd"] == 0.5


def test_a_researcher_that_fails_unexpectedly_stops_and_says_why(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise KeyError("surprise")

    monkeypatch.setattr("actors.researcher.method", lambda kind, rules: broken)
    archive = LocalArchive(home)
    task, _ = archive.catalogue.enter_task(Brief(question="Why?"))
    run_task(archive, _NoCorpus(), task)
    last = home.read(task)[0][-1]
    assert (last.kind, last.data["code"]) == ("task_failed", "internal")
    assert "surprise" in last.data["message"]


class _NoCorpus:
    def search(self, query: str, limit: int, *_: object) -> list[Passage]:
        return []

    def likeness(self, question: str, texts: Sequence[str]) -> list[float | None]:
        return [None] * len(texts)
