"""Questions in the manner of public sets over short pages, both written by hand, with their supporting sentences.

What was kept aside while rules were made says so: `held` and `last` were first looked at by `corpus-extractive-2`,
`fresh` by the same before `corpus-extractive-3` was begun, `final` by `corpus-extractive-3` when it was done, `aside`
by `corpus-extractive-4` when it was done, which was made while `open` was looked at. `encyclopedia_untold` asks what
nothing answers as often as what something does, in like words, over the samples and two of the sets before as well: it
was split at random before `corpus-extractive-5` was begun, which was made while `looked at` was looked at; `set apart`
was not. The files called `everyday` have pages as offices, shops and clubs write them, and ask for what
nothing tells in close words as well; those in Japanese were split before `corpus-extractive-7` was begun, which was
made while what is `looked at` was looked at, the further ones last. Those in `everyday_lists` are about lists; what is
`set apart` there was written after the rules on lists, which were not changed for it. `everyday_en_more`,
`workplace_en` and `articles_en` were written for the weights of `corpus-extractive-11` to be learned from; nobody
looked at what goes wrong in `mixed_en_last`, which was written at the same time. `knowledge_en`, `technical_en` and
`papers_en` were written for those of `corpus-extractive-12`.
"""

import json
from dataclasses import dataclass
from pathlib import Path

Supports = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Asked:
    """A question, what supports its answer, and the answer."""

    kind: str
    question: str
    gold: Supports
    """Titles and sentences; none where nothing answers it."""

    answer: str = ""
    also: Supports = ()
    """What may be quoted beside it."""


ENCYCLOPEDIAS = ("encyclopedia", "encyclopedia_fresh", "encyclopedia_final", "encyclopedia_wide")
UNTOLD = "encyclopedia_untold"
EVERYDAY = (
    "everyday_en",
    "everyday_en_further",
    "everyday_ja",
    "everyday_ja_further",
    "everyday_lists",
    "everyday_en_more",
    "workplace_en",
    "articles_en",
    "mixed_en_last",
    "knowledge_en",
    "technical_en",
    "papers_en",
)
FILES = (*ENCYCLOPEDIAS, UNTOLD, *EVERYDAY)


def by_hand(name: str = "encyclopedia") -> tuple[dict[str, str], list[tuple[str, Asked]]]:
    """The pages and the questions of a file; each question with its half."""
    pages: dict[str, str] = {}
    asked: list[tuple[str, Asked]] = []
    if name == UNTOLD:
        pages |= by_hand("encyclopedia_fresh")[0] | by_hand("encyclopedia_wide")[0] | _samples()
    for line in (Path(__file__).parent / f"{name}.jsonl").read_text().splitlines():
        each = json.loads(line)
        if "title" in each:
            pages[each["title"]] = each["text"]
        else:
            gold = tuple((title, said) for title, said in each["gold"])
            asked.append(
                (each["half"], Asked(each["kind"], each["question"], gold, each["answer"]))
            )
    return pages, asked


def _samples() -> dict[str, str]:
    """The sample documents, by the titles that they begin with."""
    samples = (Path(__file__).parent.parent / "docs" / "samples").glob("*.md")
    begun = (path.read_text().partition("\n") for path in sorted(samples))
    return {title.removeprefix("# "): text for title, _, text in begun}
