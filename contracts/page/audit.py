"""The page's audit prompt: SQL over every trace, the questions that have names, and the tables there are."""

from contracts.audit.asking import plain
from contracts.core import Core
from contracts.page.answers import Asked, Reply
from contracts.page.facts import bounded
from events.errors import BadRequest
from projections.audit import Audit

MOST_ROWS = 2_000


class AuditRoom:
    """Answers questions in SQL; for any number of threads."""

    def __init__(self, core: Core) -> None:
        self._audit = Audit(core.home)

    def questions(self, asked: Asked) -> Reply:
        """What can be asked by name."""
        named = self._audit.named.values()
        return {
            "questions": [
                {"name": each.name, "says": each.answers, "sql": _without_first_line(each.sql)}
                for each in named
            ]
        }

    def tables(self, asked: Asked) -> Reply:
        """What can be selected from."""
        return {
            "tables": [
                {
                    "name": table,
                    "columns": [{"name": name, "type": kind} for name, kind in columns.items()],
                }
                for table, columns in self._audit.columns.items()
            ],
        }

    def ask(self, asked: Asked) -> Reply:
        """The rows that answer a question."""
        question = asked.text("name", most=200) or asked.text("sql", most=20_000)
        if not question.strip():
            raise BadRequest("Nothing was asked.", "Give a SELECT, or choose a question.")
        limit = asked.number("limit", 100, 1, MOST_ROWS)
        answer = self._audit.ask(question, limit=limit, as_of=asked.text("as_of", most=200) or None)
        return {
            "columns": answer.columns,
            "types": answer.types,
            "rows": [[bounded(plain(value)) for value in row] for row in answer.rows],
            "truncated": answer.truncated,
            "took_ms": answer.took_ms,
        }


def _without_first_line(sql: str) -> str:
    """The SQL of a question, without the sentence above it."""
    return sql.partition("\n")[2].strip()
