"""Every refusal keeps its name, its words and its arguments, wherever it travels."""

import pickle
import re
from string import Formatter

import pytest

from events import errors
from events.errors import RecordError, RequestRefused, ResearchError


def tree(root: type[ResearchError] = ResearchError) -> list[type[ResearchError]]:
    return [root, *(each for child in root.__subclasses__() for each in tree(child))]


def ours() -> list[type[ResearchError]]:
    return [each for each in tree() if each.__module__ == errors.__name__]


def arguments(error: type[ResearchError]) -> tuple[str, ...]:
    """As many as its sentences ask for."""
    fields = [
        int(name)
        for text in (error.says, error.suggestion)
        for _, name, _, _ in Formatter().parse(text)
        if name
    ]
    return tuple(f"argument {number} {{0}} %s" for number in range(max(fields, default=-1) + 1))


every_error = pytest.mark.parametrize("error", ours(), ids=lambda error: error.__name__)


@every_error
def test_an_error_says_what_went_wrong_what_to_do_and_its_code(error: type[ResearchError]) -> None:
    raised = error(*arguments(error))
    stop = "" if raised.sentence.endswith((".", "!", "?", ":", "…")) else "."
    assert str(raised) == f"{raised.sentence}{stop} {raised.advice} [{error.code}]"
    assert raised.sentence
    assert raised.advice


@pytest.mark.parametrize("said", ["No.", "Why?", "利用できません。", "No\uff01"])
def test_what_a_provider_ended_gets_no_second_full_stop(said: str) -> None:
    assert str(RequestRefused("Gemini", said)).startswith(f"Gemini: {said} Check the model's name")


@every_error
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_an_error_survives_pickling_as_itself(error: type[ResearchError], protocol: int) -> None:
    raised = error(*arguments(error))
    back = pickle.loads(pickle.dumps(raised, protocol))
    assert type(back) is error
    assert back.args == raised.args
    assert back.code == error.code
    assert str(back) == str(raised)


@every_error
def test_an_error_is_explained_and_listed_in_the_tree(error: type[ResearchError]) -> None:
    assert error.__doc__
    if error in (ResearchError, RecordError):
        assert error.__name__ in (errors.__doc__ or "")
    else:
        assert re.search(rf"── {error.__name__} +{error.code}\b", errors.__doc__ or "")


def test_codes_are_stable_names_and_no_two_errors_share_one() -> None:
    codes = [error.code for error in ours()]
    assert len(set(codes)) == len(codes)
    assert all(re.fullmatch("[a-z]+(_[a-z]+)*", code) for code in codes)


def test_everything_wrong_with_the_record_is_a_record_error() -> None:
    named = {error.code for error in tree(RecordError)}
    assert named >= {"disk_full", "broken_chain", "stale_writer", "missing_blob", "damaged_blob"}


def test_the_words_of_a_caller_are_never_read_as_a_format() -> None:
    raised = errors.UnknownTask("{1} {0.__class__} %s")
    assert "{1} {0.__class__} %s" in str(raised)


def test_what_went_wrong_does_not_run_into_what_to_do() -> None:
    running = errors.TaskNotFinished("550e8400", 20)
    assert str(running).startswith("Research is still in progress. Current progress: 20%. Wait ")
    assert str(errors.BadRequest("Is it?", "Say so.")) == "Is it? Say so. [bad_request]"
