"""How long a whole question takes, its embedding by the bundled model included.

    python bench/questions.py [directory] [--chunks N ...] [--queries N]

Writes data homes of made-up documents into the directory, unless they are there already (a
temporary one without an argument). Their words are real ones, so that questions have as many tokens
as people's do; each chunk has as many codes for the late comparison as prose has. On a busy
machine only the second pair of columns tells something: the processor time of this process.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.corpora import VOCABULARY, Meanings, vocabulary, write_home  # noqa: E402
from events.home import Home  # noqa: E402
from language.stems import stem  # noqa: E402
from projections.encoders.minilm import MiniLM  # noqa: E402
from projections.search import LocalCorpus  # noqa: E402

LIMIT = 10
CODES = 80
"""Telling tokens of a chunk of prose."""

ASKED = 8
"""Words of a question that are looked for."""


def real_words(encoder: MiniLM) -> list[str]:
    """Words that are one token each, the frequent ones first, and made-up ones behind them."""
    by_number = sorted(encoder._tokenizer.get_vocab().items(), key=lambda each: each[1])
    words = [word for word, _ in by_number if word.isascii() and word.isalpha() and len(word) > 2]
    known = [word for word in words if stem(word) == word]
    return [*known, *vocabulary()][:VOCABULARY]


def questions(words: list[str], count: int) -> list[str]:
    """Questions of eight words that tell something, and three that do not."""
    chance = np.random.default_rng(6)
    shares = 1 / (np.arange(10_000) + 20.0)
    drawn = chance.choice(10_000, size=(count, ASKED), p=shares / shares.sum())
    return ["what is the " + " ".join(words[each] for each in asked) for asked in drawn.tolist()]


def measure(corpus: LocalCorpus, encoder: MiniLM, asked: list[str]) -> dict[str, list[float]]:
    """Wall and processor time of questions in ms: their embedding alone, and the whole."""
    ways: dict[str, Callable[[str], object]] = {
        "embedding": encoder.encode_query,
        "whole": partial(corpus.search, limit=LIMIT),
    }
    found: dict[str, list[float]] = {}
    for question in (*asked[:10], *asked):
        for name, ask in ways.items():
            begun, spent = time.perf_counter(), time.process_time()
            ask(question)
            found.setdefault(f"{name}, own", []).append((time.process_time() - spent) * 1000)
            found.setdefault(name, []).append((time.perf_counter() - begun) * 1000)
    return {name: times[10:] for name, times in found.items()}


def main() -> int:
    """Measure every size."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("directory", nargs="?", type=Path)
    arguments.add_argument("--chunks", type=int, nargs="+", default=[10_000, 100_000])
    arguments.add_argument("--queries", type=int, default=200)
    given = arguments.parse_args()
    encoder = MiniLM()
    words = real_words(encoder)
    asked = questions(words, given.queries)
    print("| chunks | what | p50 ms | p95 ms | own p50 ms | own p95 ms |")
    print("| ---: | --- | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as passing:
        for chunks in given.chunks:
            root = (given.directory or Path(passing)) / f"asked-{chunks}"
            if not (root / "traces" / "catalogue.jsonl").exists():
                vectors = Meanings().chunks(chunks)
                write_home(root, vectors, model=encoder.model.name, words=words, codes=CODES)
            found = measure(LocalCorpus(Home(root)), encoder, asked)
            for name in ("embedding", "whole"):
                cells = [
                    f"{np.percentile(found[each], share):.1f}"
                    for each in (name, f"{name}, own")
                    for share in (50, 95)
                ]
                print(f"| {chunks} | {name} | {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
