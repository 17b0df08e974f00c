"""By which rules a researcher of each kind works: those its record was begun by, today's where nothing was begun.

Better rules give other notes, and a record is only run again to the same end by the rules that made it. So the record
names them (`assignment_taken.rules`); a record that names none was made by the first ones.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from actors.answering import rules
from actors.kinds import claude_rules
from actors.reports import report_rules
from events.codec import Record
from events.research import AssignmentTaken


@dataclass(frozen=True)
class _Generations:
    first: str
    present: str
    check: Callable[[str], object]
    """Raises `BadRequest` for rules that this version does not know."""


_OF = {
    "corpus": _Generations(rules.FIRST.model, rules.PRESENT.model, rules.rules_called),
    "claude": _Generations(
        claude_rules.FIRST.name, claude_rules.PRESENT.name, claude_rules.claude_rules_called
    ),
    "gemini": _Generations(
        report_rules.FIRST.name, report_rules.PRESENT.name, report_rules.report_rules_called
    ),
}


def rules_of(kind: str, past: Iterable[Record]) -> str | None:
    """The rules that a researcher with this past works by; none for a kind that has none."""
    of = _OF.get(kind)
    if of is None:
        return None
    taken = next((each.fact for each in past if isinstance(each.fact, AssignmentTaken)), None)
    return (taken.rules or of.first) if taken else of.present


def named_in_record(kind: str, rules: str | None) -> str | None:
    """What a record says of its rules: nothing of the first ones, so that it is spelled as it always was."""
    of = _OF.get(kind)
    return None if of is None or rules == of.first else rules


def known_rules(kind: str, rules: str | None) -> str | None:
    """The same rules; `BadRequest` where this version does not know them."""
    of = _OF.get(kind)
    if of and rules:
        of.check(rules)
    return rules
