"""A deleted collection is out of every search at once, and whole when it is back."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from actors.archive import LocalArchive
from actors.catalogue import Catalogue
from actors.ingesting.ingest import IngestJob
from actors.ingesting.parsing import AnyParser
from actors.shelves import (
    create_collection,
    delete_collection,
    remove_document,
    restore_collection,
)
from events.errors import ResearchError
from events.home import CATALOGUE, Home
from events.shelves import CollectionDeleted, CollectionRestored
from projections.corpus import Corpus
from projections.corpus_snapshot import keep_fold, open_fold
from projections.index.filters import Filters
from projections.search import LocalCorpus
from tests.embedders import open_letters


def ingest(home: Home, collection: str, **texts: str) -> None:
    archive = LocalArchive(home)
    folder = home.root.parent / "documents"
    folder.mkdir(exist_ok=True)
    paths = []
    for name, text in texts.items():
        path = folder / f"{name}.md"
        path.write_text(text)
        paths.append(str(path))
    job, _ = archive.catalogue.enter_job(collection, paths)
    IngestJob(archive, AnyParser(), open_letters, job).run()


def found(corpus: LocalCorpus, query: str, *collections: str) -> set[str]:
    hits = corpus.search(query, 10, collections or None)
    return {f"{each['collection']}/{Path(each['locator']).stem}" for each in hits}


def test_search_forgets_and_remembers_at_once(home: Home) -> None:
    catalogue, corpus, other = Catalogue(home), LocalCorpus(home), LocalCorpus(home)
    ingest(home, "a", one="# One\n\nHerons nest.\n", two="# Two\n\nHerons fly.\n")
    ingest(home, "b", one="# One\n\nHerons nest.\n")
    assert found(corpus, "herons") == {"a/one", "a/two"}, "the same words come once"
    delete_collection(catalogue, "a")
    for each in (corpus, other, LocalCorpus(home)):
        assert found(each, "herons") == {"b/one"}
        assert found(each, "herons", "a") == set()
    restore_collection(catalogue, "a")
    for each in (corpus, other, LocalCorpus(home)):
        assert found(each, "herons", "a") == {"a/one", "a/two"}


def test_what_arrives_while_a_collection_is_deleted_is_there_when_it_is_back(home: Home) -> None:
    catalogue, corpus = Catalogue(home), LocalCorpus(home)
    ingest(home, "a", one="# One\n\nHerons nest.\n")
    archive = LocalArchive(home)
    path = home.root.parent / "documents" / "late.md"
    path.write_text("# Late\n\nHerons sleep.\n")
    job, _ = archive.catalogue.enter_job("a", [str(path)])
    delete_collection(catalogue, "a")
    IngestJob(archive, AnyParser(), open_letters, job).run()
    assert found(corpus, "herons") == set()
    restore_collection(catalogue, "a")
    assert found(corpus, "herons") == {"a/one", "a/late"}


def test_the_past_still_has_what_was_deleted_later(home: Home) -> None:
    catalogue, corpus = Catalogue(home), LocalCorpus(home)
    ingest(home, "a", one="# One\n\nHerons nest.\n")
    before = home.read(CATALOGUE)[0][-1].seq
    delete_collection(catalogue, "a")
    assert corpus.search("herons", 5) == []
    assert corpus.search("herons", 5, filters=Filters(as_of=before))


def test_a_fold_that_was_kept_knows_what_is_deleted(home: Home) -> None:
    catalogue = Catalogue(home)
    ingest(home, "a", one="# One\n\nHerons nest.\n")
    delete_collection(catalogue, "a")
    records, cursor = home.read(CATALOGUE)
    corpus = Corpus()
    corpus.feed(records)
    keep_fold(home, corpus, cursor)
    kept, at = open_fold(home)
    assert (kept.held, kept.deleted, at) == ({}, {"a"}, cursor)
    restore_collection(catalogue, "a")
    kept.feed(home.read(CATALOGUE, at)[0])
    assert [place[0] for place in kept.held] == ["a"]


steps = st.lists(
    st.tuples(st.sampled_from(["delete", "restore", "remove"]), st.sampled_from("ab")), max_size=12
)


@given(steps=steps)
def test_folding_again_changes_nothing_and_the_last_word_on_a_collection_counts(
    steps: list[tuple[str, str]],
) -> None:
    with TemporaryDirectory() as place:
        home = Home(Path(place) / "home")
        home.prepare()
        catalogue = Catalogue(home)
        for name in "ab":
            create_collection(catalogue, name)
        for step, name in steps:
            act = {"delete": delete_collection, "restore": restore_collection}
            try:
                if step == "remove":
                    remove_document(catalogue, name, "doc")
                else:
                    act[step](catalogue, name)
            except ResearchError:
                continue
        records = home.read(CATALOGUE)[0]
        once, twice = Corpus(), Corpus()
        once.feed(records)
        twice.feed(records)
        twice.feed(records)
        assert once.deleted == twice.deleted == catalogue.state().deleted
        last = [
            r.fact for r in records if isinstance(r.fact, CollectionDeleted | CollectionRestored)
        ]
        assert all(
            (fact.collection in once.deleted) == isinstance(fact, CollectionDeleted)
            for fact in {each.collection: each for each in last}.values()
        )
