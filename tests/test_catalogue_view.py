"""Given what the root stream says, what there is."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.base import Blob, Fact, UnknownFact
from events.catalogue import (
    CancelRequested,
    GenerationSwitched,
    JobEntered,
    SegmentRebuilt,
    SourcePublished,
    SourceRemoved,
    StreamQuarantined,
    StreamSealed,
    TaskEntered,
)
from events.codec import GENESIS, Record, seal
from events.shelves import CollectionCreated, CollectionDeleted, CollectionRestored
from events.tail import Cursor
from projections.catalogue import Anchor, Catalogue
from projections.packing import pack_catalogue, unpack_catalogue

HASH = "sha256:" + "ab" * 32
BLOB = Blob(hash=HASH, size=3, stored=HASH)


def recorded(*facts: Fact) -> list[Record]:
    """Facts as records, a second apart."""
    records: list[Record] = []
    head = GENESIS
    for seq, fact in enumerate(facts):
        at = f"2026-11-16T00:{seq // 60:02d}:{seq % 60:02d}.000000Z"
        lines, last = seal("catalogue", seq, at, 0, None, head, (fact,))
        records.append(Record(lines[0][:-1]))
        head = last
    return records


def after(*facts: Fact) -> Catalogue:
    records = recorded(*facts)
    catalogue = Catalogue()
    catalogue.fold(records, Cursor(0, len(records), records[-1].hash if records else GENESIS))
    return catalogue


def entered(task: str, **more: Any) -> TaskEntered:
    return TaskEntered(task=task, brief=BLOB, question=f"{task}?", researcher="corpus", **more)


def job(name: str, **more: Any) -> JobEntered:
    return JobEntered(job=name, collection="optics", manifest=BLOB, files=2, **more)


def published(document: str, version: str = "aa", **more: Any) -> SourcePublished:
    members: dict[str, Any] = {
        "document": document,
        "version": "sha256:" + version * 32,
        "collection": "optics",
        "locator": f"/library/{document}.md",
        "title": document,
        "media_type": "text/markdown",
        "original": BLOB,
        "text": BLOB,
        "segment": BLOB,
        "chunks": 2,
        "job": "j",
    }
    return SourcePublished(**(members | more))


SEALED = StreamSealed(target="a", seq=7, head=HASH, outcome="completed")


def test_tasks_and_jobs_are_kept_in_order_of_entry() -> None:
    catalogue = after(entered("b"), job("j"), entered("a"))
    assert catalogue.order == ["b", "a"]
    assert [entry.name for entry in catalogue.by_entry()] == ["b", "j", "a"]


def test_a_sealed_stream_has_its_outcome_and_its_end() -> None:
    entry = after(entered("a"), SEALED).tasks["a"]
    assert (entry.outcome, entry.end) == ("completed", Anchor(7, HASH))
    assert entry.ended_at == "2026-11-16T00:00:01.000000Z"


def test_a_quarantined_stream_has_a_reason_and_no_end() -> None:
    aside = StreamQuarantined(target="j", code="broken_chain", message="Line 3.")
    entry = after(job("j"), aside).jobs["j"]
    assert (entry.outcome, entry.end) == ("quarantined", None)
    assert (entry.code, entry.message) == ("broken_chain", "Line 3.")


def test_unfinished_is_what_was_entered_and_neither_sealed_nor_quarantined() -> None:
    aside = StreamQuarantined(target="b", code="x", message="y")
    catalogue = after(entered("a"), job("j"), entered("b"), entered("c"), SEALED, aside)
    assert catalogue.unfinished() == ["j", "c"]


def test_a_cancel_request_is_remembered_with_its_wish() -> None:
    entry = after(entered("a"), CancelRequested(target="a", save_partial=False)).tasks["a"]
    assert (entry.cancel_requested, entry.save_partial, entry.outcome) == (True, False, None)


def test_an_idempotency_key_leads_to_its_task_or_job() -> None:
    catalogue = after(entered("a", key="k1"), job("j", key="k2"), entered("b"))
    assert catalogue.keys == {"k1": "a", "k2": "j"}


def test_a_key_stays_with_the_first_that_had_it() -> None:
    assert after(entered("a", key="k"), entered("b", key="k")).keys == {"k": "a"}


def test_a_source_has_its_current_version_and_its_history() -> None:
    catalogue = after(published("sky", "aa"), published("sky", "bb"), published("sea", "cc"))
    assert [source.version[-2:] for source in catalogue.sources()] == ["bb", "cc"]
    first, second = catalogue.history["optics", "sky"]
    assert (first.ended_at, second.ended_at) == (second.published_at, None)


def test_a_removed_source_is_masked_and_its_history_stays() -> None:
    gone = SourceRemoved(document="sky", collection="optics")
    catalogue = after(published("sky"), published("sea"), gone)
    assert [source.document for source in catalogue.sources()] == ["sea"]
    assert catalogue.history["optics", "sky"][0].ended_at == "2026-11-16T00:00:02.000000Z"


def test_a_removed_source_can_come_back() -> None:
    gone = SourceRemoved(document="sky", collection="optics")
    catalogue = after(published("sky"), gone, published("sky"))
    assert [source.document for source in catalogue.sources()] == ["sky"]
    assert len(catalogue.history["optics", "sky"]) == 2


def test_a_document_is_another_source_in_another_collection() -> None:
    gone = SourceRemoved(document="sky", collection="optics")
    catalogue = after(published("sky"), published("sky", collection="art"), gone)
    assert [source.collection for source in catalogue.sources()] == ["art"]
    assert list(catalogue.sources("optics")) == []


def test_a_deleted_collection_takes_its_sources_along_until_it_is_restored() -> None:
    gone, back = CollectionDeleted(collection="optics"), CollectionRestored(collection="optics")
    held = published("sky"), published("sky", collection="art")
    deleted = unpack_catalogue(pack_catalogue(after(*held, gone)))
    assert [source.collection for source in deleted.sources()] == ["art"]
    assert deleted.is_deleted("optics")
    assert not deleted.is_deleted("art")
    restored = after(*held, gone, back)
    assert [source.collection for source in restored.sources()] == ["optics", "art"]


def test_the_same_bytes_read_anew_are_a_new_version() -> None:
    finer = Blob(hash="sha256:" + "ef" * 32, size=9, stored=HASH)
    catalogue = after(published("sky"), published("sky", segment=finer))
    assert [version.segment for version in catalogue.history["optics", "sky"]] == [HASH, finer.hash]


def test_the_same_version_in_other_words_is_listed_by_the_last_ones() -> None:
    catalogue = after(published("sky", job="j1"), published("sky", title="The Sky", job="j2"))
    [version] = catalogue.history["optics", "sky"]
    assert (version.title, version.job) == ("The Sky", "j1")
    assert (version.published_at, version.changed) == ("2026-11-16T00:00:00.000000Z", 2)


@pytest.mark.parametrize(
    ("reader", "text", "chunks"),
    [("markdown-2", "cd", 2), ("markdown-2", "ab", 7), (None, "cd", 7)],
)
def test_a_newer_reading_forgets_how_another_text_was_cut(
    reader: str | None, text: str, chunks: int
) -> None:
    cut = SegmentRebuilt(
        **{name: getattr(published("sky"), name) for name in ("document", "version", "collection")},
        generation="finer", text=BLOB, segment=BLOB, chunks=7, job="r",
    )  # fmt: skip
    switched = GenerationSwitched(generation="finer", embedder="x", job="r")
    anew = Blob(hash="sha256:" + text * 32, size=3, stored=HASH)
    read = published("sky", reader=reader, text=anew, generation="coarser")
    catalogue = after(published("sky"), cut, read, switched)
    assert [each.chunks for each in catalogue.sources()] == [chunks]


MANY: list[Fact] = [
    entered("a", key="k"), entered("b"), job("j"), SEALED, published("sky", "aa"),
    published("sky", "bb"), SourceRemoved(document="sky", collection="optics"),
    CollectionCreated(collection="optics"), CancelRequested(target="b"),
    CollectionCreated(collection="art", collection_type="project-specific", project="p"),
    StreamQuarantined(target="j", code="x", message="y"),
    StreamSealed(target="b", seq=2, head=HASH, outcome="failed"),
    CancelRequested(target="never entered"),
    StreamSealed(target="never entered", seq=2, head=HASH, outcome="failed"),
    UnknownFact.model_validate({"kind": "something_new", "target": "a"}),
    SegmentRebuilt(
        generation="g", document="sky", version="sha256:" + "aa" * 32, collection="optics",
        text=BLOB, segment=BLOB, chunks=3, job="r",
    ),
    GenerationSwitched(generation="g", embedder="x", job="r"),
]  # fmt: skip


@pytest.mark.parametrize("twice", MANY, ids=lambda fact: fact.kind)
def test_saying_it_twice_changes_nothing(twice: Fact) -> None:
    once, again = after(*MANY[:5], twice), after(*MANY[:5], twice, twice)
    again.cursor = once.cursor
    assert again == once


@given(st.lists(st.sampled_from(MANY), max_size=30), st.data())
def test_folding_in_parts_is_folding_at_once(facts: list[Fact], data: st.DataObject) -> None:
    records, whole = recorded(*facts), after(*facts)
    cut = data.draw(st.integers(0, len(records)))
    parts = Catalogue()
    parts.fold(records[:cut], Cursor(0, cut, records[cut - 1].hash if cut else GENESIS))
    parts.fold(records[cut:], whole.cursor)
    assert parts == whole


@given(st.lists(st.sampled_from(MANY), max_size=30))
def test_packing_loses_nothing(facts: list[Fact]) -> None:
    catalogue = after(*facts)
    unpacked = unpack_catalogue(pack_catalogue(catalogue))
    assert unpacked == catalogue
    assert list(unpacked.history) == list(catalogue.history)
    assert list(unpacked.tasks) == list(catalogue.tasks)
