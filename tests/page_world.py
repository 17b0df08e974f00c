"""A home with everything that the page shows, written by the real writers, and the page served over it.

world = make_world(tmp_path)             # documents, researches that are done, under way, stopped, hostile
with serving(world) as address:          # a real server on loopback
"""

import socket
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette

from actors.archive import LocalArchive
from actors.inline import run_task
from actors.opened import OpenedCorpus
from contracts.core import Core
from contracts.knowledge.querying import Librarian
from contracts.page.routes import routes
from contracts.settings import Settings
from events.catalogue import Brief, SourcePublished
from events.codec import canonical, digest
from events.research import PassageQuoted, SourceRead
from events.websites import COLLECTION, WebsiteProcessingStarted
from tests.asking_letters import open_letters_corpus
from tests.homes import build_home
from tests.inline_engine import InlineEngine
from tests.past_tasks import PastTasks, citation
from tests.waiting import until

SAMPLES = Path(__file__).resolve().parent.parent / "docs" / "samples"
QUESTION = "Why are there two tides a day, and where is the tidal range largest?"
SCRIPT = "<script>window.hit = 1</script>"
IMAGE = '<img src="/web/none.png" onerror="window.hit = 2">'
HOSTILE_QUESTION = f"{SCRIPT}{IMAGE} \u202e\x07 what?"
HOSTILE_PAGE = f"Before. {SCRIPT} {IMAGE} \x07 After the script."
HOSTILE_REPORT = (
    f"# {SCRIPT}\n\n## Findings\n\n{IMAGE} The sky [1] is [bad](javascript:window.hit=3) and "
    f"[good](https://example.org/a).\n\n| a | b |\n|---|---|\n| {SCRIPT} | [1] |\n\n"
    '<iframe src="https://example.org"></iframe> \x07\n\n## Sources\n\n1. none\n'
)
NOTES = "# Notes\n\nThe sky is blue because of Rayleigh.\n\nIt was found in 1871.\n"
NOTES_LATER = NOTES.replace("Rayleigh", "Rayleigh scattering") + "\nMie scattering is white.\n"
PAGE_URL = "https://example.org/tides"


@dataclass
class World:
    """A home, and what is in it by name."""

    core: Core
    past: PastTasks
    tasks: dict[str, str]
    """Researches: tides, hostile, cancelled, failed, running, waiting."""

    notes: str
    """A document with two versions."""

    page: str
    """A page of the web with two versions."""

    @property
    def librarian(self) -> Librarian:
        """Answers without a model to load."""
        return Librarian(self.core, open_letters_corpus(str(self.core.home.root)))


def make_world(root: Path) -> World:
    """Everything, in about a second."""
    past = PastTasks(build_home(root / "home", jobs=0, tasks=0, unfinished=0))
    past.clock.time = datetime.now(UTC) - timedelta(days=3)
    core = Core(Settings(home=past.built.root, sync_window_s=0.0, prewarm=False))
    tasks = {"sky": past.completed("Why is the sky blue?", minutes=4.0, dollars=0.25)}
    tasks["hostile"] = _hostile(past)
    tasks["cancelled"] = past.stopped(past.running("Which batteries last longest?", steps=3))
    tasks["failed"] = past.failed(
        past.running("What is the largest prime?", steps=1), "key_refused", "The key was refused."
    )
    page = _page_of_the_web(past, tasks)
    notes = _ingest(core, root / "notes.md")
    tasks["tides"] = _research(core)
    past.clock.time = datetime.now(UTC) - timedelta(minutes=3)
    tasks["running"] = past.running("Who leads in quantum error correction?", steps=2)
    tasks["waiting"] = past.entered("Who built the first lighthouse?")
    return World(core, past, tasks, notes, page)


def bare_world(root: Path) -> World:
    """A home in which nothing has happened."""
    past = PastTasks(build_home(root, jobs=0, tasks=0, unfinished=0))
    return World(Core(Settings(home=past.built.root, prewarm=False)), past, {}, "", "")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Core, "wake_engine", lambda self: self.home.prepare())
        yield make_world(tmp_path_factory.mktemp("page"))


