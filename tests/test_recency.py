"""How old what an answer rests on is: by its own date where that is known, on the day of the question."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from actors.answering.candidates import Source
from actors.archive import LocalArchive
from actors.inline import run_task
from actors.opened import OpenedCorpus
from actors.ports import Passage
from actors.replay import replay
from actors.trust import recency
from events.catalogue import Brief
from events.home import Home
from language.sentences import sentences
from projections.index.filters import dates_of
from projections.views import Views
from tests.asking_letters import open_letters_corpus
from tests.corpus_shelf import Shelf
from tests.ingested_files import ingest

TODAY = datetime.now(UTC).date()
SAID = "The lighthouse of Halden was built of granite.\n"


def asked(home: Home, folder: Path, text: str, name: str = "halden.md") -> str | None:
    """The recency of an answer from a file."""
    (folder / name).write_text(text)
    ingest(home, folder / name)
    archive = LocalArchive(home)
    task, _ = archive.catalogue.enter_task(
        Brief(question="Of what was the lighthouse of Halden built?")
    )
    run_task(archive, OpenedCorpus(open_letters_corpus(str(home.root))), task)
    assert replay(home, task).differences == []
    result = Views(home).result(task).result
    assert result["citations"]
    told: str | None = result["confidence_factors"]["recency"]
    return told


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("halden.md", SAID, None),
        ("halden.md", f"---\ndate: 2012-05-01\n---\n\n{SAID}", "dated"),
        ("halden.md", f"---\ndate: {TODAY}\n---\n\n{SAID}", "current"),
        (
            "halden.html",
            "<html><head><title>Halden</title><meta property='article:published_time' "
            f"content='2009-02-03T10:00:00Z'></head><body><p>{SAID}</p>"
            f"<p>Copyright {TODAY.year} the town of Halden.</p></body></html>",
            "dated",
        ),
    ],
)
def test_a_document_is_as_old_as_it_says(
    home: Home, tmp_path: Path, name: str, text: str, told: str | None
) -> None:
    assert asked(home, tmp_path, text, name) == told


def source(text: str = SAID, **about: Any) -> Source:
    shelf = Shelf({"halden.md": text})
    [passage, *_] = shelf.search("lighthouse", 1, None)
    passage = passage.model_copy(update=about)
    return Source(passage, text, tuple(sentences(text)), 1)


@pytest.mark.parametrize(
    ("text", "about", "told"),
    [
        (SAID, {"dated": "2029"}, "current"),
        (SAID, {"dated": "2028-03"}, "recent"),
        (SAID, {"dated": "2019"}, "dated"),
        (f"{SAID}\nLast updated: 2029-11", {"dated": "2019"}, "current"),
        (f"{SAID}\nCopyright 2029", {"dated": "2019"}, "dated"),
        (f"{SAID}\nPublished 2019", {"dated": "2045"}, "dated"),
        (f"{SAID}\nPublished 2026-11", {}, "recent"),
        (f"{SAID}\nIt was painted in 2029.", {"saved": "2029-11"}, "recent"),
        (SAID, {"saved": "2019-04"}, "dated"),
        (SAID, {"saved": "2029-04"}, None),
    ],
)
def test_how_old_it_is_counts_from_the_day_of_the_question(
    text: str, about: dict[str, str], told: str | None
) -> None:
    assert recency([source(text, searched_on="2029-11-19", **about)]) == told


def test_in_records_that_do_not_tell_that_day_it_counts_from_the_ingest() -> None:
    known = source(f"{SAID}\nPublished 2026-11")
    assert recency([known]) == "current"
    spelled = known.passage.model_dump(mode="json")
    assert not {"dated", "saved", "searched_on"} & set(spelled)
    assert Passage.model_validate(spelled) == known.passage


@pytest.mark.parametrize(
    ("metadata", "media_type", "dates"),
    [
        ({"date": "2015-06-01T10:00:00Z"}, "text/html", {"dated": "2015-06"}),
        ({"date": "20150601"}, "text/html", {"dated": "2015-06"}),
        ({"date": "June 1, 2015"}, "text/html", {"dated": "2015"}),
        ({"date": "2015-2018"}, "text/markdown", {"dated": "2015"}),
        ({"date": "Mon, 1 Jun 2015 10:00:00"}, "message/rfc822", {"dated": "2015"}),
        (
            {"year": "1788", "citekey": "white", "date": "2021-03-05"},
            "application/pdf",
            {"dated": "1788"},
        ),
        ({"citekey": "white", "date": "2021-03-05"}, "application/pdf", {"saved": "2021-03"}),
        ({"date": "2021-03-05"}, "application/pdf", {"saved": "2021-03"}),
        ({"date": "soon"}, "text/html", {}),
        ({"date": "120151"}, "text/html", {}),
        ({}, "text/plain", {}),
    ],
)
def test_when_a_document_came_out_is_no_matter_of_its_file(
    metadata: dict[str, str], media_type: str, dates: dict[str, str]
) -> None:
    assert dates_of(metadata, media_type) == dates
