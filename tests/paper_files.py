"""Papers and lists of references to test with."""

import json
from pathlib import Path
from typing import Any

from tests.pdf_files import Put, column, make_pdf

PAGES = (
    ("Part I: Tides", "The barrage in the estuary would generate seventeen terawatt hours a year."),
    ("Part II: Streams", "Kinetic turbines stand in the stream and need no dam at all."),
    ("Part III: Costs", "A levelised cost of ninety pounds per megawatt hour was estimated."),
)

REFERENCES: list[dict[str, Any]] = [
    {
        "id": "severn2010",
        "type": "report",
        "title": "Tidal power in the Severn estuary",
        "author": [{"family": "Müller", "given": "Jörg"}, {"literal": "Department of Energy"}],
        "issued": {"date-parts": [[2010, 10]]},
        "DOI": "10.1000/severn.2010",
        "publisher": "HMSO",
        "keyword": "tides, energy",
        "something-new": {"deep": [1, 2]},
    },
    {
        "id": "martin2017",
        "type": "book",
        "title": "Clean Architecture: A Craftsman's Guide",
        "author": [{"family": "Martin", "given": "Robert C."}],
        "issued": {"date-parts": [["2017"]]},
        "keyword": "architecture",
    },
]


def paper(title: str = "Tidal power in the Severn estuary", doi: str = "") -> bytes:
    """A PDF of three pages, each with a heading and a sentence."""
    pages = []
    for number, (heading, sentence) in enumerate(PAGES):
        puts = [Put(72, 700, heading, 16, "bold"), *column(72, 670, [sentence, *_FILL])]
        if number == 0:
            puts.insert(0, Put(72, 770, title, 22, "bold"))
            if doi:
                puts.append(Put(72, 100, f"doi: {doi}"))
        pages.append(puts)
    outline = [(heading, number) for number, (heading, _) in enumerate(PAGES, 1)]
    return make_pdf(pages, outline=outline)


_FILL = [
    "This is what the survey of that year has to say about the matter,",
    "and no later survey that we know of has found anything else.",
]


def write_papers(folder: Path) -> None:
    """A paper, a book in Markdown, and the list of their references."""
    (folder / "severn.pdf").write_bytes(paper())
    (folder / "martin2017.md").write_text(
        "# Clean Architecture\n\n## Part I\n\n### Entities\n\n"
        "Entities and value objects are distinct things in a domain model.\n\n"
        "## Part II\n\n### Details\n\nThe database is a detail.\n"
    )
    (folder / "references.json").write_text(json.dumps(REFERENCES))
