"""An ingest whose model cannot be had: it ends once and says why, however it finds out."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from actors.archive import LocalArchive
from actors.ingesting.ingest import IngestJob
from actors.ingesting.parsing import AnyParser
from contracts.core import list_files
from events.base import Fact
from events.embedding import ToEmbed
from events.errors import EngineDown, ModelUnavailable
from events.home import Home
from events.ingest import IngestStopped
from projections.views import Views
from tests.embedders import LettersEmbedder, open_letters
from tests.ingested_files import enter, found, ingest, library, outcomes

__all__ = ["library"]


class Broken(LettersEmbedder):
    """A model whose weights turn out to be unreadable when they are needed."""

    def embed(self, chunks: Sequence[ToEmbed]) -> Any:
        raise ModelUnavailable("letters", "the weights are cut short")


def open_broken(setting: str = "") -> Broken:
    return Broken()


def open_missing(setting: str = "") -> Any:
    raise ModelUnavailable("letters", "nobody has it")


def run(home: Home, job: str, opening: Any) -> None:
    IngestJob(LocalArchive(home), AnyParser(), opening, job).run()


@pytest.mark.parametrize(
    ("opening", "why"), [(open_missing, "nobody has it"), (open_broken, "cut short")]
)
def test_it_ends_once_with_the_reason_and_the_files_can_be_given_again(
    home: Home, library: Path, opening: Any, why: str
) -> None:
    files = list_files(library, recursive=True)
    job = enter(home, *files)
    run(home, job, opening)
    seen = Views(home).job(job)
    assert (seen.phase, seen.failure_code) == ("failed", "model_unavailable")
    told = [record.data for record in home.read(job)[0] if record.kind == "ingest_stopped"]
    assert len(told) == 1 and why in told[0]["message"]
    assert set(outcomes(ingest(home, *files)).values()) == {"added"}
    assert found(home, "Moon")


def test_a_crash_between_the_refusal_and_the_end_changes_nothing(
    home: Home, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = enter(home, *list_files(library, recursive=True))
    whole = IngestJob._record

    def dying(self: IngestJob, *facts: Fact) -> None:
        if any(isinstance(fact, IngestStopped) for fact in facts):
            raise EngineDown("x", "y")
        whole(self, *facts)

    with monkeypatch.context() as patched:
        patched.setattr(IngestJob, "_record", dying)
        with pytest.raises(EngineDown):
            run(home, job, open_broken)
    # By now the model can be had, but the record says that it was given up on.
    run(home, job, open_letters)
    assert Views(home).job(job).failure_code == "model_unavailable"
