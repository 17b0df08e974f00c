"""How fast and how exactly the corpus is searched, beside embedded vector databases.

    python bench/search.py [directory] [--chunks N ...] [--queries N] [--no-rivals]

Writes data homes of made-up documents into the directory, unless they are there already (a temporary
one without an argument), and prints tables. Times are of a warm process, without the query's own
embedding. Ratios within one run travel between machines; absolute figures do not.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.corpora import (  # noqa: E402
    DIMENSION,
    MODEL,
    PER_DOCUMENT,
    SMALL,
    VOCABULARY,
    Meanings,
    vocabulary,
    write_home,
)
from bench.rivals import RIVALS, Ask, opened  # noqa: E402
from events.home import Home  # noqa: E402
from projections.encoders.model import Model, QueryEmbedding, QuerySide, Scale  # noqa: E402
from projections.index.filters import Filters  # noqa: E402
from projections.search import LocalCorpus  # noqa: E402

LIMIT = 10
TURNS = 4
Floats = npt.NDArray[np.float32]


class MadeUp:
    """An embedder that knows the vectors of the queries beforehand."""

    models = (Model(MODEL, DIMENSION, None),)
    names = (MODEL,)

    def __init__(self, queries: dict[str, Floats]) -> None:
        self._queries = queries

    def embed_query(self, query: str) -> QueryEmbedding:
        """The query, embedded in no time."""
        return QueryEmbedding(query, {MODEL: self._side})

    def _side(self, query: str) -> QuerySide:
        vector = self._queries[query]
        return QuerySide(vector, vector[None], np.ones(1, np.float32), Scale(0.05, 0.1, 1.0, 0.0))


# -- what is searched ------------------------------------------------------------------------------


def prepare(folder: Path, chunks: int, queries: int) -> SimpleNamespace:
    """A home of that size, its vectors, and questions about them."""
    meanings = Meanings()
    vectors = meanings.chunks(chunks)
    chance = np.random.default_rng(5)
    asked = meanings.near(vectors[chance.choice(chunks, queries, replace=False)])
    root = folder / f"home-{chunks}"
    if not (root / "traces" / "catalogue.jsonl").exists():
        write_home(root, vectors)
    small = np.arange(chunks) // PER_DOCUMENT % 100 == 0
    return SimpleNamespace(
        home=Home(root), vectors=vectors, asked=asked, said=sentences(queries), small=small
    )


def sentences(count: int) -> list[str]:
    """Questions of eight words, most of them common ones, as in questions."""
    chance = np.random.default_rng(6)
    shares = 1 / (np.arange(VOCABULARY) + 20.0)
    drawn = chance.choice(VOCABULARY, size=(count, 8), p=shares / shares.sum())
    spelled = vocabulary()
    return [" ".join(spelled[word] for word in words) for words in drawn]


def exact(data: SimpleNamespace, *, scoped: bool) -> list[set[int]]:
    """The nearest rows to each query, by comparing with all."""
    rows = np.flatnonzero(data.small) if scoped else np.arange(len(data.vectors))
    near = data.asked @ data.vectors[rows].T
    best = np.argsort(-near, axis=1, kind="stable")[:, :LIMIT]
    return [set(rows[each].tolist()) for each in best]


# -- measuring -------------------------------------------------------------------------------------


def timed(ask: Callable[[int], list[int]], numbers: range) -> tuple[list[float], list[list[int]]]:
    """How long some questions take in milliseconds, and what was answered."""
    for number in numbers[:5]:
        ask(number)
    times, answers = [], []
    for number in numbers:
        begun = time.perf_counter()
        answers.append(ask(number))
        times.append((time.perf_counter() - begun) * 1000)
    return times, answers


def recall(answers: list[list[int]], truth: list[set[int]]) -> float:
    """The share of the truly nearest that was found."""
    hits = sum(len(set(found) & true) for found, true in zip(answers, truth, strict=True))
    return hits / sum(map(len, truth))


def row(cells: Iterable[Any]) -> None:
    """A line of a table."""
    sys.stdout.write("| " + " | ".join(map(str, cells)) + " |\n")
    sys.stdout.flush()


def ours(data: SimpleNamespace) -> dict[str, Callable[[int, bool], list[int]]]:
    """The product's own ways to search: its vectors alone, its words alone, everything."""
    known = dict(zip(data.said, data.asked, strict=True))
    corpus = LocalCorpus(data.home, opening=lambda _: MadeUp(known))  # type: ignore[arg-type,return-value]
    scopes = {False: Filters(), True: Filters(collections=(SMALL,))}

    def vectors(number: int, scoped: bool) -> list[int]:
        scope = corpus.scope(scopes[scoped])
        rows, _ = scope.dense(MODEL, data.asked[number], LIMIT)
        return [int(each.split("\0")[1]) // 2000 for each in scope.places(rows)]

    def search(mode: str) -> Callable[[int, bool], list[int]]:
        def ask(number: int, scoped: bool) -> list[int]:
            found = corpus.search(data.said[number], LIMIT, filters=scopes[scoped], mode=mode)  # type: ignore[arg-type]
            return [each["start"] // 2000 for each in found]

        return ask

    return {
        "research-agent, vectors": vectors,
        "research-agent, words": search("lexical"),
        "research-agent, all stages": search("best"),
    }


def compare(data: SimpleNamespace, folder: Path, *, rivals: bool) -> None:
    """Latency and recall of everyone, on the same vectors, taking turns."""
    size = len(data.vectors)
    engines: dict[str, Callable[[int, bool], list[int]]] = {}
    missing = []
    for name in RIVALS if rivals else ():
        ask = opened(name, folder / f"rival-{size}" / name, data.vectors, data.small)
        if ask is None:
            missing.append(name)
        else:
            engines[name] = partial(by_number, ask, data.asked)
    engines |= ours(data)
    row(("engine", "chunks", "scope", "p50 ms", "p95 ms", "recall@10"))
    row(["---"] * 6)
    for name in missing:
        row((name, size, "", "not installed", "", ""))
    for scoped in (False, True):
        measure(engines, data, scoped)


def by_number(ask: Ask, asked: Floats, number: int, scoped: bool) -> list[int]:
    """A rival asked by the number of the question."""
    return ask(asked[number], scoped)


def asking(engine: Callable[[int, bool], list[int]], scoped: bool, number: int) -> list[int]:
    """One question to one engine."""
    return engine(number, scoped)


def measure(
    engines: dict[str, Callable[[int, bool], list[int]]], data: SimpleNamespace, scoped: bool
) -> None:
    """The lines of one scope. Turns, so that a moment of the machine meets everyone."""
    count, truth = len(data.asked), exact(data, scoped=scoped)
    times: dict[str, list[float]] = {name: [] for name in engines}
    answers: dict[str, list[list[int]]] = {name: [] for name in engines}
    for turn in range(TURNS):
        numbers = range(turn * count // TURNS, (turn + 1) * count // TURNS)
        for name, engine in engines.items():
            took, found = timed(partial(asking, engine, scoped), numbers)
            times[name] += took
            answers[name] += found
    for name, took in times.items():
        by_vectors = "words" not in name and "stages" not in name
        found_share = f"{recall(answers[name], truth):.4f}" if by_vectors else ""
        middle, high = (f"{np.percentile(took, share):.2f}" for share in (50, 95))
        row((name, len(data.vectors), "1 %" if scoped else "all", middle, high, found_share))


FRESH = """
import sys, time
begun = time.perf_counter()
from projections.search import open_corpus
corpus = open_corpus(sys.argv[1])
found = corpus.search(sys.argv[2], 10)
first = time.perf_counter() - begun
begun = time.perf_counter()
corpus.search(sys.argv[2], 10)
second = time.perf_counter() - begun
sizes = dict(line.split(":") for line in open("/proc/self/status") if line.startswith("Rss"))
print(len(found), first, second, *(int(sizes[name].split()[0]) for name in ("RssAnon", "RssFile")))
"""


def fresh(data: SimpleNamespace) -> None:
    """The first question to a process that was just started, and what it then holds in memory."""
    environment = dict(os.environ) | {"PYTHONPATH": str(ROOT)}
    walls, told = [], []
    for _ in range(3):
        begun = time.perf_counter()
        command = [sys.executable, "-c", FRESH, str(data.home.root), data.said[0]]
        done = subprocess.run(command, capture_output=True, check=True, env=environment, text=True)
        walls.append(time.perf_counter() - begun)
        told.append(done.stdout.split())
    best = told[int(np.argmin(walls))]
    row(("chunks", "process to first answer s", "of it open + answer s", "second answer ms",
         "own memory MB", "mapped MB"))  # fmt: skip
    row(["---"] * 6)
    row(
        (
            len(data.vectors),
            f"{min(walls):.2f}",
            f"{float(best[1]):.2f}",
            f"{float(best[2]) * 1000:.1f}",
            int(best[3]) // 1024,
            int(best[4]) // 1024,
        )
    )


def main() -> int:
    """Measure every size."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("directory", nargs="?", type=Path)
    arguments.add_argument("--chunks", type=int, nargs="+", default=[10_000, 100_000])
    arguments.add_argument("--queries", type=int, default=100)
    arguments.add_argument("--no-rivals", action="store_true")
    asked = arguments.parse_args()
    with tempfile.TemporaryDirectory() as passing:
        folder = asked.directory or Path(passing)
        folder.mkdir(parents=True, exist_ok=True)
        for chunks in asked.chunks:
            data = prepare(folder, chunks, asked.queries)
            compare(data, folder, rivals=not asked.no_rivals)
            sys.stdout.write("\n")
            fresh(data)
            sys.stdout.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
