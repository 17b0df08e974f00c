"""What each stage of a search gains and costs, on labelled sets.

    python bench/stages.py [set ...]

A set is a folder in BEIR's layout; without one, those in bench/sets. It is ingested once and asked
with every stage, and with stages left out.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from contracts.knowledge.evaluating import Measured, ask_all, bring_in, read_set  # noqa: E402
from events.home import Home  # noqa: E402
from projections import feedback as anew  # noqa: E402
from projections import ranking  # noqa: E402
from projections.ranking import Mode  # noqa: E402
from projections.search import LocalCorpus  # noqa: E402
from projections.signals import compared as closely  # noqa: E402


def unmoved(question: Any, *_: Any) -> Any:
    """The question as it was put."""
    return question


def uncompared(signals: Any, *_: Any) -> Any:
    """What was found, as it was."""
    return signals


@contextmanager
def without(*, feedback: bool, late: bool) -> Iterator[None]:
    """The default ranking with stages left out."""
    moved = unmoved if feedback else anew.moved
    compared: Callable[..., Any] = uncompared if late else closely
    with (
        patch.object(anew, "moved", moved),
        patch.object(ranking, "compared", compared),
    ):
        yield


def measure(folder: Path) -> None:
    """Print the lines of one set."""
    labelled = read_set(folder)
    with tempfile.TemporaryDirectory(prefix="bench-stages-") as place:
        home = Home(Path(place) / "home")
        home.prepare()
        names = bring_in(labelled, home, Path(place) / "documents")
        corpus = LocalCorpus(home)

        def asked(mode: Mode) -> Measured:
            return ask_all(labelled, corpus, names, mode)

        asked("best")
        found = {"words (BM25)": asked("lexical"), "meaning (one vector a chunk)": asked("dense")}
        for name, feedback, late in (
            ("both on one scale", False, False),
            ("and the question put anew", True, False),
            ("and the late comparison", False, True),
            ("all (the default)", True, True),
        ):
            with without(feedback=not feedback, late=not late):
                found[name] = asked("best")
    for name, each in found.items():
        cells = (f"{each.ndcg_at_10:.3f}", f"{each.recall_at_10:.3f}", f"{each.p50_ms:.1f}")
        print(f"| {folder.name} | {name} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    """Measure every set."""
    given = [Path(each) for each in sys.argv[1:]]
    print("| set | stages | nDCG@10 | recall@10 | p50 ms |\n| --- | --- | ---: | ---: | ---: |")
    for folder in given or sorted((ROOT / "bench" / "sets").glob("*/")):
        measure(folder)


if __name__ == "__main__":
    main()
