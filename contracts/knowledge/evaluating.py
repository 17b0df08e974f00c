"""How well this corpus finds things, on labelled questions: `research-agent eval retrieval DIR`.

A set in the common BEIR layout goes through the real ingest and the real search, in a data home
of its own, and every way of ranking is measured on it.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from actors.archive import LocalArchive
from actors.ingesting.ingest import IngestJob
from actors.ports import Block, Parsed
from events.errors import BadRequest, Unreadable
from events.home import Home
from projections.encoders.opened import open_embedder
from projections.evaluation import evaluate as measure
from projections.ranking import Mode
from projections.search import LocalCorpus, open_corpus

MODES: tuple[Mode, ...] = ("lexical", "dense", "rrf", "weighted", "best")
DEPTH = 10
"""Documents that count of each answer."""

_PASSAGES = 50
"""Passages asked for where the first ones are of too few different documents."""

_COLLECTION = "labelled"


@dataclass(frozen=True)
class LabelledSet:
    """Documents, questions, and which documents answer which question how well."""

    documents: dict[str, dict[str, str]]
    queries: dict[str, str]
    relevant: dict[str, dict[str, int]]


@dataclass(frozen=True)
class Measured:
    """One way of ranking on one set."""

    mode: str
    ndcg_at_10: float
    recall_at_10: float
    mrr_at_10: float
    p50_ms: float
    p95_ms: float


@dataclass(frozen=True)
class Evaluation:
    """What was measured on one set."""

    documents: int
    chunks: int
    queries: int
    ingest_s: float
    chunks_per_s: float
    modes: tuple[Measured, ...]

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return asdict(self)


def read_set(folder: Path, split: str = "test") -> LabelledSet:
    """A labelled set: corpus.jsonl, queries.jsonl and qrels/<split>.tsv."""
    labels = folder / "qrels" / f"{split}.tsv"
    corpus, questions = folder / "corpus.jsonl", folder / "queries.jsonl"
    for path in (corpus, questions, labels):
        if not path.is_file():
            raise BadRequest(
                f"There is no {path.relative_to(folder)} in {folder}.",
                "Give a folder in BEIR's layout: corpus.jsonl, queries.jsonl, qrels/test.tsv.",
            )
    relevant: dict[str, dict[str, int]] = {}
    for query, document, score in _labels(labels):
        relevant.setdefault(query, {})[document] = score
    queries = {str(each["_id"]): str(each["text"]) for each in _lines(questions)}
    documents = {
        str(each["_id"]): {
            "title": str(each.get("title") or ""),
            "text": str(each.get("text") or ""),
        }
        for each in _lines(corpus)
    }
    asked = {query: queries[query] for query in relevant if query in queries}
    if not asked or not documents:
        raise BadRequest(f"No question in {folder} has a label.", "Check the ids in qrels.")
    return LabelledSet(documents, asked, relevant)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                each = orjson.loads(line)
                each["_id"]
            except (ValueError, KeyError, TypeError):
                raise BadRequest(
                    f"Line {number} of {path.name} is not an object with an _id.",
                    "Write one JSON object on each line.",
                ) from None
            yield each


def _labels(path: Path) -> Iterator[tuple[str, str, int]]:
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), 1):
        parts = line.split("\t")
        if not line.strip() or (number == 1 and parts[-1].strip() == "score"):
            continue
        try:
            query, document, score = parts
            yield query, document, round(float(score))
        except (ValueError, OverflowError):
            raise BadRequest(
                f"Line {number} of {path.name} is not a label.",
                "Write query-id, corpus-id and score, with tabs between.",
            ) from None


class LabelledParser:
    """Reads one document of a labelled set. Satisfies `ports.Parser`."""

    def parse(self, name: str, raw: bytes) -> Parsed:
        """Title and text as they are; paragraphs where the text has them."""
        try:
            document = orjson.loads(raw)
        except ValueError:
            raise Unreadable(name, "it is not a document of a labelled set") from None
        text: str = document["text"]
        blocks, at = [], 0
        for part in text.split("\n\n"):
            bare = part.strip()
            if bare:
                start = at + part.index(bare)
                blocks.append(Block(kind="paragraph", start=start, end=start + len(bare)))
            at += len(part) + 2
        return Parsed(
            title=document["title"], media_type="text/plain", text=text, blocks=tuple(blocks)
        )


def evaluate(
    labelled: LabelledSet,
    place: Path,
    modes: Sequence[Mode] = MODES,
    say: Callable[[str], None] = lambda _: None,
    reranker: str = "",
) -> Evaluation:
    """Ingest a labelled set under a place that is empty, ask every question in every mode."""
    home = Home(place / "home")
    home.prepare()
    say(f"ingesting {len(labelled.documents)} documents")
    began = time.monotonic()
    names = bring_in(labelled, home, place / "documents")
    took = time.monotonic() - began
    corpus = open_corpus(str(home.root), reranker=reranker)
    chunks = sum(
        record.data["chunks"]
        for record in home.read("catalogue")[0]
        if record.kind == "source_published"
    )
    corpus.search(next(iter(labelled.queries.values())), 1)
    measured = []
    for mode in modes:
        say(f"asking {len(labelled.queries)} questions ({mode})")
        measured.append(ask_all(labelled, corpus, names, mode))
    return Evaluation(
        documents=len(labelled.documents),
        chunks=chunks,
        queries=len(labelled.queries),
        ingest_s=round(took, 2),
        chunks_per_s=round(chunks / took, 1),
        modes=tuple(measured),
    )


def bring_in(labelled: LabelledSet, home: Home, folder: Path) -> dict[str, str]:
    """Bring the documents in; their ids by their locators."""
    folder.mkdir(parents=True)
    names: dict[str, str] = {}
    for number, (name, document) in enumerate(labelled.documents.items()):
        path = folder / f"{number:07}.json"
        path.write_bytes(orjson.dumps(document))
        names[str(path)] = name
    archive = LocalArchive(home)
    job, _ = archive.catalogue.enter_job(_COLLECTION, list(names))
    IngestJob(archive, LabelledParser(), open_embedder, job).run()
    return names


def _same_texts(labelled: LabelledSet) -> dict[str, list[str]]:
    """Of each document, itself and those that say the same: a search shows the words once."""
    alike: dict[str, list[str]] = {}
    for name, document in labelled.documents.items():
        alike.setdefault(document["text"], []).append(name)
    return {
        name: [name, *(other for other in alike[document["text"]] if other != name)]
        for name, document in labelled.documents.items()
    }


def ask_all(
    labelled: LabelledSet, corpus: LocalCorpus, names: dict[str, str], mode: Mode
) -> Measured:
    """Ask every question in one mode."""
    runs: dict[str, list[str]] = {}
    times: list[float] = []
    same = _same_texts(labelled)
    for query, question in labelled.queries.items():
        began = time.perf_counter()
        found = corpus.search(question, limit := DEPTH, mode=mode)
        times.append((time.perf_counter() - began) * 1000)
        while True:
            passages = (names[each["locator"]] for each in found)
            documents = dict.fromkeys(each for name in passages for each in same[name])
            # As BEIR counts: a question that is a document of the set does not answer itself. But
            # ids may also be the same by chance, so what is labelled an answer stays one.
            if labelled.relevant[query].get(query, 0) <= 0:
                documents.pop(query, None)
            if len(documents) >= DEPTH or len(found) < limit:
                break
            limit = max(2 * limit, _PASSAGES)
            found = corpus.search(question, limit, mode=mode)
        runs[query] = list(documents)[:DEPTH]
    scores = measure(runs, labelled.relevant)
    times.sort()
    return Measured(
        mode=mode,
        ndcg_at_10=round(scores.ndcg, 4),
        recall_at_10=round(scores.recall, 4),
        mrr_at_10=round(scores.mrr, 4),
        p50_ms=round(times[len(times) // 2], 2),
        p95_ms=round(times[min(len(times) - 1, int(len(times) * 0.95))], 2),
    )
