"""Embedded vector databases, each asked for the nearest vectors in its own way.

None of them is needed by the product; one that is not installed is left out.
"""

import importlib
import shutil
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Ask = Callable[[Floats, bool], list[int]]
"""The ten nearest rows to a vector, of all or of the small scope only."""

LIMIT = 10


def chroma(
    folder: Path, vectors: Floats, small: npt.NDArray[np.bool_], looked_at: int = 100
) -> Ask:
    """chromadb, with its HNSW index as it comes."""
    chromadb: Any = importlib.import_module("chromadb")

    client = chromadb.PersistentClient(str(folder))
    held = client.create_collection(
        "chunks", metadata={"hnsw:space": "cosine", "hnsw:search_ef": looked_at}
    )
    for start in range(0, len(vectors), 4000):
        rows = range(start, min(start + 4000, len(vectors)))
        held.add(
            ids=[str(row) for row in rows],
            embeddings=vectors[rows.start : rows.stop],
            metadatas=[{"small": bool(small[row])} for row in rows],
        )

    def ask(vector: Floats, scoped: bool) -> list[int]:
        where: dict[str, Any] | None = {"small": True} if scoped else None
        found = held.query([vector], n_results=LIMIT, where=where, include=["distances"])
        return [int(each) for each in found["ids"][0]]

    return ask


def lance(folder: Path, vectors: Floats, small: npt.NDArray[np.bool_]) -> Ask:
    """lancedb, searching exactly, as it does without an index."""
    import pyarrow as pa

    lancedb: Any = importlib.import_module("lancedb")

    column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), vectors.shape[1])
    rows = pa.table({"row": np.arange(len(vectors)), "small": small, "vector": column})
    table = lancedb.connect(str(folder)).create_table("chunks", rows)

    def ask(vector: Floats, scoped: bool) -> list[int]:
        search = (
            table.search(vector).distance_type("cosine").select(["row", "_distance"]).limit(LIMIT)
        )
        if scoped:
            search = search.where("small = true", prefilter=True)
        return [int(row) for row in search.to_arrow()["row"].to_pylist()]

    return ask


def qdrant(folder: Path, vectors: Floats, small: npt.NDArray[np.bool_]) -> Ask:
    """qdrant-client in its local mode."""
    qdrant_client: Any = importlib.import_module("qdrant_client")
    models = qdrant_client.models

    client = qdrant_client.QdrantClient(":memory:")
    size = vectors.shape[1]
    shape = models.VectorParams(size=size, distance=models.Distance.COSINE)
    client.create_collection("chunks", vectors_config=shape)
    for start in range(0, len(vectors), 4000):
        rows = range(start, min(start + 4000, len(vectors)))
        client.upsert(
            "chunks",
            models.Batch(
                ids=list(rows),
                vectors=vectors[rows.start : rows.stop].tolist(),
                payloads=[{"small": bool(small[row])} for row in rows],
            ),
        )
    match = models.FieldCondition(key="small", match=models.MatchValue(value=True))

    def ask(vector: Floats, scoped: bool) -> list[int]:
        only = models.Filter(must=[match]) if scoped else None
        found = client.query_points("chunks", vector, query_filter=only, limit=LIMIT)
        return [int(each.id) for each in found.points]

    return ask


def sqlite_vec(folder: Path, vectors: Floats, small: npt.NDArray[np.bool_]) -> Ask:
    """sqlite-vec, which compares with every vector."""
    extension: Any = importlib.import_module("sqlite_vec")

    # A Python built without extensions can have them from a package of its own.
    built_in: Any = importlib.import_module("sqlite3")
    able = hasattr(built_in.Connection, "enable_load_extension")
    sqlite3: Any = built_in if able else importlib.import_module("pysqlite3")
    folder.mkdir(parents=True)
    base = sqlite3.connect(str(folder / "chunks.sqlite"))
    base.enable_load_extension(True)
    extension.load(base)
    base.execute(
        "create virtual table chunks using vec0(row integer primary key, small boolean, "
        f"vector float[{vectors.shape[1]}] distance_metric=cosine)"
    )
    base.executemany(
        "insert into chunks(row, small, vector) values (?, ?, ?)",
        ((row, bool(small[row]), vectors[row].tobytes()) for row in range(len(vectors))),
    )
    base.commit()
    nearest = "select row from chunks where vector match ? and k = ?"

    def ask(vector: Floats, scoped: bool) -> list[int]:
        query = f"{nearest} and small = true" if scoped else nearest
        return [row for (row,) in base.execute(query, (vector.tobytes(), LIMIT))]

    return ask


def usearch(folder: Path, vectors: Floats, small: npt.NDArray[np.bool_]) -> Ask:
    """usearch's graph as it comes; for a scope, the nearest of all are looked through."""
    index: Any = importlib.import_module("usearch.index")

    held = index.Index(ndim=vectors.shape[1], metric="cos", dtype="f16")
    began = time.perf_counter()
    held.add(np.arange(len(vectors)), vectors, threads=2)
    sys.stderr.write(f"usearch: graph built in {time.perf_counter() - began:.0f} s\n")

    def ask(vector: Floats, scoped: bool) -> list[int]:
        if not scoped:
            return [int(each) for each in held.search(vector, LIMIT).keys]
        found = held.search(vector, 200 * LIMIT).keys
        return [int(each) for each in found[small[found.astype(np.int64)]][:LIMIT]]

    return ask


Opener = Callable[[Path, Floats, npt.NDArray[np.bool_]], Ask]

RIVALS: dict[str, Opener] = {
    "usearch": usearch,
    "chromadb": chroma,
    "chromadb, search_ef 200": partial(chroma, looked_at=200),
    "lancedb": lance,
    "qdrant-client local": qdrant,
    "sqlite-vec": sqlite_vec,
}


def opened(name: str, folder: Path, vectors: Floats, small: npt.NDArray[np.bool_]) -> Ask | None:
    """The rival of that name, holding the vectors; none if it is not installed."""
    shutil.rmtree(folder, ignore_errors=True)
    try:
        return RIVALS[name](folder, vectors, small)
    except ImportError:
        return None
