"""Index files: the same answers however the corpus is cut, from whatever is left of the files."""

import itertools
import math
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.catalogue import SourceRemoved
from events.home import Home
from language import words
from projections.corpus import Version
from projections.index.arrays import ArrayWriter, BadFile, open_arrays
from projections.index.bm25 import HEADING_WEIGHT, K1, B
from projections.index.build import build
from projections.index.current import Index
from projections.index.filters import Filters
from projections.index.library import Library
from projections.index.making import part_of
from projections.index.merging import joined, kept, whole, write
from projections.index.part import Part
from projections.index.scope import Scope
from projections.index.shelf import Shelf
from tests.libraries import MODEL, publish, record, segment_of, source_of, vectors_of
from tests.stream_steps import LINUX, is_frozen
from tests.waiting import until

ROOT = Path(__file__).resolve().parent.parent
WORDS = ["tide", "moon", "mill", "sea", "sun", "creek", "barrage", "潮汐"]
EVERYTHING = Filters()

Answer = list[tuple[str, float]]


def by_words(scope: Scope, query: str, limit: int = 10) -> Answer:
    rows, scores = scope.lexical(words.query_terms(query), limit)
    return list(zip(scope.places(rows), scores.tolist(), strict=True))


def by_meaning(scope: Scope, query: str, limit: int = 10) -> Answer:
    vector = vectors_of([query])[0].astype(np.float32)
    rows, scores = scope.dense(MODEL, vector, limit)
    return list(zip(scope.places(rows), scores.tolist(), strict=True))


def answers(home: Home, query: str, filters: Filters = EVERYTHING) -> tuple[Answer, Answer]:
    scope = Index(home).scope(filters)
    return by_words(scope, query), by_meaning(scope, query)


def files(home: Home) -> list[Path]:
    return sorted((home.views / "index").glob("*.index"))


def replace(path: Path, raw: bytes) -> None:
    """Damage at rest: whoever has the file mapped keeps what was there."""
    path.with_suffix(".new").write_bytes(raw)
    path.with_suffix(".new").rename(path)


# -- what is right ---------------------------------------------------------------------------------

Text = tuple[list[str], list[str]]


def reference(chunks: Sequence[Text], query: str) -> dict[int, float]:
    """BM25 over two fields, written out as its formula."""
    weights = words.query_terms(query)
    bodies = [words.terms(" ".join(body)) for body, _ in chunks]
    headings = [words.terms(" ".join(heading)) for _, heading in chunks]

    def norm(counts: list[dict[str, int]], place: int) -> float:
        mean = sum(sum(each.values()) for each in counts) / len(counts) or 1.0
        return 1 - B + B * sum(counts[place].values()) / mean

    scores: dict[int, float] = {}
    for term, weight in weights.items():
        having = [n for n in range(len(chunks)) if term in bodies[n] or term in headings[n]]
        rarity = math.log(1 + (len(chunks) - len(having) + 0.5) / (len(having) + 0.5))
        for n in having:
            much = bodies[n].get(term, 0) / norm(bodies, n)
            much += HEADING_WEIGHT * headings[n].get(term, 0) / norm(headings, n)
            scores[n] = scores.get(n, 0.0) + weight * rarity * much / (K1 + much)
    return scores


SAID = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6)
CHUNK = st.tuples(SAID, st.lists(st.sampled_from(WORDS), max_size=2))
DOCUMENT = st.lists(CHUNK, min_size=1, max_size=3)


def part(number: int, document: list[Text]) -> Part:
    texts = [" ".join(body) for body, _ in document]
    headings = [tuple(heading) for _, heading in document]
    return part_of(number, segment_of(str(number), texts, headings=headings))


def shelved(parts: Sequence[Part], dead: frozenset[int] = frozenset()) -> Scope:
    shelf = Shelf(parts)
    for number in sorted({n for each in parts for n in each.entries.tolist()} - dead):
        name = f"{number:04}"
        version = Version("c", name, "v", 0, "t", "s", 1, name, "", "", "", "", (), {}, number)
        shelf.put(version.place, version)
    return shelf.scopes().of(EVERYTHING)


