"""What one stream of a task, researcher or job adds up to."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from events.codec import Record
from events.tail import Cursor
from projections.catalogue import Anchor
from projections.rows import JobRow, TaskRow, fold_job, fold_task
from projections.work import Work, fold_work

Role = Literal["task", "researcher", "job"]


class Folded(NamedTuple):
    """The fold of one stream up to a cursor: it depends on nothing but that stream's lines."""

    role: Role
    owner: str
    """The task or job it belongs to; its own name, unless it is a researcher's."""

    cursor: Cursor = Cursor()
    work: Work = Work()
    task: TaskRow | None = None
    job: JobRow | None = None

    def reached(self, end: Anchor | None) -> bool:
        """Whether this is all there will ever be."""
        return end is not None and (self.cursor.seq, self.cursor.head) == (end.seq, end.head)


def fold(state: Folded, records: Sequence[Record], cursor: Cursor) -> Folded:
    """Fold records in, up to the cursor."""
    return Folded(
        state.role,
        state.owner,
        cursor,
        fold_work(state.work, records),
        fold_task(state.task or TaskRow(), records) if state.role == "task" else None,
        fold_job(state.job or JobRow(), records) if state.role == "job" else None,
    )
