"""How well the corpus researcher answers: supporting sentences found, little else quoted, the answer among it.

    .venv/bin/python bench/answers.py                          # the sets that are here, by the last three rules
    .venv/bin/python bench/answers.py --sets open "set apart"  # only these of them
    .venv/bin/python bench/answers.py FILE [--questions 200]   # HotpotQA, 2WikiMultihopQA or SQuAD, as published
    .venv/bin/python bench/answers.py DIRECTORY                # a labelled set of documents, in the layout of BEIR

All pages of a set are taken in as one corpus, through the real ingest and search, and each question is researched over
it. A sentence counts as quoted when most of it lies within a citation. Recall and precision are over sentences, the
mean over questions that have any; `answer` is the share of questions whose answer stands in the text of the answer (yes
and no are not counted there), and `silent` the share of those without an answer in the corpus that nothing was quoted
for. Where whole documents are labelled, any sentence of theirs counts. Of comparisons whose answer is known, `right`
and `wrong` are the shares for which a conclusion was drawn.
"""

import argparse
import json
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from actors.answering.rules import EIGHTH, PRESENT, TENTH  # noqa: E402
from actors.archive import LocalArchive  # noqa: E402
from actors.findings import Findings  # noqa: E402
from actors.ingesting.ingest import IngestJob  # noqa: E402
from actors.ingesting.parsing import AnyParser  # noqa: E402
from actors.kinds.corpus import research  # noqa: E402
from actors.opened import OpenedCorpus  # noqa: E402
from actors.ports import Passage  # noqa: E402
from events.base import Fact  # noqa: E402
from events.catalogue import Brief, Entry  # noqa: E402
from events.home import Home  # noqa: E402
from language.sentences import sentences  # noqa: E402
from projections.encoders.opened import open_embedder  # noqa: E402
from projections.search import open_corpus  # noqa: E402
from tests.asked_by_hand import FILES, Asked, by_hand  # noqa: E402
from tests.encyclopedia import world  # noqa: E402

YES_OR_NO = {"yes", "no"}


@dataclass(frozen=True)
class Questions:
    """A set: pages by title, and questions about them."""

    name: str
    pages: dict[str, str]
    asked: Sequence[Asked]
    whole: bool = False
    """The pages are documents as they are."""


class PlainDesk:
    """A desk over a corpus, with no record."""

    def __init__(self, home: Home) -> None:
        self._corpus = OpenedCorpus(open_corpus(str(home.root)))
        self._blobs = home.blobs

    def search(
        self,
        query: str,
        limit: int,
        collections: tuple[str, ...] | None,
        among: tuple[str, ...] = (),
    ) -> list[Passage]:
        """Ask the corpus."""
        return self._corpus.search(query, limit, collections)

    def likeness(self, question: str, texts: Sequence[str]) -> list[float | None]:
        """Compare texts with a question; as exactly as the record keeps it."""
        found = self._corpus.likeness(question, texts)
        return [None if each is None else round(each, 4) for each in found]

    def text(self, text_hash: str) -> str:
        """The stored text of a source."""
        return self._blobs.get_text(text_hash)

    def note(self, *facts: Fact) -> None:
        """Let it go."""

    def checkpoint(self) -> None:
        """Nobody tells it to stop."""


def take_in(home: Home, pages: dict[str, str], folder: Path, *, whole: bool) -> dict[str, str]:
    """Ingest pages as Markdown files, with their titles unless they are whole; gives their names by locator."""
    home.prepare()
    archive = LocalArchive(home)
    titles: dict[str, str] = {}
    entries: list[str | Entry] = []
    for number, (title, text) in enumerate(pages.items()):
        path = folder / f"{number:05}.md"
        path.write_text(text if whole else f"# {title}\n\n{text}\n")
        titles[str(path)] = title
        entries.append(Entry(locator=str(path), title=None if whole else title))
    job, _ = archive.catalogue.enter_job("set", entries)
    IngestJob(archive, AnyParser(), open_embedder, job).run()
    return titles


def quoted(found: Findings, desk: PlainDesk, titles: dict[str, str]) -> set[tuple[str, str]]:
    """The sentences that lie mostly within citations, with the titles of their pages."""
    told: set[tuple[str, str]] = set()
    for each in found.citations:
        text = desk.text(each.text_hash)
        for sentence in sentences(text, each.start, each.end):
            inside = min(sentence.end, each.end) - max(sentence.start, each.start)
            long = min(sentence.end - sentence.start, 450)
            if sentence.kind != "heading" and inside >= 0.6 * long:
                said = " ".join(text[sentence.start : sentence.end].split())
                told.add((titles.get(each.locator, each.locator), said))
    return told


