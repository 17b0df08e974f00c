"""Things actors use without importing them: opened by name in the process that needs them."""

import importlib
from collections.abc import Sequence
from typing import Any

from actors.ports import Passage


def named(place: str) -> Any:
    """What `module:name` refers to; actors reach the projections by name only, never by import."""
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


class OpenedCorpus:
    """A corpus opened by name, whose answers are checked before anybody relies on them."""

    def __init__(self, opened: Any) -> None:
        self._opened = opened

    def search(
        self,
        query: str,
        limit: int,
        collections: tuple[str, ...] | None,
        among: tuple[str, ...] = (),
    ) -> list[Passage]:
        """The passages nearest to the query."""
        found = self._opened.search(query, limit, collections, among)
        return [Passage.model_validate(each) for each in found]

    def likeness(self, question: str, texts: Sequence[str]) -> list[float | None]:
        """How near in meaning each text is to the question."""
        return [
            None if each is None else float(each) for each in self._opened.likeness(question, texts)
        ]
