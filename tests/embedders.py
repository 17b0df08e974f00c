"""An embedder that loads in no time, for tests that are not about meaning."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from events.embedding import ToEmbed

DIMENSION = 64


@dataclass(frozen=True)
class Letters:
    """What `LettersEmbedder` makes of chunks."""

    model: str
    vectors: npt.NDArray[np.float16]
    late: list[bytes]


class LettersEmbedder:
    """Texts with the same letters in a row are alike."""

    def __init__(self, name: str = "letters") -> None:
        self.names = (name,)
        self.embedded: list[str] = []
        """The texts that were embedded, in order."""

    def embed(self, chunks: Sequence[ToEmbed]) -> list[Letters]:
        self.embedded += [chunk.text for chunk in chunks]
        vectors = np.array([_vector(f"{chunk.context}\n{chunk.text}") for chunk in chunks])
        return [Letters(self.names[0], vectors.astype(np.float16), [b""] * len(chunks))]


def _vector(text: str) -> npt.NDArray[np.float64]:
    counts = np.zeros(DIMENSION)
    for at in range(len(text) - 2):
        counts[
            sum(ord(letter) * 31**place for place, letter in enumerate(text[at : at + 3]))
            % DIMENSION
        ] += 1
    length = float(np.linalg.norm(counts))
    return counts / length if length else counts


def open_letters(setting: str = "") -> LettersEmbedder:
    """As `open_embedder`; the setting is the model's name."""
    return LettersEmbedder(setting or "letters")