COLUMNS = ("recall", "precision", "answer", "silent", "right", "wrong")

Row = tuple[float | None, ...]
"""Of one question: its columns, where they mean anything."""


def measure(
    asked: Sequence[Asked],
    desk: PlainDesk,
    titles: dict[str, str],
    model: str,
    depth: str,
    *,
    verbose: bool = False,
) -> dict[str, tuple[float, ...]]:
    """By kind of question: how many, and the mean of each column."""
    rows: dict[str, list[Row]] = {}
    for one in asked:
        brief = Brief.model_validate({"question": one.question, "depth": depth})
        found = research(brief, one.question, desk, model)
        told = quoted(found, desk, titles)
        row = judged(one, told, found)
        for kind in ("all", one.kind):
            rows.setdefault(kind, []).append(row)
        if verbose and (set(row[:3]) - {None, 1.0} or row[3] == 0.0 or row[4] == 0.0):
            show(one, told, found)
    return {kind: (len(each), *map(_mean, zip(*each, strict=True))) for kind, each in rows.items()}


def judged(one: Asked, told: set[tuple[str, str]], found: Findings) -> Row:
    """How well a question was answered by what was quoted."""
    if not one.gold:
        return None, None, None, float(not told), None, None
    hit = sum(any(_same(pair, each) for each in told) for pair in one.gold)
    good = sum(any(_same(pair, each) for pair in (*one.gold, *one.also)) for each in told)
    skip = not one.answer or one.answer in YES_OR_NO
    contained = None if skip else _contains(found.answer, one.answer)
    concluded = _concluded(one, found)
    return hit / len(one.gold), good / len(told) if told else 0.0, contained, None, *concluded


def _concluded(one: Asked, found: Findings) -> tuple[float | None, float | None]:
    """Whether what follows is said, rightly or wrongly, where the question compares."""
    if "comparison" not in one.kind or not one.answer:
        return None, None
    said = next((each.text for each in found.sentences if not each.citations), "")
    right = said.casefold().startswith(one.answer.casefold())
    return float(right), float(bool(said) and not right)


def show(one: Asked, told: set[tuple[str, str]], found: Findings) -> None:
    """What was found, missed, and quoted in vain."""
    print(f"\n{one.kind}: {one.question} ({one.answer})")
    print(*(f"   = {each.text}" for each in found.sentences if not each.citations))
    for title, said in one.gold:
        mark = "+" if any(_same((title, said), each) for each in told) else "-"
        print(f"   {mark} [{title}] {said[:110]}")
    for title, said in sorted(told):
        if not any(_same(pair, (title, said)) for pair in (*one.gold, *one.also)):
            print(f"   x [{title}] {said[:110]}")


def _same(gold: tuple[str, str], told: tuple[str, str]) -> bool:
    return gold[0] == told[0] and (gold[1] in told[1] or told[1] in gold[1])


def _contains(answer: str, wanted: str) -> float:
    said, *each = (
        " ".join(re.sub(r"\W+", " ", text.casefold()).split())
        for text in (answer, *wanted.split("\n"))
    )
    return float(all(words in said for words in each))


