"""SQL over the traces, for tools and commands: what is asked, and how answers are worded."""

import math
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from contracts.commands.terminal import as_json
from events.errors import BadRequest
from projections.audit import Audit

Reply = dict[str, Any]

DEFAULT_ROWS = 100
MOST_ROWS = 10_000
"""Rows of an answer that is shown."""

_CELL = 200
"""Characters of a value in a table for people."""


def one_of(sql: str | None, name: str | None) -> str:
    """The question, which is either SQL or a name."""
    given = [said.strip() for said in (sql, name) if said and said.strip()]
    if len(given) != 1:
        raise BadRequest(
            "An audit takes either SQL or the name of a question.",
            "Give sql, such as SELECT * FROM tasks, or name, such as cost_by_task.",
        )
    return given[0]


def answer(
    audit: Audit, question: str, limit: int = DEFAULT_ROWS, as_of: str | None = None
) -> Reply:
    """What a question is answered, in values that JSON has."""
    expect_limit(limit, MOST_ROWS)
    found = audit.ask(question, limit=limit, as_of=as_of)
    named = audit.named.get(question.strip())
    return {
        "question": named.answers if named else question.strip(),
        "columns": list(found.columns),
        "types": list(found.types),
        "rows": [[plain(value) for value in row] for row in found.rows],
        "row_count": len(found.rows),
        "truncated": found.truncated,
        "as_of": as_of,
        "took_ms": found.took_ms,
    }


def expect_limit(limit: int, most: int) -> None:
    """Refuse a number of rows that nobody can have meant."""
    if not 1 <= limit <= most:
        raise BadRequest(f"A limit of {limit} rows is not possible.", f"Use 1 to {most}.")


def overview(audit: Audit) -> Reply:
    """The tables with their columns, and the questions that have names."""
    return {
        "tables": audit.columns,
        "questions": {each.name: each.answers for each in audit.named.values()},
    }


def plain(value: Any) -> Any:
    """A value as JSON has it."""
    match value:
        case None | bool() | str():
            return value
        case int():
            return value if -(1 << 53) < value < 1 << 53 else str(value)
        case float():
            return value if math.isfinite(value) else str(value)
        case datetime() | date() | time():
            return value.isoformat()
        case Decimal():
            return int(value) if value == int(value) and abs(value) < 1 << 53 else str(value)
        case bytes():
            return value.hex()
        case list() | tuple():
            return [plain(each) for each in value]
        case dict():
            return {str(name): plain(each) for name, each in value.items()}
        case timedelta() | UUID():
            return str(value)
        case _:
            return str(value)


# -- as text -----------------------------------------------------------------------------------------


def markdown(reply: Reply) -> str:
    """An answer as a Markdown table."""
    lines = [
        "| " + " | ".join(_cell(name) for name in reply["columns"]) + " |",
        "|" + " --- |" * len(reply["columns"]),
    ]
    lines += ["| " + " | ".join(map(_cell, row)) + " |" for row in reply["rows"]]
    return "\n".join([*lines, "", closing(reply)])


def closing(reply: Reply) -> str:
    """The sentence after an answer."""
    count = reply["row_count"]
    rows = "no rows" if not count else "1 row" if count == 1 else f"{count} rows"
    more = ", and there are more: raise the limit, or ask for less" if reply["truncated"] else ""
    when = f", as of {reply['as_of']}" if reply["as_of"] else ""
    return f"{rows}{more}{when} ({reply['took_ms']:.0f} ms)"


def _cell(value: Any) -> str:
    # A bar would end the cell, and a line break the row.
    return shown(value).replace("\\", "\\\\").replace("|", "\\|")


def shown(value: Any) -> str:
    """A value on one line, for people."""
    if value is None:
        return ""
    # Cut before it is spelled: of a million members the first few are shown.
    text = as_json(_begun(value, [_CELL])) if isinstance(value, list | dict) else str(value)
    text = " ".join(text.split())
    text = "".join(each if each.isprintable() else "�" for each in text)
    return text if len(text) <= _CELL else text[: _CELL - 1] + "…"


def _begun(value: Any, room: list[int]) -> Any:
    """The beginning of a value, with one member more than a cell has characters."""
    if isinstance(value, list):
        return [_begun(each, room) for each in _first(value, room)]
    if isinstance(value, dict):
        return {name[: _CELL + 1]: _begun(value[name], room) for name in _first(value, room)}
    return value[: _CELL + 1] if isinstance(value, str) else value


def _first(members: Iterable[Any], room: list[int]) -> Iterator[Any]:
    for each in members:
        if room[0] < 0:
            return
        room[0] -= 1
        yield each