def _hostile(past: PastTasks) -> str:
    raw = HOSTILE_PAGE.encode()
    past.built.home.blobs.put(raw)
    start = HOSTILE_PAGE.index(SCRIPT)
    cited = citation(
        *(1, start, start + len(SCRIPT)),
        locator="javascript:window.hit=4",
        title=SCRIPT,
        raw_excerpt=SCRIPT,
        content_hash=digest(raw),
        text_hash=digest(raw),
    )
    return past.completed(HOSTILE_QUESTION, report=HOSTILE_REPORT, citations=[cited])


def _page_of_the_web(past: PastTasks, tasks: dict[str, str]) -> str:
    """A page that was cited and has changed since."""
    blobs, document, job = past.built.home.blobs, str(uuid.uuid4()), f"ingest-{uuid.uuid4()}"
    texts = [b"Tides come twice a day. They always did.", b"Tides come once a day here."]
    past.built.enter(
        WebsiteProcessingStarted(
            tool_name="a test",
            source_id=1,
            url=PAGE_URL,
            content_type="blog_article",
            timestamp=past.clock(),
            job=job,
            collection=COLLECTION,
            document=document,
        )
    )
    for text in texts:
        kept = blobs.put(text)
        past.built.enter(
            SourcePublished(
                document=document,
                version=kept.hash,
                collection=COLLECTION,
                locator=PAGE_URL,
                title="Tides",
                media_type="text/html",
                original=kept,
                text=kept,
                segment=blobs.put(canonical([[0, len(text)]])),
                chunks=1,
                job=job,
            )
        )
    first = digest(texts[0])
    task = tasks["left behind"] = past.running("How often do tides come?")
    read = SourceRead(
        step=1,
        action="fetch_url",
        url=PAGE_URL,
        title="Tides",
        content_hash=first,
        content_length=len(texts[0]),
        text_hash=first,
        decision="It looks right.",
    )
    quoted = PassageQuoted(citation=1, content_hash=first, text_hash=first, start=0, end=23)
    past.note(task, read, quoted)
    past.stopped(task)
    return document


def _ingest(core: Core, notes: Path) -> str:
    """The samples, and a file that changes."""
    core.home.prepare()
    engine = InlineEngine(core.home)
    try:
        for text in (NOTES, NOTES_LATER):
            notes.write_text(text)
            _through(core, notes, "notes")
        for name in ("why-there-are-tides.md", "tidal-range-around-the-world.md"):
            _through(core, SAMPLES / name, "samples")
    finally:
        engine.close()
    return core.views.sources("notes")[0].document


def _through(core: Core, path: Path, collection: str) -> None:
    job, _ = core.start_ingest(str(path), collection, recursive=False)
    until(lambda: core.views.job(job).ended)


def _research(core: Core) -> str:
    task, _ = core.start_research(Brief(question=QUESTION, researcher="corpus"))
    corpus = OpenedCorpus(open_letters_corpus(str(core.home.root)))
    run_task(LocalArchive(core.home), corpus, task)
    return task


def guarded(world: World, scopes: frozenset[str]) -> Any:
    """The page behind a guard that lets everybody in."""
    app = Starlette(routes=routes(world.core, world.librarian))

    async def guard(scope: Any, receive: Any, send: Any) -> None:
        scope.setdefault("state", {})["scopes"] = scopes
        await app(scope, receive, send)

    return guard


@contextmanager
def serving(world: World, *scopes: str) -> Iterator[str]:
    """The page on loopback, by its address."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(64)
        port = listening.getsockname()[1]
        app = guarded(world, frozenset(scopes or ("read", "write")))
        config = uvicorn.Config(
            app, lifespan="off", ws="none", log_config=None, timeout_graceful_shutdown=1
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            until(lambda: server.started)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.should_exit = True
            thread.join(20)


@pytest.fixture(scope="module")
def address(world: World) -> Iterator[str]:
    """Where the page of the world is served."""
    with serving(world) as address:
        yield address
