"""Small data homes for tests, written by the real writers.

    home = build_home(tmp_path / "home", tasks=1, researchers=2)
    home.stream(home.tasks[0])       # the path of its trace

What a home holds is decided by its parameters alone; times come from a clock that ticks.
"""

import shutil
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from events.base import Fact
from events.calls import CallAnswered, CallAsked, CallFailed, Usage
from events.catalogue import Brief, JobEntered, SourcePublished, StreamSealed, TaskEntered
from events.codec import canonical, digest
from events.home import CATALOGUE, Home
from events.ingest import FileDone, FileRead, IngestAccepted, IngestFinished
from events.research import (
    AssignmentTaken,
    GapFound,
    PassageQuoted,
    ResearchFinished,
    SourceRead,
    StepTaken,
)
from events.shelves import CollectionCreated
from events.stream import EventStream, Head
from events.task import ResearcherAssigned, ResearcherReported, TaskAccepted, TaskConcluded

QUESTION = "Why is the sky blue?"
DOCUMENT = "Air scatters blue light more strongly than red. “Rayleigh” was the first to say why."
LOCATOR = "/library/sky.md"
COLLECTION = "optics"

Clock = Callable[[], str]


def ticking_clock(
    start: datetime = datetime(2026, 11, 16, tzinfo=UTC), tick_ms: int = 250
) -> Clock:
    """A clock that moves on by the same amount whenever somebody looks at it."""
    ticks = count()

    def now() -> str:
        time = start + next(ticks) * timedelta(milliseconds=tick_ms)
        return time.strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    return now


@dataclass
class BuiltHome:
    """A home, and what was put into it."""

    home: Home
    clock: Clock
    jobs: list[str] = field(default_factory=list)
    tasks: list[str] = field(default_factory=list)
    """Finished and sealed."""

    unfinished: list[str] = field(default_factory=list)
    """Entered, and left in the middle of a call."""

    researchers: list[str] = field(default_factory=list)

    @property
    def root(self) -> Path:
        """Its directory."""
        return self.home.root

    def stream(self, name: str) -> Path:
        """The trace of a stream."""
        return self.home.path(name)

    def head_file(self, name: str) -> Path:
        """What was last acknowledged of a stream."""
        return self.home.traces / "heads" / f"{name}.head"

    def traces(self) -> list[Path]:
        """Every trace."""
        return sorted(self.home.traces.glob("*.jsonl"))

    def blob_files(self) -> list[Path]:
        """Every blob."""
        return sorted(path for path in (self.root / "blobs").glob("*/*") if path.is_file())

    def claim(self, name: str) -> EventStream:
        """Become a stream's writer."""
        return EventStream.claim(self.stream(name), "a test", self.clock)[0]

    def enter(self, *facts: Fact) -> Head:
        """Append a decision to the catalogue."""
        catalogue = EventStream(self.stream(CATALOGUE), self.clock)
        with catalogue.deciding():
            head = catalogue.append_decided(*facts, cause="a test")
        catalogue.close()
        return head


def build_home(
    root: Path,
    *,
    jobs: int = 1,
    tasks: int = 1,
    researchers: int = 1,
    calls: int = 1,
    unfinished: int = 1,
    clock: Clock | None = None,
) -> BuiltHome:
    """A home with finished ingest jobs and tasks, and tasks that were left in the middle."""
    home = Home(root)
    home.prepare()
    built = BuiltHome(home, clock or ticking_clock())
    built.enter(CollectionCreated(collection=COLLECTION))
    for number in range(jobs):
        built.jobs.append(run_job(built, number))
    for number in range(tasks):
        built.tasks.append(run_task(built, f"finished {number}", researchers, calls))
    for number in range(unfinished):
        built.unfinished.append(leave_task(built, f"unfinished {number}"))
    return built


def run_job(built: BuiltHome, number: int = 0, text: str = DOCUMENT) -> str:
    """Ingest one document, from the job's acceptance to its seal."""
    job, blobs = f"ingest-{_uuid(f'job {number}')}", built.home.blobs
    locator = LOCATOR if number == 0 else f"/library/sky-{number}.md"
    original = blobs.put(text.encode())
    manifest = blobs.put(canonical([locator]))
    document = str(_uuid(locator))
    built.enter(JobEntered(job=job, collection=COLLECTION, manifest=manifest, files=1))
    stream = built.claim(job)
    stream.append(IngestAccepted(collection=COLLECTION, manifest=manifest, files=1))
    stream.append(FileRead(locator=locator, original=original))
    _call(built, stream, "embed", "passages", {"of": locator}, {"vectors": [0.25, 0.5]})
    built.enter(
        SourcePublished(
            document=document,
            version=original.hash,
            collection=COLLECTION,
            locator=locator,
            title="The sky",
            media_type="text/markdown",
            original=original,
            text=original,
            segment=blobs.put(canonical([[0, len(text)]])),
            chunks=1,
            job=job,
        )
    )
    done = FileDone(
        locator=locator, outcome="added", document=document, version=original.hash, chunks=1
    )
    end = stream.append(done, IngestFinished(added=1, updated=0, unchanged=0, empty=0, failed=0))
    stream.close()
    built.enter(StreamSealed(target=job, seq=end.seq, head=end.hash, outcome="completed"))
    return job


