"""Sums of numbers whose bits are set: exact, so the same in any order, and quicker than numpy is with fractions."""

import threading
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from events.telemetry import tell_nobody
from projections.encoders.built import built

_REVISION = 1
"""Of the graph below: raise it when that changes."""

_starting = threading.Lock()


def products(bits: npt.NDArray[np.uint8], numbers: npt.NDArray[np.int8]) -> npt.NDArray[np.int32]:
    """Of each row of bits and each column of numbers, the sum of the numbers whose bit is set."""
    with _starting:
        session = _session()
    sums: npt.NDArray[np.int32] = session.run(["sums"], {"bits": bits, "numbers": numbers})[0]
    return sums


@cache
def _session() -> Any:
    tell_nobody()
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # To wake a second thread takes as long as it saves.
    options.intra_op_num_threads = 1
    graph = built(f"products-{_REVISION}.onnx", _build)
    return onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])


def _build(place: Path) -> None:
    from onnx import TensorProto, helper

    rows, inner, columns = "rows", "inner", "columns"
    graph = helper.make_graph(
        [helper.make_node("MatMulInteger", ["bits", "numbers"], ["sums"])],
        "products",
        [
            helper.make_tensor_value_info("bits", TensorProto.UINT8, [rows, inner]),
            helper.make_tensor_value_info("numbers", TensorProto.INT8, [inner, columns]),
        ],
        [helper.make_tensor_value_info("sums", TensorProto.INT32, [rows, columns])],
    )
    opset = helper.make_opsetid("", 17)
    place.write_bytes(
        helper.make_model(graph, opset_imports=[opset], ir_version=8).SerializeToString()
    )