def _mean(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else float("nan")


# -- sets ------------------------------------------------------------------------------------------


def sets_here() -> list[Questions]:
    """The sets of the repository; what was kept aside while the rules were made is called `held`."""
    found = [samples(), *plainly_put()]
    for file in FILES:
        pages, asked = by_hand(file)
        found += [
            Questions(f"by hand, {half}", pages, [one for mine, one in asked if mine == half])
            for half in dict.fromkeys(mine for mine, _ in asked)
        ]
    for family in ("dev", "held"):
        made = world(1, family)
        found.append(Questions(f"made up, {family}", made.pages, made.questions))
    return found


def samples() -> Questions:
    """The labelled questions about the sample documents."""
    pages = {
        path.name: path.read_text() for path in sorted((ROOT / "docs" / "samples").glob("*.md"))
    }
    asked = []
    for line in (ROOT / "tests" / "questions.jsonl").read_text().splitlines():
        one = json.loads(line)
        gold, also = _pairs(one["gold"]), _pairs(one["also"])
        answer = "\n".join(one["answer"])
        asked.append(Asked("sample" if gold else "none", one["question"], gold, answer, also))
    return Questions("samples", pages, asked, whole=True)


def plainly_put() -> list[Questions]:
    """Questions about the samples as people put them; what was not looked at is called `set apart`."""
    path = ROOT / "tests" / "questions_plainly_put.jsonl"
    told = [json.loads(line) for line in path.read_text().splitlines()]
    pages = samples().pages
    return [
        Questions(
            f"plainly put, {half}",
            pages,
            [
                Asked("open", one["question"], _pairs(one["gold"]), also=_pairs(one["also"]))
                for one in told
                if one["half"] == half
            ],
            whole=True,
        )
        for half in ("looked at", "set apart")
    ]


def _pairs(listed: list[list[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((file, said) for file, said in listed)


def labelled(folder: Path, most: int) -> Questions:
    """A labelled set of documents: any sentence of a document that answers counts."""
    lines = (folder / "corpus.jsonl").read_text().splitlines()
    pages = {one["_id"]: one["text"] for one in map(json.loads, lines)}
    gold: dict[str, list[tuple[str, str]]] = {}
    for line in (folder / "qrels" / "test.tsv").read_text().splitlines()[1:]:
        query, document, score = line.split("\t")
        if int(score) > 0:
            gold.setdefault(query, []).append((document, ""))
    asked = [
        Asked("document", one["text"], tuple(gold[one["_id"]]))
        for one in map(json.loads, (folder / "queries.jsonl").read_text().splitlines())
        if one["_id"] in gold
    ]
    return Questions(folder.name, pages, asked[:most], whole=True)


def published(path: Path, most: int) -> Questions:
    """A published set: HotpotQA and 2WikiMultihopQA name sentences by their number, SQuAD answers by their place."""
    if path.is_dir():
        return labelled(path, most)
    raw: Any = json.loads(path.read_text())
    pages: dict[str, str] = {}
    asked: list[Asked] = []
    if isinstance(raw, dict):
        for article in raw["data"]:
            for number, paragraph in enumerate(article["paragraphs"]):
                title = f"{article['title'].replace('_', ' ')} ({number + 1})"
                pages[title] = paragraph["context"]
                for one in paragraph["qas"] if len(asked) < most else ():
                    asked.append(_of_squad(one, title, paragraph["context"]))
        return Questions(path.name, pages, asked[:most])
    for one in raw[:most]:
        context = {title: [said.strip() for said in told] for title, told in one["context"]}
        pages |= {title: " ".join(told) for title, told in context.items()}
        gold = tuple(
            (title, context[title][number])
            for title, number in one["supporting_facts"]
            if title in context and number < len(context[title])
        )
        asked.append(Asked(one.get("type", "question"), one["question"], gold, one["answer"]))
    return Questions(path.name, pages, asked)


def _of_squad(one: dict[str, Any], title: str, context: str) -> Asked:
    if not one["answers"]:
        return Asked("none", one["question"], ())
    at = one["answers"][0]["answer_start"]
    said = next(s for s in sentences(context) if s.start <= at < s.end)
    return Asked(
        "single",
        one["question"],
        ((title, context[said.start : said.end]),),
        one["answers"][0]["text"],
    )


def main() -> None:
    """Print a table for each set."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--depth", nargs="*", default=["balanced"])
    parser.add_argument("--rules", nargs="*", default=[EIGHTH.model, TENTH.model, PRESENT.model])
    parser.add_argument(
        "--sets", nargs="*", help="only the sets whose names end so: samples, open, aside, held …"
    )
    parser.add_argument(
        "--verbose", action="store_true", help="show what was missed and what was quoted in vain"
    )
    told = parser.parse_args()
    chosen = [published(path, told.questions) for path in told.files] or sets_here()
    if told.sets:
        chosen = [each for each in chosen if each.name.endswith(tuple(told.sets))]
    for each in chosen:
        with tempfile.TemporaryDirectory(prefix="answers-") as place:
            home = Home(Path(place) / "home")
            titles = take_in(home, each.pages, Path(place), whole=each.whole)
            desk = PlainDesk(home)
            for depth, model in product(told.depth, told.rules):
                began = time.monotonic()
                shown = told.verbose and model == PRESENT.model
                figures = measure(each.asked, desk, titles, model, depth, verbose=shown)
                took = (time.monotonic() - began) / max(1, len(each.asked))
                print(
                    f"\n{each.name}: {len(each.pages)} pages, {depth}, {model}, {took:.2f} s each"
                )
                for kind, (number, *values) in figures.items():
                    named = zip(COLUMNS, values, strict=True)
                    print(f"  {kind:18} {number:4}  " + "  ".join(f"{n} {v:.3f}" for n, v in named))


if __name__ == "__main__":
    main()