@given(st.lists(DOCUMENT, min_size=1, max_size=8), SAID)
@settings(deadline=None, max_examples=60)
def test_lexical_scores_are_those_of_the_formula(
    documents: list[list[Text]], said: list[str]
) -> None:
    query = " ".join(said)
    chunks = [chunk for document in documents for chunk in document]
    scope = shelved([part(number, each) for number, each in enumerate(documents, 1)])
    rows, scores = scope.lexical(words.query_terms(query), 100)
    expected = reference(chunks, query)
    assert dict(zip(rows.tolist(), scores.tolist(), strict=True)) == pytest.approx(expected)
    every = np.arange(len(chunks))
    weights = words.query_terms(query)
    parts = scope.lexical_parts(list(weights), every)
    given_rows = np.array(list(weights.values())) @ parts
    assert given_rows.tolist() == pytest.approx([expected.get(n, 0.0) for n in range(len(chunks))])


@given(
    st.lists(DOCUMENT, min_size=1, max_size=9),
    st.lists(st.booleans(), min_size=9, max_size=9),
    st.randoms(use_true_random=False),
    SAID,
    st.integers(1, 6),
)
@settings(deadline=None, max_examples=60)
def test_answers_do_not_depend_on_how_the_corpus_is_cut_or_in_which_order_it_came(
    documents: list[list[Text]],
    keep: list[bool],
    chance: random.Random,
    said: list[str],
    limit: int,
) -> None:
    parts = [part(number, each) for number, each in enumerate(documents, 1)]
    dead = frozenset(n for n, kept_one in enumerate(keep, 1) if not kept_one)
    alone = shelved([each for n, each in enumerate(parts, 1) if n not in dead])
    chance.shuffle(parts)
    cut = sorted(chance.sample(range(len(parts) + 1), min(3, len(parts) + 1)))
    bounds = [0, *cut, len(parts)]
    merged = [
        joined([run for each in parts[begin:end] for run in whole(each)])
        for begin, end in itertools.pairwise(bounds)
        if begin < end
    ]
    query = " ".join(said)
    for one in (shelved(merged, dead), shelved(parts, dead)):
        assert by_words(one, query, limit) == by_words(alone, query, limit)
        assert by_meaning(one, query, limit) == by_meaning(alone, query, limit)


def test_a_heading_counts_more_than_the_body() -> None:
    scope = shelved([part(1, [(["sea", "mill"], ["tide"])]), part(2, [(["sea", "sun"], ["mill"])])])
    assert [place[:4] for place, _ in by_words(scope, "mill")] == ["0002", "0001"]


def test_words_are_found_in_any_of_their_forms_and_widths() -> None:
    scope = shelved([part(1, [(["The stations GENERATED electricity in ＭＡＬＯ"], [])])])  # noqa: RUF001
    for query in ("generating", "Electricity", "malo", "station"):
        assert len(by_words(scope, query)) == 1
    assert by_words(scope, "in the") == by_words(scope, "") == []


def test_a_word_said_without_end_counts_like_one_said_very_often() -> None:
    scope = shelved([part(1, [(["tide"] * 70_000, ["tide"] * 40)]), part(2, [(["sea"], [])])])
    [(_, score)] = by_words(scope, "tide")
    assert 0 < score < math.log(3)


@given(st.lists(DOCUMENT, min_size=2, max_size=6), st.data())
@settings(deadline=None, max_examples=40)
def test_a_merge_leaves_out_what_is_dead_and_changes_nothing_else(
    documents: list[list[Text]], data: st.DataObject
) -> None:
    parts = [part(number, each) for number, each in enumerate(documents, 1)]
    one = joined([run for each in parts for run in whole(each)])
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=len(parts), max_size=len(parts))))
    runs = kept(one, keep)
    if not runs:
        return
    left = joined(runs)
    survivors = [each for each, live in zip(parts, keep, strict=True) if live]
    expected = joined([run for each in survivors for run in whole(each)])
    assert left.entries.tolist() == expected.entries.tolist()
    for row in range(left.rows):
        assert left.text(row) == expected.text(row)
        assert left.terms(row) == expected.terms(row)
        assert left.heading(row) == expected.heading(row)
    assert (left.columns["vector_0"] == expected.columns["vector_0"]).all()
    assert (left.columns["sign_0"] == expected.columns["sign_0"]).all()


