"""Data homes with made-up documents, for the benchmarks of search: no model is needed to write them.

Words follow Zipf's law, so that some are in half of all chunks and most in a few. Vectors lie in
clusters within clusters, in a space some of whose directions matter far more than others, all of
them oblique to the axes: so do those of MiniLM, and the shares are about the same.
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from events.catalogue import SourcePublished  # noqa: E402
from events.codec import digest  # noqa: E402
from events.home import CATALOGUE, Home  # noqa: E402
from events.segment import Segment, encode  # noqa: E402
from events.stream import EventStream  # noqa: E402
from language.words import ANALYSER  # noqa: E402
from projections.late import row_bytes  # noqa: E402

MODEL, DIMENSION = "made-up", 384
PER_DOCUMENT = 20
VOCABULARY = 60_000
WORDS_IN_CHUNK = 180
SMALL = "one-percent"
"""The collection that holds one document of a hundred."""

Floats = npt.NDArray[np.float32]


class Meanings:
    """Vectors that lie together as those of texts do."""

    def __init__(self, seed: int = 7) -> None:
        self._random = np.random.default_rng(seed)
        shares = (1 + np.arange(DIMENSION)) ** -0.4
        turned = np.linalg.qr(self._random.standard_normal((DIMENSION, DIMENSION)))[0]
        self._spread = shares[:, None] * turned / np.linalg.norm(shares)
        self._topics = self._drawn(400)
        self._subjects = 0.8 * self._topics[self._random.integers(0, 400, 8000)] + self._drawn(8000)

    def chunks(self, count: int) -> Floats:
        """So many vectors of length 1."""
        subject = self._subjects[self._random.integers(0, len(self._subjects), count)]
        return unit(subject + 0.9 * self._drawn(count))

    def near(self, vectors: Floats) -> Floats:
        """Queries about what some vectors are about."""
        return unit(vectors + 0.8 * self._drawn(len(vectors)))

    def _drawn(self, count: int) -> Floats:
        drawn = self._random.standard_normal((count, DIMENSION)) @ self._spread
        return np.asarray(drawn, np.float32)


def unit(vectors: Floats) -> Floats:
    """Brought to length 1."""
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def vocabulary() -> list[str]:
    """Words that no stemmer changes."""
    letters = "bcdfghjklmnprtvz"
    return [
        "".join(letters[n >> shift & 15] for shift in (16, 12, 8, 4, 0)) for n in range(VOCABULARY)
    ]


def write_home(
    root: Path,
    vectors: Floats,
    seed: int = 3,
    *,
    model: str = MODEL,
    words: Sequence[str] = (),
    codes: int = 0,
) -> Home:
    """A data home whose chunks have these vectors, in order, as if of that model.

    The words are the vocabulary, the frequent ones first; of made-up ones if none are given. The
    codes are those of the late comparison, so many of each chunk.
    """
    home = Home(root)
    home.prepare()
    random = np.random.default_rng(seed)
    spelled = np.array(words or vocabulary())
    assert len(spelled) == VOCABULARY
    shares = 1 / (np.arange(VOCABULARY) + 20.0)
    shares /= shares.sum()
    catalogue = EventStream(home.path(CATALOGUE))
    text = home.blobs.put(b"made up")
    facts = []
    for start in range(0, len(vectors), PER_DOCUMENT):
        own = vectors[start : start + PER_DOCUMENT]
        drawn = random.choice(VOCABULARY, size=(len(own), WORDS_IN_CHUNK), p=shares)
        segment = _segment(start, [spelled[each].tolist() for each in drawn], own, model)
        if codes:
            made = [random.bytes(codes * row_bytes(DIMENSION)) for _ in own]
            segment = replace(segment, late={model: made})
        number = start // PER_DOCUMENT
        locator = f"/library/{number:06}.md"
        facts.append(
            SourcePublished(
                document="doc-" + digest(locator.encode())[7:39],
                version=digest(locator.encode()),
                collection="rest" if number % 100 else SMALL,
                locator=locator,
                title=f"Document {number}",
                media_type="text/markdown",
                original=text,
                text=text,
                segment=home.blobs.put(encode(segment)),
                chunks=len(own),
                job="ingest-1",
            )
        )
    with catalogue.deciding():
        catalogue.append_decided(*facts)
    catalogue.close()
    return home


def _segment(first: int, texts: list[list[str]], vectors: Floats, model: str) -> Segment:
    rows = len(texts)
    counted = [{word: text.count(word) for word in set(text)} for text in texts]
    starts = (first + np.arange(rows)) * 2000
    none = np.zeros(rows, np.int32)
    return Segment(
        chunker=1,
        analyser=ANALYSER,
        ids=[f"chk-{first + row:032x}" for row in range(rows)],
        starts=starts,
        ends=starts + 1000,
        headings=[("Document", f"Section {row}") for row in range(rows)],
        content_types=["prose"] * rows,
        first_pages=none,
        last_pages=none,
        languages=["en"] * rows,
        texts=[" ".join(text) for text in texts],
        body_terms=counted,
        heading_terms=[{"document": 1, "section": 1} for _ in texts],
        vectors={model: vectors.astype(np.float16)},
        late={model: [b""] * rows},
    )
