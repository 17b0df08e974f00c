"""Ids as people type them: a whole one, or a beginning that is enough to tell which it is."""

import re
from typing import TYPE_CHECKING

from events.errors import BadRequest, UnknownTask

if TYPE_CHECKING:
    from contracts.core import Core

ENOUGH = 8
"""Characters of an id that may stand for all of it."""

_WHOLE = re.compile(r"(?:(?:ingest|reindex)-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_JOBS = ("ingest-", "reindex-")
_NAMED = 3
"""Ids that an ambiguous beginning is answered with."""


class UnknownJob(UnknownTask):
    """There is no such job: (id,)."""

    says = "There is no job {0!r}."
    suggestion = "research-agent ps lists them."


def is_job(name: str) -> bool:
    """Whether an id is that of an ingest or of a reindexing."""
    return name.startswith(_JOBS)


def whole_id(core: "Core", given: str) -> str:
    """The id of the task or job that begins so; what begins none is left as it was given."""
    if len(given) < ENOUGH or _WHOLE.fullmatch(given):
        return given
    # A job's may be given without the word before it, as a task's is.
    beginnings = (given, *(kind + given for kind in _JOBS))
    found = [name for name in core.catalogue.state().entries if name.startswith(beginnings)]
    if len(found) > 1:
        more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
        raise BadRequest(
            f"{given!r} is the beginning of {', '.join(found[:_NAMED])}{more}.",
            "Type more of the one that is meant.",
        )
    return found[0] if found else given
