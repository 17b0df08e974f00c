"""The fold of the corpus kept on disk, so that opening a large one need not read its whole past."""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from events.codec import canonical, decode
from events.home import CATALOGUE, Home
from events.shelves import CollectionCreated
from events.tail import Cursor
from projections.corpus import Corpus, Rebuilt, Version
from projections.snapshots import Snapshots, form_of

_FILE = "corpus.json"


def open_fold(home: Home) -> tuple[Corpus, Cursor]:
    """The fold as it was last kept, and where to read on; an empty one if there is none."""
    with no_collecting():
        if raw := _snapshots(home).newest().get(_FILE):
            try:
                return _unpack(raw, home)
            except (ValueError, KeyError, TypeError, IndexError):
                pass  # Of another past: fold it all again.
    return Corpus(), Cursor()


def keep_fold(home: Home, corpus: Corpus, cursor: Cursor) -> None:
    """Keep the fold for whoever opens the corpus next."""
    _snapshots(home).save({_FILE: _pack(corpus, cursor)})


def _snapshots(home: Home) -> Snapshots:
    return Snapshots(home.views / "corpus", form_of("corpus", "corpus_snapshot"))


@contextmanager
def no_collecting() -> Iterator[None]:
    """Looking for garbage among so many new objects takes longer than making them."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _pack(corpus: Corpus, cursor: Cursor) -> bytes:
    """The fold's state, to go on from later."""
    state = {
        "cursor": [cursor.offset, cursor.seq, cursor.head, cursor.epoch],
        "collections": [each.model_dump(mode="json") for each in corpus.collections.values()],
        "held": list(zip(*corpus.held.values(), strict=True)),
        "deleted": sorted(corpus.deleted),
        "aside": [list(each) for each in corpus.aside.values()],
        "published": [list(each) for each in corpus.published.values()],
        "rebuilt": [
            [*key, generation, *each]
            for key, rebuilt in corpus.rebuilt.items()
            for generation, each in rebuilt.items()
        ],
        "generation": corpus.generation,
        "embedder": corpus.embedder,
    }
    return canonical(state)


def _unpack(raw: bytes, home: Home) -> tuple[Corpus, Cursor]:
    """A fold as it was packed; `ValueError` when the catalogue is not the one it was taken from."""
    state: dict[str, Any] = decode(raw)
    cursor = Cursor(*state["cursor"])
    if not _follows(home.path(CATALOGUE), cursor):
        raise ValueError("the catalogue has another past")
    corpus = Corpus()
    for each in state["collections"]:
        created = CollectionCreated.model_validate(each)
        corpus.collections[created.collection] = created
    columns = state["held"] or [[] for _ in Version._fields]
    tags = Version._fields.index("tags")
    columns[tags] = list(map(tuple, columns[tags]))
    versions = list(map(Version._make, zip(*columns, strict=True)))
    corpus.held = dict(zip(zip(columns[0], columns[1], strict=True), versions, strict=True))
    corpus.deleted = set(state["deleted"])
    for kept, side in (("aside", corpus.aside), ("published", corpus.published)):
        for values in state[kept]:
            values[tags] = tuple(values[tags])
            version = Version(*values)
            side[version.place] = version
    for collection, document, version_hash, generation, *rest in state["rebuilt"]:
        rebuilt = corpus.rebuilt.setdefault((collection, document, version_hash), {})
        rebuilt[generation] = Rebuilt(*rest)
    corpus.generation, corpus.embedder = state["generation"], state["embedder"]
    return corpus, cursor


def _follows(path: Path, cursor: Cursor) -> bool:
    """Whether the line before the cursor is still the one it was taken after."""
    if not cursor.offset:
        return True
    try:
        with path.open("rb") as file:
            ending = os.pread(file.fileno(), 67, cursor.offset - 67)
    except OSError:
        return False
    return ending == f'{cursor.head[7:]}"}}\n'.encode()
