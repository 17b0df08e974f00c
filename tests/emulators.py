"""Stand-ins for the slow and the hostile parts of the world, used by engines that tests start."""

import json
import time
from pathlib import Path
from typing import Any

from projections.search import open_corpus


class SlowCorpus:
    """The real corpus, slowed down, with every answer it gives written down outside the record.

    `run/pace` in the data home says how many seconds an answer takes; it is read anew each time.
    """

    def __init__(self, home: str) -> None:
        self._corpus = open_corpus(home)
        self._run = Path(home) / "run"

    def search(
        self, query: str, limit: int, collections: tuple[str, ...] | None
    ) -> list[dict[str, Any]]:
        until = time.monotonic()
        began = until
        while time.monotonic() - began < self._pace():
            time.sleep(0.02)
        found: list[dict[str, Any]] = self._corpus.search(query, limit, collections)
        with (self._run / "served").open("a") as file:
            file.write(json.dumps(query) + "\n")
        return found

    def _pace(self) -> float:
        try:
            return float((self._run / "pace").read_text() or 0)
        except (FileNotFoundError, ValueError):
            return 0.0
