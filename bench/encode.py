"""How fast the bundled English model encodes here, and how fast one query is.

    python bench/encode.py [--chunks N] [--torch] [--int8]

Each way of running the same weights on the same chunks, in turns. Ratios within one run travel
between machines; absolute figures do not.
"""

import argparse
import logging
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from events.embedding import ToEmbed  # noqa: E402
from events.telemetry import tell_nobody  # noqa: E402
from projections.encoders import bert_graph  # noqa: E402
from projections.encoders.minilm import MiniLM, cores  # noqa: E402

SENTENCE = "The measured drag of the slender body grew with the square of the speed until the flow "
TURNS = 3


def chunks(count: int) -> list[str]:
    """Texts of 60 to 240 tokens."""
    words = (SENTENCE * 14).split()
    return [f"{n} " + " ".join(words[: 50 + (n * 37) % 150]) for n in range(count)]


def plain(encoder: MiniLM, texts: list[str]) -> Any:
    """Vectors and codes, as documents are embedded."""
    return encoder.encode([ToEmbed("", text, "en") for text in texts])[0]


def int8(encoder: MiniLM) -> MiniLM:
    """The same encoder on weights of eight bits."""
    tell_nobody()
    import onnxruntime
    from onnxruntime.quantization import QuantType, quantize_dynamic

    logging.disable(logging.WARNING)
    other = MiniLM()
    with tempfile.TemporaryDirectory() as scratch:
        whole, small = Path(scratch) / "whole.onnx", Path(scratch) / "small.onnx"
        weights = bert_graph.read_weights(encoder._folder / "model.safetensors")
        shape = bert_graph.Shape.read(encoder._folder / "config.json")
        whole.write_bytes(bert_graph.build(weights, shape).SerializeToString())
        quantize_dynamic(
            whole,
            small,
            op_types_to_quantize=["MatMul", "Attention"],
            per_channel=True,
            weight_type=QuantType.QUInt8,
            extra_options={"DefaultTensorType": 1},
        )
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = cores()
        other.__dict__["_opened"] = onnxruntime.InferenceSession(
            str(small), options, providers=["CPUExecutionProvider"]
        )
    return other


def torch_encode() -> Callable[[list[str]], Any]:
    """The same weights by sentence-transformers."""
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(cores())
    model = SentenceTransformer(str(MiniLM()._folder), device="cpu")
    return lambda texts: model.encode(texts, batch_size=16, normalize_embeddings=True)


def main() -> int:
    """Print the table."""
    asked = argparse.ArgumentParser()
    asked.add_argument("--chunks", type=int, default=96)
    asked.add_argument("--torch", action="store_true", help="also by torch")
    asked.add_argument("--int8", action="store_true", help="also with eight-bit weights")
    given = asked.parse_args()
    began = time.perf_counter()
    encoder = MiniLM()
    encoder.encode_query("first")
    print(f"model loaded and first query answered: {time.perf_counter() - began:.2f} s")
    ways: dict[str, Callable[[list[str]], Any]] = {"onnx fp32": lambda t: plain(encoder, t)}
    if given.int8:
        small = int8(encoder)
        ways["onnx int8"] = lambda t: plain(small, t)
    if given.torch:
        ways["torch fp32"] = torch_encode()
    texts = chunks(given.chunks)
    exact = plain(encoder, texts)
    rates: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(TURNS):
        for name, encode in ways.items():
            began = time.perf_counter()
            encode(texts)
            rates[name].append(len(texts) / (time.perf_counter() - began))
    base = statistics.median(rates["onnx fp32"])
    print(f"{'way':12} {'chunks/s':>9} {'ratio':>6} {'least cosine':>13}")
    for name, encode in ways.items():
        rate = statistics.median(rates[name])
        alike = float((np.asarray(encode(texts)) * exact).sum(axis=1).min())
        print(f"{name:12} {rate:9.1f} {rate / base:6.2f} {alike:13.5f}")
    times = []
    for number in range(60):
        began = time.perf_counter()
        encoder.encode_query(f"how does heat move through a thin layer on plate {number}")
        times.append((time.perf_counter() - began) * 1e3)
    print(f"query: median {statistics.median(times):.1f} ms, best {min(times):.1f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