def test_a_file_holds_what_was_written(tmp_path: Path) -> None:
    parts = [part(n, [(WORDS[n : n + 3], WORDS[:1])]) for n in range(1, 5)]
    runs = [run for each in parts for run in whole(each)]
    write(tmp_path / "a.index", runs, "form")
    opened, expected = open_arrays(tmp_path / "a.index"), joined(runs)
    assert opened.about["form"] == "form" and opened.damaged() == []
    assert set(opened.columns) == set(expected.columns)
    for name, column in expected.columns.items():
        assert (opened.columns[name] == column).all(), name


def test_few_of_many_are_found_by_their_meaning_as_exactly_as_one_by_one() -> None:
    chance = np.random.default_rng(4)
    rows, dimension = 9000, 128
    centres = chance.standard_normal((60, dimension))
    made = centres[chance.integers(0, 60, rows)] + 0.7 * chance.standard_normal((rows, dimension))
    vectors = (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float16)
    texts = ["tide" for _ in range(rows)]
    scope = shelved([part_of(1, segment_of("1", texts, vectors={MODEL: vectors}))])
    hits = 0
    for _ in range(40):
        query = vectors[chance.integers(rows)].astype(np.float32)
        query += 0.05 * chance.standard_normal(dimension).astype(np.float32)
        query /= np.linalg.norm(query)
        found, _ = scope.dense(MODEL, query, 10)
        exact = np.argsort(-(vectors.astype(np.float32) @ query))[:10]
        hits += len(set(found.tolist()) & set(exact.tolist()))
    assert hits >= 0.99 * 400


# -- files -----------------------------------------------------------------------------------------


def shelve(home: Home, documents: int = 12) -> None:
    """Documents, some of them replaced or removed, with a build in between."""
    chance = random.Random(5)
    for number in range(documents):
        texts = [" ".join(chance.choices(WORDS, k=chance.randint(2, 9))) for _ in range(3)]
        source = publish(home, f"/{number % 9}.md", texts, title=chance.choice(WORDS))
        if number == documents // 2:
            build(home, wait=True)
            record(home, SourceRemoved(document=source.document, collection="tides"))


def test_deleting_the_views_and_rebuilding_gives_the_same_answers(home: Home) -> None:
    shelve(home)
    asked = [(query, answers(home, query)) for query in ("tide mill", "moon", "潮汐 sea")]
    build(home, wait=True)
    assert asked == [(query, answers(home, query)) for query, _ in asked]
    shutil.rmtree(home.views)
    assert asked == [(query, answers(home, query)) for query, _ in asked]
    build(home, wait=True)
    assert asked == [(query, answers(home, query)) for query, _ in asked]
    assert all(found and near for _, (found, near) in asked)


def test_while_nothing_is_published_what_was_made_for_a_question_serves_the_next(
    home: Home,
) -> None:
    publish(home, "/a.md", ["tide"])
    index = Index(home)
    before = index.scope(EVERYTHING)
    assert index.scope(EVERYTHING) is before
    publish(home, "/b.md", ["mill"])
    assert index.scope(EVERYTHING) is not before and index.scope(EVERYTHING).size == 2


def test_a_large_backlog_becomes_files_before_it_is_searched(home: Home) -> None:
    shelve(home)
    eager = Index(home, at_once=5)
    expected = by_words(Index(home).scope(EVERYTHING), "tide mill")
    assert by_words(eager.scope(EVERYTHING), "tide mill") == expected
    assert files(home) and eager.scope(EVERYTHING).size == 24


