"""The table of contents of a plain text: found by nobody, and what it names are headings."""

from actors.ingesting.chunking import chunk
from actors.ingesting.parsing import AnyParser
from actors.ports import Parsed

PARSER = AnyParser()

MANUAL = """
                  The Harbour Manual

Copyright 2021 The Harbour Office

Table of Contents

1. Arriving by sea
    1.1. Where may I moor a boat of more than
    twelve metres?
    1.2. What does a night cost?
2. Arriving by land
3. Leaving

Chapter 1. Arriving by sea

1.1. Where may I moor a boat of more than twelve
metres?

    Only at the northern pier.

1.2. What does a night cost?

    A night costs 14 crowns.
    In winter it costs 9.

Chapter 2. Arriving by land

    Cars stay behind the gate. Leaving is free.

Chapter 3. Leaving

    Tell the harbour master.
"""


def read(text: str, name: str = "manual.txt") -> Parsed:
    return PARSER.parse(name, text.encode())


def headings(parsed: Parsed) -> list[tuple[int, str]]:
    return [(block.level, block.title) for block in parsed.blocks if block.kind == "heading"]


def test_a_table_of_contents_is_in_no_chunk() -> None:
    parsed = read(MANUAL)
    chunks = chunk(parsed.text, parsed.blocks)
    said = "\n".join(parsed.text[each.start : each.end] for each in chunks)
    assert "Table of Contents" not in said
    assert said.count("What does a night cost?") == 0
    assert "A night costs 14 crowns." in said
    assert parsed.text == MANUAL


def test_what_contents_name_are_headings_also_over_two_lines() -> None:
    parsed = read(MANUAL)
    assert headings(parsed) == [
        (1, "The Harbour Manual"),
        (2, "Chapter 1. Arriving by sea"),
        (3, "1.1. Where may I moor a boat of more than twelve metres?"),
        (3, "1.2. What does a night cost?"),
        (2, "Chapter 2. Arriving by land"),
        (2, "Chapter 3. Leaving"),
    ]
    assert parsed.title == "The Harbour Manual"
    costs = next(
        each
        for each in chunk(parsed.text, parsed.blocks)
        if "14 crowns" in parsed.text[each.start : each.end]
    )
    assert costs.headings[-1] == "1.2. What does a night cost?"


def test_contents_with_pages_and_chapters_that_look_like_items_are_understood() -> None:
    text = (
        "Network Working Group               A. Bee\n"
        "Category: Informational           May 1999\n\n"
        "Table of Contents\n\n"
        "   1. Introduction ................. 2\n"
        "   2. Terms ........................ 2\n"
        "   3. Security Considerations ...... 3\n\n"
        "1. Introduction\n\n   Boats carry mail.\n\n"
        "2. Terms\n\n   A boat is a vessel.\n\n"
        "3. Security Considerations\n\n   Boats sink.\n"
    )
    parsed = read(text, "rfc0001.txt")
    assert headings(parsed) == [
        (2, "1. Introduction"),
        (2, "2. Terms"),
        (2, "3. Security Considerations"),
    ]
    assert parsed.title == "rfc0001"
    kinds = [block.kind for block in parsed.blocks]
    assert kinds.count("aside") == 1
    assert kinds.count("list") == 0


def test_a_list_under_the_word_contents_that_does_not_come_again_is_text() -> None:
    parcel = "Contents\n\n1. Two ropes\n2. A lamp\n3. Oil\n4. A map\n\nSend it back if anything is broken.\n"
    parsed = read(parcel, "parcel.txt")
    assert "aside" not in {block.kind for block in parsed.blocks}
    summary = (
        "Contents\n\nSummary\n\nThe pier is old. It was built of oak, and worms have been at it since.\n"
        "Nobody knows how long it will hold. We went there twice and measured.\n\n"
        "Summary\n\nIt must be built anew.\n"
    )
    assert "aside" not in {block.kind for block in read(summary, "pier.txt").blocks}
