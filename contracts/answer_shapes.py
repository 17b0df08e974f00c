"""The words that shapes of answers are written in; tools publish them as their output schema, in JSON Schema.

A shape names what an answer always has and what it may have. More may be added at any time, so no shape says that
there is nothing else. Written out rather than derived from types: a server has to start at once.
"""

from typing import Any

Shape = dict[str, Any]

TEXT: Shape = {"type": "string"}
WHOLE: Shape = {"type": "integer"}
NUMBER: Shape = {"type": "number"}
SHARE: Shape = {"type": "number", "minimum": 0, "maximum": 1}
TRUTH: Shape = {"type": "boolean"}
MAPPING: Shape = {"type": "object"}


def having(**always: Shape) -> Shape:
    """An object with these members."""
    return {"type": "object", "properties": always, "required": list(always)}


def perhaps(shape: Shape, **sometimes: Shape) -> Shape:
    """The same object, which may have these members as well."""
    return shape | {"properties": shape["properties"] | sometimes}


def listed(each: Shape) -> Shape:
    """Any number of them."""
    return {"type": "array", "items": each}


def by_name(each: Shape) -> Shape:
    """Any number of them, each under a name of its own."""
    return {"type": "object", "additionalProperties": each}


def or_null(shape: Shape) -> Shape:
    """That, or nothing."""
    known = {"enum": [*shape["enum"], None]} if "enum" in shape else {}
    # Not as two alternatives: a client checks every answer, and each alternative costs it time.
    return shape | {"type": [shape["type"], "null"]} | known


def word(*known: str) -> Shape:
    """One of these words."""
    return {"type": "string", "enum": list(known)}


def only(value: bool | str) -> Shape:
    """This and nothing else."""
    return {"type": "boolean" if isinstance(value, bool) else "string", "const": value}


def told(shape: Shape, says: str) -> Shape:
    """The same, with what it means."""
    return shape | {"description": says}


def answers(*shapes: Shape) -> Shape:
    """What a tool publishes: an answer has one of these shapes.

    They stand one level down also where there is one alone: of an object with members of its own FastMCP's client would
    make a class, and programs that read answers as the dictionaries they are would no longer find them.
    """
    return {"type": "object", "anyOf": list(shapes)}


# -- what the answers of several contracts have ----------------------------------------------------

TEXTS = listed(TEXT)

SPAN = {"start": WHOLE, "end": WHOLE}
"""Members of whatever stands at a place in a text."""

RECORD = told(
    having(stream=TEXT, seq=WHOLE, head=TEXT),
    "Where in the record this stands; whoever keeps it can prove later that nothing was changed",
)

COLUMN_HEADS = {
    "column_heads": told(
        TEXT, "Of rows of a table that stand without them: what their columns are called"
    )
}
"""A member of whatever shows words of a source."""

STAGES = told(
    by_name(having(rank=WHOLE, score=NUMBER, scale=TEXT)),
    "Rank and score of the passage at each stage that saw it",
)

TALLY = {
    outcome: WHOLE
    for outcome in ("files", "done", "added", "updated", "unchanged", "empty", "failed")
}
"""Members of whatever counts the files of a job."""

FAILURE = having(code=TEXT, message=or_null(TEXT))


def refused(code: str, **sometimes: Shape) -> Shape:
    """A refusal that is an answer; `code` says what its codes are like."""
    always = having(
        success=only(False),
        error=told(TEXT, code),
        message=TEXT,
        suggestion=told(TEXT, "What to do next"),
    )
    return told(perhaps(always, **sometimes), "A refusal")
