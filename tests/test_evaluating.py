"""A labelled set goes through the real ingest and search, and is counted as BEIR counts."""

import json
from pathlib import Path
from typing import Any

import pytest

from contracts.knowledge.evaluating import ask_all, evaluate, read_set
from events.errors import BadRequest

TIDES = "Tides are caused by the pull of the Moon and the Sun on the sea."
MILLS = "A tide mill stores the water of the flood behind a dam."
BREAD = "Sourdough needs flour, water and time."


def written(
    folder: Path, corpus: list[dict[str, str]], queries: dict[str, str], labels: str
) -> Path:
    (folder / "qrels").mkdir(parents=True)
    lines = "\n".join(json.dumps(each) for each in corpus)
    (folder / "corpus.jsonl").write_text(lines + "\n")
    asked = "\n".join(json.dumps({"_id": name, "text": text}) for name, text in queries.items())
    (folder / "queries.jsonl").write_text(asked + "\n")
    (folder / "qrels" / "test.tsv").write_text(labels)
    return folder


class Answering:
    """A corpus that answers every question with the same passages, as many as are wanted."""

    def __init__(self, *locators: str) -> None:
        self._locators = locators

    def search(self, query: str, limit: int, mode: str = "best") -> list[dict[str, Any]]:
        return [{"locator": locator} for locator in self._locators[:limit]]


def test_title_and_text_are_searched_and_documents_stand_where_their_best_chunk_does(
    tmp_path: Path,
) -> None:
    long = "\n\n".join(f"Paragraph {n} is about flour. " + "It goes on. " * 60 for n in range(8))
    corpus = [
        {"_id": "1", "title": "Neap and spring", "text": TIDES},
        {"_id": "2", "title": "", "text": f"{long}\n\nThe miller waits for the ebb at the dam."},
        {"_id": "3", "text": BREAD},
        {"_id": "4", "title": "Nothing at all", "text": ""},
    ]
    queries = {"a": "neap", "b": "miller at the dam", "c": "not labelled"}
    labels = "query-id\tcorpus-id\tscore\na\t1\t1\na\t3\t0\nb\t2\t1\n"
    labelled = read_set(written(tmp_path / "set", corpus, queries, labels))
    assert list(labelled.queries) == ["a", "b"], "what has no label is not asked"
    found = evaluate(labelled, tmp_path / "place", modes=("lexical",))
    assert (found.documents, found.queries) == (4, 2)
    assert found.chunks > 4
    (words,) = found.modes
    assert (words.ndcg_at_10, words.recall_at_10, words.mrr_at_10) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    "labels",
    [
        "query-id\tcorpus-id\tscore\r\nq\td\t1\r\n",
        "q\td\t1\n\n",
        "\ufeffquery-id\tcorpus-id\tscore\nq\td\t1.0\n",
    ],
    ids=["with a heading", "without one", "marked, and graded in fractions"],
)
def test_labels_are_read_as_they_are_written_elsewhere(tmp_path: Path, labels: str) -> None:
    folder = written(tmp_path / "set", [{"_id": "d", "text": TIDES}], {"q": "tides"}, labels)
    assert read_set(folder).relevant == {"q": {"d": 1}}


def test_what_is_no_label_is_refused_with_its_line(tmp_path: Path) -> None:
    folder = written(tmp_path / "set", [{"_id": "d", "text": TIDES}], {"q": "tides"}, "q d 1\n")
    with pytest.raises(BadRequest, match=r"Line 1 of test\.tsv"):
        read_set(folder)


def test_a_question_that_is_a_document_does_not_answer_itself(tmp_path: Path) -> None:
    corpus = [{"_id": "1", "text": TIDES}, {"_id": "2", "text": MILLS}]
    folder = written(tmp_path / "set", corpus, {"1": TIDES, "2": "mills"}, "1\t2\t1\n2\t2\t1\n")
    names = {"/1": "1", "/2": "2"}
    answering: Any = Answering("/1", "/2")
    found = ask_all(read_set(folder), answering, names, "best")
    # The first question finds its answer at once; the second has an id that is one by chance.
    assert found.mrr_at_10 == pytest.approx((1 + 1 / 2) / 2)


def test_documents_that_say_the_same_are_all_counted(tmp_path: Path) -> None:
    corpus = [{"_id": name, "text": TIDES} for name in ("1", "2")] + [{"_id": "3", "text": MILLS}]
    folder = written(tmp_path / "set", corpus, {"q": "tides"}, "q\t2\t1\n")
    answering: Any = Answering("/1", "/3")
    found = ask_all(read_set(folder), answering, {"/1": "1", "/2": "2", "/3": "3"}, "best")
    assert (found.mrr_at_10, found.recall_at_10) == (0.5, 1.0)


def test_more_passages_are_asked_for_until_there_are_enough_documents(tmp_path: Path) -> None:
    corpus = [{"_id": str(n), "text": f"{TIDES} {n}"} for n in range(12)]
    folder = written(tmp_path / "set", corpus, {"q": "tides"}, "q\t9\t1\n")
    answering: Any = Answering(*(["/0"] * 70), *(f"/{n}" for n in range(1, 12)))
    names = {f"/{n}": str(n) for n in range(12)}
    assert ask_all(read_set(folder), answering, names, "best").recall_at_10 == 1.0
