"""A labelled set in the making, and how it is written in BEIR's layout."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from bench.labelled.texts import words_of


class Document(NamedTuple):
    """What can be found."""

    id: str
    title: str
    text: str


class Question(NamedTuple):
    """What is asked, and which documents answer it."""

    id: str
    text: str
    answers: frozenset[str]


@dataclass(frozen=True)
class Draft:
    """Documents and questions in the order in which they are written."""

    documents: Sequence[Document]
    questions: Sequence[Question]


def finished(draft: Draft) -> Draft:
    """Without documents that say the same, and without questions that prove little.

    Those are questions that stand word for word in an answer, and those asked before.
    """
    first: dict[str, str] = {}
    stands_for: dict[str, str] = {}
    kept: dict[str, Document] = {}
    for each in draft.documents:
        same = first.setdefault(words_of(f"{each.title} {each.text}"), each.id)
        stands_for[each.id] = same
        if same == each.id:
            kept[each.id] = each
    asked: dict[str, Question] = {}
    for one in draft.questions:
        answers = frozenset(stands_for[each] for each in one.answers)
        said = words_of(one.text)
        if not any(_stands_in(said, kept[each]) for each in answers):
            asked.setdefault(said, one._replace(answers=answers))
    return Draft(list(kept.values()), list(asked.values()))


def _stands_in(said: str, document: Document) -> bool:
    told = words_of(f"{document.title} {document.text}")
    return said.replace(" ", "") in told.replace(" ", "")


def write(folder: Path, draft: Draft, made_of: Sequence[str]) -> None:
    """Write a set, and beside it the names of the packages that it was made of."""
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    _lines(
        folder / "corpus.jsonl",
        (_json(_id=each.id, title=each.title, text=each.text) for each in draft.documents),
    )
    _lines(folder / "queries.jsonl", (_json(_id=one.id, text=one.text) for one in draft.questions))
    labels = (f"{one.id}\t{each}\t1" for one in draft.questions for each in sorted(one.answers))
    _lines(folder / "qrels" / "test.tsv", ("query-id\tcorpus-id\tscore", *labels))
    _lines(folder / "packages.txt", made_of)


def _json(**fields: str) -> str:
    return json.dumps(fields, ensure_ascii=False)


def _lines(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