def test_small_files_are_joined_and_dead_rows_left_out(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(9):
        publish(home, f"/{number}.md", [f"tide {number}", "moon"])
        build(home, wait=True)
    assert len(files(home)) < 4
    for number in range(8):
        publish(home, f"/{number}.md", [f"sea {number}"])
    before = answers(home, "tide sea moon")
    build(home, wait=True)
    held = Library(home.views / "index").refresh()
    assert sum(each.part.rows for each in held) < 9 * 2 + 8
    assert answers(home, "tide sea moon") == before


@pytest.mark.parametrize("seed", range(6))
def test_a_flipped_bit_in_an_index_file_changes_no_answer(home: Home, seed: int) -> None:
    shelve(home)
    build(home, wait=True)
    expected = answers(home, "tide mill")
    [path, *_] = files(home)
    raw = bytearray(path.read_bytes())
    chance = random.Random(seed)
    for _ in range(3):
        raw[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)
    replace(path, bytes(raw))
    index = Index(home)
    index.scope(EVERYTHING)
    index.repair()
    scope = index.scope(EVERYTHING)
    assert (by_words(scope, "tide mill"), by_meaning(scope, "tide mill")) == expected
    build(home, wait=True)
    assert all(open_arrays(each).damaged() == [] for each in files(home))
    assert answers(home, "tide mill") == expected


def test_damage_is_noticed_without_being_looked_for(home: Home) -> None:
    shelve(home)
    build(home, wait=True)
    expected = answers(home, "tide mill")
    [path, *_] = files(home)
    place = open_arrays(path).columns["posting_row"]
    raw = path.read_bytes()
    at = raw.index(place.tobytes())
    replace(path, raw[:at] + b"\xff" + raw[at + 1 :])
    index = Index(home, prove_first=0, prove_after=0.0)
    index.scope(EVERYTHING)
    for _ in range(400):
        if not index._shelf.files:
            break
        time.sleep(0.01)
        index.scope(EVERYTHING)
    scope = index.scope(EVERYTHING)
    assert (by_words(scope, "tide mill"), by_meaning(scope, "tide mill")) == expected


@pytest.mark.parametrize("column", ["posting_row", "posting_count", "vector_0", "term_hash"])
def test_damage_in_a_small_file_does_not_change_even_the_first_answer(
    home: Home, column: str
) -> None:
    shelve(home)
    build(home, wait=True)
    expected = answers(home, "tide mill")
    for path in files(home):
        raw = path.read_bytes()
        place = open_arrays(path).columns[column].tobytes()
        damaged = bytes(each ^ 1 for each in place)
        replace(path, raw.replace(place, damaged))
    # A command asks once and is over.
    assert answers(home, "tide mill") == expected


@pytest.mark.parametrize("what", ["gone", "short", "empty", "foreign", "list"])
def test_files_that_are_lost_or_not_ours_are_made_anew(home: Home, what: str) -> None:
    shelve(home)
    build(home, wait=True)
    expected = answers(home, "tide mill")
    [path, *_] = files(home)
    match what:
        case "gone":
            path.unlink()
        case "short":
            replace(path, path.read_bytes()[:-100])
        case "empty":
            replace(path, b"")
        case "foreign":
            Library(home.views / "index").publish([])
            runs = whole(part(1, [(["tide"], [])]))
            write(path, runs, "0.0")
            Library(home.views / "index").publish([path.name])
        case "list":
            (home.views / "index" / "current.json").write_bytes(b'{"files": ["../x.index"]}')
    assert answers(home, "tide mill") == expected
    build(home, wait=True)
    assert answers(home, "tide mill") == expected


def test_a_file_that_is_no_index_is_refused(tmp_path: Path) -> None:
    for raw in (b"", b"x" * 50, b"x" * 5000):
        (tmp_path / "a.index").write_bytes(raw)
        with pytest.raises(BadFile):
            open_arrays(tmp_path / "a.index")


def test_a_segment_with_a_flipped_bit_hides_only_its_own_document(home: Home) -> None:
    bad = publish(home, "/bad.md", ["tide of the bad"])
    publish(home, "/good.md", ["tide of the good"])
    path = home.blobs.path(bad.segment.hash)
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 4
    path.write_bytes(raw)
    for _ in range(2):
        scope = Index(home).scope(EVERYTHING)
        rows, _ = scope.lexical(words.query_terms("tide"), 5)
        assert scope.texts(rows) == ["tide of the good"]
        build(home, wait=True)


# -- several processes -----------------------------------------------------------------------------


def builder(home: Home, *options: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "projections.index.build", str(home.root), *options],
        cwd=ROOT,
        stderr=subprocess.DEVNULL,
    )


