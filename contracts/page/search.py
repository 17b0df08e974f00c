"""The page's search: the knowledge base's own answer, with each stage's rank and score."""

from contracts.knowledge.querying import MOST_RESULTS, Librarian
from contracts.page.answers import Asked, Reply


def search(librarian: Librarian, asked: Asked) -> Reply:
    """Passages for a question, best first, and why each stands where it does."""
    return librarian.answer(
        asked.text("q"),
        asked.text("collections", most=2_000) or None,
        asked.number("limit", 10, 1, MOST_RESULTS),
        through="page",
    )
