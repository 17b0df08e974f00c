"""What `research` takes as a question and as constraints, and what it refuses."""

import pytest

from contracts.research.calls import MOST, ResearchConstraints, brief_for
from events.errors import BadRequest


def refused(question: str = "Why?", context: str | None = None, **limits: str | int) -> str:
    constraints = ResearchConstraints.model_validate(limits) if limits else None
    with pytest.raises(BadRequest) as raised:
        brief_for(question, context, constraints=constraints)
    return str(raised.value)


def test_a_question_has_one_to_five_hundred_characters() -> None:
    assert brief_for("?").question == "?"
    assert brief_for(f"  {'a' * 500}\n").question == "a" * 500
    assert "501 characters" in refused("a" * 501)
    assert "0 characters" in refused("") and "0 characters" in refused(" \t\n\u3000")


@pytest.mark.parametrize(
    "unseen", ["\u200b\u200b", "\ufeff", "\u202e\u202c", "\u00ad", "\u2800\u3164", "\U000e0041\x07"]
)
def test_a_question_that_nobody_sees_is_none(unseen: str) -> None:
    assert "Nothing of the question can be seen" in refused(unseen)
    assert brief_for(f"Why?{unseen}")


def test_a_context_has_up_to_two_thousand_characters() -> None:
    assert brief_for("Why?", "").context == ""
    assert brief_for("Why?", "a" * 2000)
    assert "2001 characters" in refused(context="a" * 2001)


def test_half_signs_are_refused_wherever_they_stand() -> None:
    assert "not valid text" in refused("Why \ud800?")
    assert "not valid text" in refused(context="\udfff")
    assert "no text" in refused(source_filter="a.org \ud800")


@pytest.mark.parametrize("name", ["max_iterations", "token_budget", "max_sources"])
def test_a_constraint_is_a_number_that_can_be_kept(name: str) -> None:
    for value in (1, MOST):
        limits = ResearchConstraints.model_validate({name: value})
        assert getattr(brief_for("Why?", constraints=limits).constraints, name) == value
    for value, why in ((0, "less than 1"), (-5, "less than 1"), (10**30, f"more than {MOST}")):
        limits = ResearchConstraints.model_validate({name: value})
        with pytest.raises(BadRequest, match=why):
            brief_for("Why?", constraints=limits)


def test_a_filter_that_would_let_everything_or_nothing_through_is_refused() -> None:
    for usable in (None, "", "nasa.gov, *.edu", "bücher.de", "notes/2024"):
        limits = ResearchConstraints(source_filter=usable)
        assert brief_for("Why?", constraints=limits).constraints.source_filter == usable
    assert "names no site" in refused(source_filter=" , *. ;")
    assert "'-reddit.com'" in refused(source_filter="a.org -reddit.com")
    assert "'!x.com'" in refused(source_filter="!x.com")
    assert "too long" in refused(source_filter="a.org " * 400)
