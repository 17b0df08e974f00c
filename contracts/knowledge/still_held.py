"""What a collection goes on answering from though its file says it no more: emptied, broken, or gone."""

import os
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import Any

from contracts.core import Core
from events.words import count

Reply = dict[str, Any]

MOST_GONE = 500
"""Files that are listed as gone."""

NOTHING_IN_IT = "There is no text in it."
_EARLIER = "A version of it from before is held and still found."
_TAKE_OUT = "research-agent kb remove PATH --collection {0} takes a file out."


def tell_what_stays(core: Core, report: Reply, path: str | Path, *, recursive: bool) -> Reply:
    """The report on a file or folder, with what of it is still found and how to take that out.

    Nothing is taken out by itself: a disk that is not mounted looks like one whose files are gone.
    """
    from actors.ingesting.ingest_state import document_id

    place = Path(os.path.realpath(Path(path).expanduser()))
    collection = report["collection"]
    published = core.catalogue.state().published
    stays = 0
    for each in report["report"]:
        known = (collection, document_id(each["path"])) in published
        if known and each["outcome"] in {"empty", "failed"}:
            each["reason"] = f"{each['reason'] or NOTHING_IN_IT} {_EARLIER}"
            stays += 1
    gone: list[Reply] = []
    if place.is_dir():
        gone = sorted(_gone(core, collection, place, recursive=recursive), key=_path)
        report["gone"] = gone[:MOST_GONE]
    said = [report["message"]] if "message" in report else []
    if gone:
        are, them = ("is", "it") if len(gone) == 1 else ("are", "them")
        said.append(
            f"{count(len(gone), 'file')} that came from here {are} there no more, and what was "
            f"read of {them} is still found."
        )
    if stays:
        said.append(f"{count(stays, 'file')} that came to nothing now came in before: that stays.")
    if gone or stays:
        said.append(_TAKE_OUT.format(quote(collection)))
        report["message"] = " ".join(said)
    return report


def _gone(core: Core, collection: str, folder: Path, *, recursive: bool) -> Iterator[Reply]:
    from actors.ingesting.ingest_state import document_id

    for (name, document), held in list(core.catalogue.state().published.items()):
        file = Path(held.source.locator)
        within = file.is_relative_to(folder) if recursive else file.parent == folder
        # What is known by more than its place is a text that somebody handed in.
        is_file = name == collection and document == document_id(held.source.locator)
        if is_file and within and not os.path.lexists(file):
            yield {"path": held.source.locator, "document_id": document}


def _path(gone: Reply) -> str:
    return str(gone["path"])
