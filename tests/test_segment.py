"""Segments: what goes in comes out, the same every time, and nothing else is taken for one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.segment import BadSegment, Segment, decode, encode

WORDS = st.dictionaries(st.text(max_size=8), st.integers(1, 2**32 - 1), max_size=6)


@st.composite
def segments(draw: st.DrawFn) -> Segment:
    size = draw(st.integers(0, 5))

    def each(values: st.SearchStrategy[object]) -> list[object]:
        return draw(st.lists(values, min_size=size, max_size=size))

    numbers = st.integers(0, 2**40)
    pages = st.integers(0, 5000)
    dimension = draw(st.integers(1, 8))
    seed = draw(st.integers(0, 99))
    vectors = np.random.default_rng(seed).normal(size=(size, dimension)).astype(np.float16)
    text = st.text(max_size=30)
    return Segment(
        chunker=draw(st.integers(1, 9)),
        analyser=draw(st.integers(1, 9)),
        ids=each(text),  # type: ignore[arg-type]
        starts=np.array(each(numbers), dtype=np.int64),
        ends=np.array(each(numbers), dtype=np.int64),
        headings=[tuple(path) for path in each(st.lists(text, max_size=3))],  # type: ignore[arg-type]
        content_types=each(text),  # type: ignore[arg-type]
        first_pages=np.array(each(pages), dtype=np.int32),
        last_pages=np.array(each(pages), dtype=np.int32),
        languages=each(text),  # type: ignore[arg-type]
        texts=each(text),  # type: ignore[arg-type]
        body_terms=each(WORDS),  # type: ignore[arg-type]
        heading_terms=each(WORDS),  # type: ignore[arg-type]
        vectors={"m": vectors},
        late={"m": each(st.binary(max_size=20))},  # type: ignore[dict-item]
    )


def same(one: Segment, other: Segment) -> bool:
    lists = ("ids", "headings", "content_types", "languages", "texts", "body_terms", "late")
    arrays = ("starts", "ends", "first_pages", "last_pages")
    return (
        all(getattr(one, name) == getattr(other, name) for name in (*lists, "heading_terms"))
        and all(np.array_equal(getattr(one, name), getattr(other, name)) for name in arrays)
        and one.models == other.models
        and all(np.array_equal(one.vectors[name], other.vectors[name]) for name in one.models)
        and (one.chunker, one.analyser) == (other.chunker, other.analyser)
    )


@settings(deadline=None)
@given(segments())
def test_what_goes_in_comes_out_and_gives_the_same_bytes_again(segment: Segment) -> None:
    raw = encode(segment)
    assert same(decode(raw), segment)
    assert encode(decode(raw)) == raw


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_other_bytes_are_refused(raw: bytes) -> None:
    with pytest.raises(BadSegment):
        decode(raw)


@settings(deadline=None)
@given(segments(), st.data())
def test_damaged_bytes_are_refused_or_read_without_harm(
    segment: Segment, data: st.DataObject
) -> None:
    raw = bytearray(encode(segment))
    place = data.draw(st.integers(0, len(raw) - 1))
    raw[place] ^= data.draw(st.integers(1, 255))
    try:
        decode(bytes(raw))
    except BadSegment:
        return
