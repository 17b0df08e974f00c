"""An ended research as one file that proves itself: trace, blobs, report, references, verifier, and a page to read.

The same research makes the same bytes, here or in a home that it was imported into; nothing that exists is
overwritten.
"""

import os
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

import traces
from contracts.bundles import packing as bundle_zip
from contracts.bundles.contents import blobs_of, csl_items, extract
from contracts.bundles.packing import Content
from contracts.bundles.page import page
from contracts.core import Core
from contracts.deep_research.refusals import checked
from contracts.deep_research.results import metadata_of
from contracts.rendering import Document, render
from contracts.wording import record_of
from events.anchor import head_file
from events.catalogue import TaskEntered, TaskImported
from events.codec import decode, digest
from events.errors import BadRequest, TaskNotFinished, UnknownTask
from events.home import CATALOGUE, Home
from projections.results import NoResult, ResultView
from projections.status import TaskStatus
from traces.verify import EXTRACT, MANIFEST, verify_task

FORMAT = 1
REPORTS = {"report.md": "markdown", "report.html": "html", "report.json": "json"}
_README = """The record of one research: {task}

index.html        the report, its citations in the text of their sources, and a timeline
report.*          the report by itself
references.json   what it cites, as CSL-JSON
traces, blobs     every fact of the research, and every byte that it rests on
{extract}  the lines of its home's catalogue that name it and fix its end
manifest.json     the digest of every file
verify.py         python verify.py .    proves all of it with Python alone

Whoever made a bundle could have made another. Check one from a stranger with a verify.py of your own, and against
a head that was kept elsewhere: python verify.py . --head STREAM:SEQ:HASH

research-agent import FILE.zip takes it into a data home.
"""


def export(core: Core, task: str, target: str) -> dict[str, Any]:
    """Write the bundle of an ended research to a file that was not there before."""
    path = _target(core, target)
    files = contents(core, task)
    passing = path.parent / f".{path.name}.{uuid.uuid4().hex}"
    try:
        with passing.open("xb") as out:
            bundle_zip.write(files, out)
            out.flush()
            os.fsync(out.fileno())
        size = passing.stat().st_size
        # A link, unlike a rename, never replaces what is there.
        path.hardlink_to(passing)
    except FileExistsError:
        raise _taken(path) from None
    except OSError as failure:
        why = failure.strerror or str(failure)
        raise BadRequest(f"{path} cannot be written: {why}.", "Name another file.") from None
    finally:
        with suppress(OSError):
            passing.unlink(missing_ok=True)
    return {
        "success": True,
        "task_id": task,
        "file_path": str(path),
        "size": size,
        "files": len(files),
        "record": record_of(core.views.status(task)),
    }


def _target(core: Core, target: str) -> Path:
    path = Path(target)
    if path.suffix != ".zip" or not path.stem:
        raise BadRequest(f"{target[:200]!r} is not a name for a bundle.", "End it with .zip.")
    try:
        path = path.expanduser().absolute()
        inside = path.parent.resolve().is_relative_to(core.home.root.resolve())
    except (OSError, RuntimeError, ValueError):
        raise BadRequest(f"There is no folder for {target[:200]!r}.", "Name another.") from None
    if inside:
        raise BadRequest(f"{path} is in the data home.", "Choose a place outside of it.")
    if os.path.lexists(path):
        raise _taken(path)
    if not path.parent.is_dir():
        raise BadRequest(f"There is no folder {path.parent}.", "Create it first, or name another.")
    return path


def _taken(path: Path) -> BadRequest:
    return BadRequest(f"{path} exists already.", "Name a new file; nothing is overwritten.")


def contents(core: Core, task: str) -> dict[str, Content]:
    """Every file of a bundle."""
    home = core.home
    entry = core.catalogue.state().entries.get(checked(task))
    if entry is None or not isinstance(entry.entered, TaskEntered):
        raise UnknownTask(task)
    brief = entry.entered.brief.hash
    status = core.views.status(task)
    if entry.ended is None:
        raise TaskNotFinished(task, status.progress)
    verdict = verify_task(home.root, task)
    if entry.ended == "quarantined" or not verdict.proven:
        why = str(verdict.faults[0]) if verdict.faults else "it was set aside"
        raise BadRequest(
            f"The record of {task} is not one to hand on: {why}.",
            f"Run research-agent verify {task}.",
        )
    imported = _imported(home, task) if core.views.imported_at(task) else None
    streams = [task, *(name for name in status.researchers if home.path(name).exists())]
    found = _found(core, task)
    question = decode(home.blobs.get(brief))["question"]
    files: dict[str, Content] = {
        EXTRACT: home.blobs.get(imported.origin.hash) if imported else extract(home, task),
        "references.json": _references(home, found, imported),
        "index.html": page(home, status, question, found, streams),
        "verify.py": (Path(traces.__file__).parent / "verify.py").read_bytes(),
        "README.txt": _README.format(task=task, extract=EXTRACT).encode(),
    }
    files |= _reports(core, status, found) if found else {}
    for stream in streams:
        head = core.views.head(stream)
        files[f"traces/{stream}.jsonl"] = home.path(stream)
        files[f"traces/heads/{stream}.head"] = head_file(head.seq, head.hash)
    for name in blobs_of(home, brief, streams):
        files[f"blobs/{name[7:9]}/{name[9:]}"] = home.blobs.path(name)
    return files | {MANIFEST: manifest(task, files)}


def _found(core: Core, task: str) -> ResultView | None:
    try:
        return core.views.result(task)
    except NoResult:
        return None


def _imported(home: Home, task: str) -> TaskImported:
    for record in home.read(CATALOGUE)[0]:
        if record.kind == "task_imported" and record.data["task"] == task:
            return TaskImported.model_validate(record.data)
    raise UnknownTask(task)


def _references(home: Home, found: ResultView | None, imported: TaskImported | None) -> bytes:
    if imported:
        return home.blobs.get(imported.references.hash)
    cited = found.result.get("citations", []) if found else []
    spelling = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    return orjson.dumps(csl_items(home, cited), option=spelling)


def _reports(core: Core, status: TaskStatus, found: ResultView) -> dict[str, Content]:
    told = metadata_of(core, found)
    # Whether somebody waited for it depends on their settings.
    metadata = {name: told[name] for name in told if name not in {"mode", "imported_at"}}
    document = Document(found, metadata, True, record_of(status), str(status.ended_at))
    return {name: render(document, form)[0] for name, form in REPORTS.items()}  # type: ignore[arg-type]


def manifest(task: str, files: dict[str, Content]) -> bytes:
    """The digest of every file, sealed like a line of the record."""
    listed = {name: _measured(files[name]) for name in sorted(files)}
    body = orjson.dumps({"format": FORMAT, "task": task, "files": listed})[:-1]
    return body + b',"seal":"%b"}\n' % digest(body + b"}").encode()


def _measured(content: Content) -> dict[str, Any]:
    raw = content if isinstance(content, bytes) else content.read_bytes()
    return {"sha256": digest(raw), "size": len(raw)}
