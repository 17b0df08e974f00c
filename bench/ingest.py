"""What an ingest costs beside the embedding itself, and what a search costs while one runs.

Raw encoding and the ingest of the same chunks take turns, so that both see the same machine.
"""

import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from actors.adapters.sandbox import SandboxedParser  # noqa: E402
from actors.archive import LocalArchive  # noqa: E402
from actors.hosts import give_way  # noqa: E402
from actors.ingesting.chunking import chunk, embedded_context  # noqa: E402
from actors.ingesting.ingest import IngestJob  # noqa: E402
from actors.ingesting.parsing import AnyParser  # noqa: E402
from actors.ingesting.sealing import AT_ONCE  # noqa: E402
from events.embedding import ToEmbed  # noqa: E402
from events.home import Home  # noqa: E402
from projections.encoders.opened import open_embedder  # noqa: E402
from projections.search import LocalCorpus, open_corpus  # noqa: E402

TURNS = 3
DOCUMENTS = 60
"""Of each turn."""

QUERIES = 200
TOGETHER, PAUSE_S = 10, 0.05
"""Queries in a row, and the pause after them: the first one after a pause takes longest, beside an ingest or not."""

DURING = 2000
"""Documents of the ingest beside which queries are asked."""


def sentences() -> list[str]:
    """Sentences to make documents from."""
    texts = [path.read_text() for path in sorted((ROOT / "docs").rglob("*.md"))]
    found = re.findall(r"[A-Z][^.!?#|\n]{30,200}[.!?]", "\n".join(texts))
    return [" ".join(each.split()) for each in found]


def write_documents(folder: Path, count: int, seed: int) -> list[Path]:
    """Markdown files of several sections, no two alike."""
    chance, stock = random.Random(seed), sentences()
    folder.mkdir(parents=True)
    paths = []
    for number in range(count):
        parts = [f"# Document {seed}-{number}"]
        for section in range(chance.randint(2, 6)):
            parts.append(f"## Section {section}")
            for _ in range(chance.randint(1, 3)):
                parts.append(" ".join(chance.choices(stock, k=chance.randint(2, 7))))
        path = folder / f"{number:05}.md"
        path.write_text("\n\n".join(parts) + "\n")
        paths.append(path)
    return paths


def chunks_of(paths: list[Path]) -> list[ToEmbed]:
    """What the ingest of some files will embed."""
    found = []
    for path in paths:
        parsed = AnyParser().parse(path.name, path.read_bytes())
        found += [
            ToEmbed(
                embedded_context(parsed.title, each),
                parsed.text[each.start : each.end],
                each.language,
            )
            for each in chunk(parsed.text, parsed.blocks)
        ]
    return found


def enter(home: Home, paths: list[Path]) -> str:
    """A job over files."""
    return LocalArchive(home).catalogue.enter_job("bench", [str(path) for path in paths])[0]


def measure_rate(place: Path) -> None:
    """The ingest beside raw encoding."""
    embedder = open_embedder("")
    home = Home(place / "home")
    home.prepare()
    ratios = []
    with SandboxedParser() as parser:
        warm = write_documents(place / "warm", 5, 999)
        IngestJob(LocalArchive(home), parser, lambda _: embedder, enter(home, warm)).run()
        for turn in range(TURNS):
            paths = write_documents(place / f"turn{turn}", DOCUMENTS, turn)
            chunks = chunks_of(paths)
            began = time.monotonic()
            for at in range(0, len(chunks), AT_ONCE):
                embedder.embed(chunks[at : at + AT_ONCE])
            raw = time.monotonic() - began
            job = enter(home, paths)
            began = time.monotonic()
            IngestJob(LocalArchive(home), parser, lambda _: embedder, job).run()
            whole = time.monotonic() - began
            ratios.append(raw / whole)
            print(
                f"turn {turn + 1}: {len(chunks)} chunks, raw {len(chunks) / raw:.1f}/s,"
                f" ingest {len(chunks) / whole:.1f}/s, ratio {raw / whole:.2f}"
            )
    print(f"ingest beside raw encoding, median: {statistics.median(ratios):.2f} (aim 0.9)")


def ask(corpus: LocalCorpus, stock: list[str], chance: random.Random) -> list[float]:
    """How long some queries in a row take, in ms."""
    times = []
    for _ in range(TOGETHER):
        query = " ".join(chance.choice(stock).split()[:8])
        began = time.perf_counter()
        corpus.search(query, 10)
        times.append((time.perf_counter() - began) * 1000)
    time.sleep(PAUSE_S)
    return times


def measure_beside(place: Path) -> None:
    """Queries before and during an ingest in another process."""
    home = Home(place / "home")
    corpus, stock, chance = open_corpus(str(home.root)), sentences(), random.Random(5)
    for _ in range(2):
        ask(corpus, stock, chance)
    idle: list[float] = []
    while len(idle) < QUERIES:
        idle += ask(corpus, stock, chance)
    write_documents(place / "during", DURING, 77)
    job = enter(home, sorted((place / "during").iterdir()))
    ingest = subprocess.Popen([sys.executable, __file__, str(home.root), job])
    busy: list[float] = []
    try:
        time.sleep(3)
        while ingest.poll() is None and len(busy) < 3 * QUERIES:
            busy += ask(corpus, stock, chance)
    finally:
        ingest.kill()
        ingest.wait()
    idle.sort()
    busy.sort()
    for name, times in (("idle", idle), ("during an ingest", busy)):
        print(f"query {name}: p50 {times[len(times) // 2]:.1f} ms, p95 {_p95(times):.1f} ms")
    print(f"p95 during an ingest beside idle: {_p95(busy) / _p95(idle):.2f} (aim 2)")


def _p95(times: list[float]) -> float:
    return times[int(len(times) * 0.95)]


def main() -> None:
    """Both measurements, or one ingest for the second."""
    if len(sys.argv) == 3:
        give_way()  # as the actor of a job does
        home = Home(Path(sys.argv[1]))
        with SandboxedParser() as parser:
            IngestJob(LocalArchive(home), parser, open_embedder, sys.argv[2]).run()
        return
    with tempfile.TemporaryDirectory(prefix="bench-ingest-") as folder:
        measure_rate(Path(folder))
        measure_beside(Path(folder))


if __name__ == "__main__":
    main()
