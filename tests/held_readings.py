"""Documents held in a home, and parsers that read them anew."""

from actors.archive import LocalArchive
from actors.catalogue_state import CatalogueState
from actors.ingesting.parsing import AnyParser
from actors.ingesting.reindex import ReindexJob
from actors.ports import Parsed, Parser
from events.catalogue import SourcePublished
from events.home import Home
from projections.corpus import Corpus
from tests.embedders import open_letters
from traces.verify import verify_home


class BeforeVersions(AnyParser):
    """Reads like today's parsers, and like those of before says nothing of itself."""

    def parse(self, name: str, raw: bytes) -> Parsed:
        return super().parse(name, raw).model_copy(update={"reader": None})


class Better(AnyParser):
    """Reads a word that the parsers before it misread."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def parse(self, name: str, raw: bytes) -> Parsed:
        self.read.append(name)
        return super().parse(name, raw.replace(b"Moon", b"full Moon"))


class Counting(AnyParser):
    """Reads like today's parsers, and counts what."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def parse(self, name: str, raw: bytes) -> Parsed:
        self.read.append(name)
        return super().parse(name, raw)


def reindex(
    home: Home, parser: Parser, model: str = "", archive: LocalArchive | None = None
) -> str:
    job, _ = LocalArchive(home).catalogue.enter_reindexing(model)
    ReindexJob(archive or LocalArchive(home), parser, open_letters, job).run()
    assert verify_home(home.root).faults == []
    return job


def state(home: Home) -> CatalogueState:
    return LocalArchive(home).catalogue.state()


def held(home: Home, name: str, collection: str = "c") -> SourcePublished:
    (source,) = (
        each.source
        for place, each in state(home).published.items()
        if each.source.locator.endswith(name) and place[0] == collection
    )
    return source


def text(home: Home, name: str) -> str:
    return home.blobs.get_text(held(home, name).text.hash)


def corpus(home: Home) -> Corpus:
    folded = Corpus()
    folded.feed(home.read("catalogue")[0])
    return folded
