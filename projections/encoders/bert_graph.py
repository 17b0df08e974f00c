"""The BERT encoder as an ONNX graph, built from its weights alone.

The weights come as safetensors, with no graph. Importing torch to run them costs seconds on every
start, so the graph is written down here, with the fused operators of onnxruntime: tokens in,
token vectors and their mean out.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors import safe_open

_FUSED = "com.microsoft"
"""Domain of the operators that onnxruntime adds to the standard ones."""

_OPSET, _IR_VERSION = 17, 8

Weights = dict[str, npt.NDArray[np.float32]]


@dataclass(frozen=True)
class Shape:
    """The numbers in a BERT model's `config.json` that its graph depends on."""

    layers: int
    heads: int
    epsilon: float

    @classmethod
    def read(cls, config: Path) -> "Shape":
        """From the file next to the weights."""
        held = json.loads(config.read_text())
        return cls(held["num_hidden_layers"], held["num_attention_heads"], held["layer_norm_eps"])


def read_weights(path: Path) -> Weights:
    """Every tensor of a safetensors file."""
    with safe_open(path, framework="np") as held:
        return {name: held.get_tensor(name) for name in held.keys()}  # noqa: SIM118 - no mapping


def build(weights: Weights, shape: Shape) -> onnx.ModelProto:
    """A graph from `ids` and `mask` (texts, tokens) to `tokens` and `pooled`, both of length 1."""
    graph = _Graph(weights, shape)
    graph.embed()
    for number in range(shape.layers):
        graph.layer(number)
    graph.pool()
    return graph.model()


class _Graph:
    def __init__(self, weights: Weights, shape: Shape) -> None:
        self._weights, self._shape = weights, shape
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []
        self._now = ""
        """Name of the tensor that the next layer reads."""

    def embed(self) -> None:
        """Words and places, each as a vector, added up and normalised."""
        words = self._keep("embeddings.word_embeddings.weight")
        # All tokens are of the first type: its vector can as well stand in the places.
        places = (
            self._weights["embeddings.position_embeddings.weight"]
            + self._weights["embeddings.token_type_embeddings.weight"][0]
        )
        self._hold("places", places)
        self._hold("zero", np.array([0], np.int64))
        self._hold("one", np.array([1], np.int64))
        self._hold("two", np.array([2], np.int64))
        self._add("Gather", [words, "ids"], "word_vectors")
        self._add("Shape", ["ids"], "extent")
        self._add("Slice", ["extent", "one", "two"], "width")
        self._add("Slice", ["places", "zero", "width"], "place_vectors")
        self._add("Add", ["word_vectors", "place_vectors"], "embedded")
        self._add(
            "LayerNormalization",
            ["embedded", *self._norm("embeddings.LayerNorm")],
            "hidden",
            epsilon=self._shape.epsilon,
            axis=-1,
        )
        self._now = "hidden"

    def layer(self, number: int) -> None:
        """Attention, then two dense layers, each added to what came in and normalised."""
        here = f"encoder.layer.{number}"
        parts = [f"{here}.attention.self.{part}" for part in ("query", "key", "value")]
        joined = np.concatenate([self._weights[f"{part}.weight"].T for part in parts], axis=1)
        bias = np.concatenate([self._weights[f"{part}.bias"] for part in parts])
        self._hold(f"{here}.qkv", joined)
        self._hold(f"{here}.qkv_bias", bias)
        self._add(
            "Attention",
            [self._now, f"{here}.qkv", f"{here}.qkv_bias", "mask"],
            f"{here}.attended",
            fused=True,
            num_heads=self._shape.heads,
        )
        self._dense(f"{here}.attention.output.dense", f"{here}.attended")
        self._join(f"{here}.attention.output", f"{here}.attention.output.dense")
        self._dense(f"{here}.intermediate.dense", self._now, biased=False)
        self._add(
            "BiasGelu",
            [f"{here}.intermediate.dense", self._keep(f"{here}.intermediate.dense.bias")],
            f"{here}.activated",
            fused=True,
        )
        self._dense(f"{here}.output.dense", f"{here}.activated")
        self._join(f"{here}.output", f"{here}.output.dense")

    def pool(self) -> None:
        """The mean of a text's token vectors, and every token vector, brought to length 1."""
        self._add("Cast", ["mask"], "share", to=TensorProto.FLOAT)
        self._add("Unsqueeze", ["share", "two"], "share_column")
        self._add("Mul", [self._now, "share_column"], "counted")
        self._add("ReduceSum", ["counted", "one"], "summed", keepdims=0)
        # A mean and a sum have the same direction, and only that is kept.
        self._add("LpNormalization", ["summed"], "pooled", axis=-1, p=2)
        self._add("LpNormalization", [self._now], "tokens", axis=-1, p=2)

    def model(self) -> onnx.ModelProto:
        """The finished graph."""
        whole = helper.make_graph(
            self._nodes,
            "bert",
            [
                helper.make_tensor_value_info(name, TensorProto.INT32, ["texts", "tokens_each"])
                for name in ("ids", "mask")
            ],
            [
                helper.make_tensor_value_info(
                    "tokens", TensorProto.FLOAT, ["texts", "tokens_each", None]
                ),
                helper.make_tensor_value_info("pooled", TensorProto.FLOAT, ["texts", None]),
            ],
            self._constants,
        )
        domains = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_FUSED, 1)]
        return helper.make_model(whole, opset_imports=domains, ir_version=_IR_VERSION)

    def _dense(self, name: str, source: str, biased: bool = True) -> None:
        """Multiply by a weight; its bias is left to the operator that follows."""
        self._hold(f"{name}.weight", np.ascontiguousarray(self._weights[f"{name}.weight"].T))
        self._add("MatMul", [source, f"{name}.weight"], name)
        if biased:
            self._keep(f"{name}.bias")

    def _join(self, name: str, source: str) -> None:
        out = f"{name}.joined"
        self._add(
            "SkipLayerNormalization",
            [source, self._now, *self._norm(f"{name}.LayerNorm"), f"{source}.bias"],
            out,
            fused=True,
            epsilon=self._shape.epsilon,
        )
        self._now = out

    def _norm(self, name: str) -> list[str]:
        return [self._keep(f"{name}.weight"), self._keep(f"{name}.bias")]

    def _keep(self, name: str) -> str:
        self._hold(name, self._weights[name])
        return name

    def _hold(self, name: str, value: npt.NDArray[Any]) -> None:
        self._constants.append(numpy_helper.from_array(value, name))

    def _add(
        self, operator: str, inputs: list[str], output: str, fused: bool = False, **attributes: Any
    ) -> None:
        domain = _FUSED if fused else ""
        node = helper.make_node(operator, inputs, [output], output, domain=domain, **attributes)
        self._nodes.append(node)