def run_task(built: BuiltHome, key: str, researchers: int = 1, calls: int = 1) -> str:
    """Research one question, from the task's acceptance to its seal."""
    task, stream, names = _begin_task(built, key, researchers)
    for name in names:
        end = _research(built, name, calls)
        findings = built.home.blobs.put(canonical({"researcher": name}))
        stream.append(
            ResearcherReported(researcher=name, seq=end.seq, head=end.hash, findings=findings)
        )
    result = built.home.blobs.put(canonical({"answer": DOCUMENT, "of": key}))
    report = built.home.blobs.put(f"# {QUESTION}\n\n{DOCUMENT}\n".encode())
    end = stream.append(TaskConcluded(result=result, report=report))
    stream.close()
    built.enter(StreamSealed(target=task, seq=end.seq, head=end.hash, outcome="completed"))
    return task


def leave_task(built: BuiltHome, key: str) -> str:
    """Begin to research a question, and stop in the middle of a call."""
    task, stream, (name,) = _begin_task(built, key, 1)
    researcher = built.claim(name)
    researcher.append(AssignmentTaken(researcher_kind="corpus", question=QUESTION))
    request = built.home.blobs.put(canonical({"query": "asked and not answered"}))
    researcher.append(
        CallAsked(call="search:lost:1", port="search", operation="query", request=request)
    )
    for held in (stream, researcher):
        held.close()
    return task


def _begin_task(built: BuiltHome, key: str, researchers: int) -> tuple[str, EventStream, list[str]]:
    task = str(_uuid(key))
    brief = Brief(question=QUESTION)
    built.enter(
        TaskEntered(
            task=task,
            brief=built.home.blobs.put(canonical(brief)),
            question=brief.question,
            researcher="corpus",
            key=key,
        )
    )
    names = [f"{task}.r{number + 1}" for number in range(researchers)]
    stream = built.claim(task)
    stream.append(
        TaskAccepted(brief=brief),
        *(
            ResearcherAssigned(researcher=name, researcher_kind="corpus", question=QUESTION)
            for name in names
        ),
        cause=key,
    )
    built.researchers += names
    return task, stream, names


def _research(built: BuiltHome, name: str, calls: int) -> Head:
    stream = built.claim(name)
    content, text = digest(DOCUMENT.encode()), digest(DOCUMENT.encode())
    stream.append(AssignmentTaken(researcher_kind="corpus", question=QUESTION))
    for step in range(1, calls + 1):
        stream.append(StepTaken(step=step, of=calls, action="search", decision=f"Query {step}"))
        _call(built, stream, "corpus", "search", {"query": step, "of": name}, {"hits": [step]})
    if calls:
        _fail_once_then_answer(built, stream)
    stream.append(
        SourceRead(
            step=calls,
            action="read_corpus",
            url=LOCATOR,
            title="The sky",
            content_hash=content,
            content_length=len(DOCUMENT.encode()),
            text_hash=text,
            decision="It is the only one.",
        ),
        PassageQuoted(citation=1, content_hash=content, text_hash=text, start=0, end=47),
        GapFound(topic="red skies", category="source_not_found", detail="Nothing on sunsets."),
    )
    findings = built.home.blobs.put(canonical({"quoted": DOCUMENT[:47], "by": name}))
    end = stream.append(ResearchFinished(findings=findings))
    stream.close()
    return end


def _call(
    built: BuiltHome, stream: EventStream, port: str, operation: str, asked: object, answer: object
) -> None:
    request, reply = (built.home.blobs.put(canonical(said)) for said in (asked, answer))
    call = f"{port}:{request.hash[7:19]}:1"
    stream.append(CallAsked(call=call, port=port, operation=operation, request=request))
    stream.append(CallAnswered(call=call, reply=reply, model=f"{port}-1", took_ms=120.0))


def _fail_once_then_answer(built: BuiltHome, stream: EventStream) -> None:
    """A paid call that needed two attempts."""
    request = built.home.blobs.put(canonical({"prompt": QUESTION}))
    reply = built.home.blobs.put(canonical({"text": "Scattering."}))
    call = f"model:{request.hash[7:19]}:1"
    for attempt in (1, 2):
        stream.append(
            CallAsked(call=call, port="model", operation="write", request=request, attempt=attempt)
        )
        if attempt == 1:
            failed = CallFailed(call=call, code="overloaded", message="Try again.", final=False)
            stream.append(failed)
    stream.append(
        CallAnswered(
            call=call,
            reply=reply,
            model="claude-1",
            usage=Usage(input_tokens=1000, output_tokens=200),
            cost_usd=0.0125,
            took_ms=900.0,
        )
    )


def _uuid(of: str) -> uuid.UUID:
    return uuid.uuid5(uuid.NAMESPACE_URL, of)


def copy_home(built: BuiltHome, to: Path) -> BuiltHome:
    """The same home elsewhere, to be harmed."""
    shutil.copytree(built.root, to)
    return replace(built, home=Home(to))


def lines_of(path: Path) -> list[bytes]:
    """A trace's lines, newlines included."""
    return path.read_bytes().splitlines(keepends=True)


def seqs_of_whole_decisions(path: Path) -> Iterator[int]:
    """The numbers of the lines with which decisions end, and 0."""
    yield 0
    for number, line in enumerate(lines_of(path), 1):
        if b',"left":0,"event":' in line:
            yield number