def killed_build(home: Home, step: int) -> bool:
    """Build in a process that is killed at its n-th step towards the disk; False if it got through."""
    child = os.fork()
    if not child:
        steps = itertools.count()

        def counted(real: Callable[..., Any]) -> Callable[..., Any]:
            def do(*arguments: Any, **options: Any) -> Any:
                if next(steps) == step:
                    os.kill(os.getpid(), signal.SIGKILL)
                return real(*arguments, **options)

            return do

        os.fsync = counted(os.fsync)
        Path.rename = counted(Path.rename)  # type: ignore[method-assign]
        Path.unlink = counted(Path.unlink)  # type: ignore[method-assign]
        ArrayWriter.add = counted(ArrayWriter.add)  # type: ignore[method-assign]
        build(home, wait=True)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def test_a_builder_killed_anywhere_leaves_a_good_index(home: Home) -> None:
    only = Filters(collections=("tides",))
    shelve(home)
    expected = answers(home, "tide mill", only)
    step = 0
    while killed_build(home, step):
        assert answers(home, "tide mill", only) == expected
        for name in Library(home.views / "index").names():
            assert open_arrays(home.views / "index" / name).damaged() == []
        # Each time there is something new to build, and now and then something to join.
        publish(home, f"/extra-{step}.md", [f"creek {step}"], "other")
        step += 3 if step < 40 else 17
    assert step > 50
    listed = Library(home.views / "index").names()
    assert sorted(listed) == [each.name for each in files(home)]
    assert answers(home, "tide mill", only) == expected


def test_readers_go_on_while_one_builds(home: Home) -> None:
    shelve(home)
    readers = [Index(home), Index(home)]
    expected = by_words(readers[0].scope(EVERYTHING), "tide mill")
    process = builder(home, "--wait")
    while process.poll() is None:
        for reader in readers:
            assert by_words(reader.scope(EVERYTHING), "tide mill") == expected
    assert process.returncode == 0
    for reader in readers:
        assert by_words(reader.scope(EVERYTHING), "tide mill") == expected
        assert reader._shelf.files and not reader._shelf.in_memory


def test_a_second_builder_leaves_it_to_the_first(home: Home) -> None:
    shelve(home)
    library = Library(home.views / "index")
    with library.building(wait=False) as ours:
        assert ours
        before = library.names()
        build(home, wait=False)
        assert library.names() == before
    build(home, wait=False)
    assert library.names() != before


@LINUX
def test_who_waits_for_a_builder_that_is_stopped_builds_instead(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelve(home)
    script = (
        "import os, signal, sys; from pathlib import Path\n"
        "from projections.index.library import Library\n"
        "with Library(Path(sys.argv[1])).building(wait=False):\n"
        "    os.kill(os.getpid(), signal.SIGSTOP)\n"
    )
    root = home.views / "index"
    stopped = subprocess.Popen([sys.executable, "-c", script, str(root)], cwd=ROOT)
    until(lambda: is_frozen(stopped))
    monkeypatch.setattr("projections.index.library.ONLY_STOPPED_AFTER", 0.1)
    build(home, wait=True)
    assert stopped.wait() == -signal.SIGKILL
    assert files(home)


def test_rows_in_memory_stay_few_and_in_few_parts(home: Home) -> None:
    index = Index(home)
    sources = [source_of(home, f"/{n}.md", [f"tide {n}"]) for n in range(40)]
    for source in sources:
        record(home, source)
        index.scope(EVERYTHING)
    assert index._shelf.in_memory == 40
    assert len(index._shelf.parts()) <= 6


def test_documents_that_came_in_together_are_joined_once(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        publish(home, f"/{number}.md", [f"tide {number}", "moon"])
    joinings: list[int] = []

    def counting(runs: Sequence[Any]) -> Part:
        joinings.append(len(runs))
        return joined(runs)

    monkeypatch.setattr("projections.index.shelf.joined", counting)
    index = Index(home)
    assert len(by_words(index.scope(EVERYTHING), "tide", 100)) == 30
    assert joinings == [30]
    publish(home, "/late.md", ["tide late"])
    assert len(by_words(index.scope(EVERYTHING), "tide", 100)) == 31
    # As it stood before, from what is held already.
    assert len(by_words(index.scope(Filters(as_of=30)), "tide", 100)) == 30
