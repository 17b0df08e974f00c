"""Nothing that is run here is told to anybody: no machine gets an id, and nothing waits to be sent."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(
    "run",
    [
        "from projections.encoders.minilm import MiniLM; MiniLM().encode_query('tides')",
        "from projections.products import products; products(zeros((1, 8), uint8), zeros((8, 1), int8))",
        "from actors.adapters.ocr import read_image; read_image(zeros((64, 64, 3), uint8))",
    ],
    ids=["embedding", "multiplying", "reading scans"],
)
def test_onnxruntime_leaves_no_trace_of_the_machine(run: str, tmp_path: Path) -> None:
    kept = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    cache = tmp_path / "cache"
    subprocess.run(
        [sys.executable, "-c", f"from numpy import int8, uint8, zeros; {run}; import onnxruntime"],
        cwd=ROOT,
        env=kept | {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(cache)},
        check=True,
    )
    assert [each for each in tmp_path.rglob("*") if "onnxruntime" in each.name] == []
