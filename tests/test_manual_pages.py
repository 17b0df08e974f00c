"""Pages of manuals: no word of a sentence gets lost, and headings stand over what is theirs."""

from typing import Any

import trafilatura

from actors.adapters.html.page_layout import as_seen
from actors.adapters.html.reader import parse_html
from actors.ingesting.chunking import chunk

STEPS = [
    "Open the cover on the left side of the machine and wait for the lamp to turn green.",
    "Pull the blue lever towards you until you hear that it has locked in its place.",
    "Take the old filter out with both hands, and put it into the bag that came with the new one.",
    "Push the new filter in as far as it will go, and turn the lever back to where it was.",
]
INTRODUCTION = (
    "The filter has to be changed twice a year, or sooner where the machine stands in a room with"
    " much dust. Whoever changes it needs no tools, and it takes no more than some minutes."
)
CLOSING = "The lamp shows white light again as soon as the machine has found its new filter."


def page(body: str, title: str = "Changing the filter") -> bytes:
    return (
        f"<html><head><title>{title}</title></head><body>"
        f'<div class="navheader"><a href="a.html">Prev</a> <a href="b.html">Next</a></div>{body}'
        '<div class="navfooter"><a href="a.html">Prev</a> <a href="b.html">Next</a></div></body></html>'
    ).encode()


def read(body: str, title: str = "Changing the filter") -> str:
    return parse_html("manual.html", page(body, title)).text


def test_the_name_of_a_menu_in_a_sentence_is_a_word_of_it() -> None:
    text = read(
        f"<h1>Changing the filter</h1><p>{INTRODUCTION}</p>"
        '<p>Choose <span class="menuitem">Service</span> → <span class="guimenu"><em>Change the filter</em></span>'
        ' in the display, and <span id="menu2">Confirm</span> what it asks you then.</p>'
        f"<p>{CLOSING}</p>"
    )
    said = "Choose Service → Change the filter in the display, and Confirm what it asks you then."
    assert text.count(said) == 1
    assert text.count("in the display") == 1


def test_a_heading_stands_before_a_list_whose_items_are_read_as_paragraphs() -> None:
    items = "".join(f"<li><p>{each}</p></li>" for each in STEPS)
    text = read(
        f"<h1>Changing the filter</h1><h2>When to do it</h2><p>{INTRODUCTION}</p>"
        f"<h2>How to do it</h2><ol>{items}</ol><p>{CLOSING}</p>"
    )
    places = [text.index(each) for each in (INTRODUCTION, "How to do it", *STEPS, CLOSING)]
    assert places == sorted(places)
    assert all(text.count(each) == 1 for each in STEPS)


def test_sections_in_the_items_of_a_list_keep_their_headings() -> None:
    names = ("filterOfMachine", "leverOfMachine", "coverOfMachine", "lampOfMachine")
    details = "".join(
        f'<li><section class="detail"><h3>{name}</h3><div class="signature"><span>public</span>&nbsp;{name}()</div>'
        f'<div class="block">{each} It gives back the <code>{name}</code>.</div>'
        f"<dl><dt>Returns:</dt><dd>what it is called on</dd></dl></section></li>"
        for name, each in zip(names, STEPS, strict=True)
    )
    body = (
        f'<main role="main"><h1>Class Machine</h1><section class="description"><div>{INTRODUCTION}</div></section>'
        '<section class="details"><ul class="details-list"><li><section class="method-details">'
        f'<h2>Methods in detail</h2><ul class="member-list">{details}</ul></section></li></ul></section></main>'
    )
    parsed = parse_html("Machine.html", page(body, "Machine"))
    headings = [block.title for block in parsed.blocks if block.kind == "heading"]
    assert headings == ["Class Machine", "Methods in detail", *names]
    first = parsed.text.index(STEPS[0])
    assert (
        parsed.text.index("### filterOfMachine") < first < parsed.text.index("### leverOfMachine")
    )


def test_a_division_that_is_a_sentence_is_a_paragraph() -> None:
    tree: Any = trafilatura.load_html(
        f"<body><div id='a'>The bag (from the <span>bags</span> box) is for the dust.</div><div id='b'>{INTRODUCTION}"
        "<ul><li>x</li></ul></div><div id='c'>See <a href='/a'>Changing the old filter</a> and more</div></body>"
    )
    as_seen(tree)
    tags = {element.get("id"): element.tag for element in tree.iter() if element.get("id")}
    assert tags == {"a": "p", "b": "div", "c": "div"}


def test_a_page_of_several_highest_headings_is_called_by_its_title() -> None:
    sections = "".join(
        f"<h1>{number}. {name}</h1><p>{each}</p><p>{INTRODUCTION}</p>"
        for number, (name, each) in enumerate(
            zip(("Summary", "Background", "The lever"), STEPS, strict=False), 1
        )
    )
    assert parse_html("filter.html", page(sections)).title == "Changing the filter"
    one = f"<h1>Summary</h1><p>{INTRODUCTION}</p><p>{CLOSING}</p>"
    assert parse_html("filter.html", page(one, "A site")).title == "Summary"


def test_the_mark_that_links_to_a_line_is_no_part_of_it() -> None:
    link = '<a class="headerlink" href="#open" title="Permalink">¶</a>'
    text = read(
        f"<h1>Changing the filter</h1><p>{INTRODUCTION}{link}</p><p id='open'>{STEPS[0]}{link}</p>"
        f"<p>By § 12 it is yours. {CLOSING}</p>"
    )
    assert STEPS[0] in text
    assert "¶" not in text
    assert "§ 12" in text


def test_a_term_stands_before_what_explains_it() -> None:
    for number in (1, 2, 4):
        for wrapped in (True, False):
            terms = "".join(
                f"<dt><code>--{name}</code></dt><dd>{f'<p>{each}</p>' if wrapped else each}</dd>"
                for name, each in list(
                    zip(("cover", "lever", "filter", "push"), STEPS, strict=True)
                )[:number]
            )
            text = read(
                f"<h1>Changing the filter</h1><p>{INTRODUCTION}</p><dl>{terms}</dl><p>{CLOSING}</p>"
            )
            for name, each in list(zip(("cover", "lever", "filter", "push"), STEPS, strict=True))[
                :number
            ]:
                assert text.index(f"--{name}") < text.index(each) < text.index(CLOSING)
                assert text.count(each) == text.count(f"--{name}") == 1


def test_a_remark_in_a_box_heads_nothing_behind_it() -> None:
    parsed = parse_html(
        "manual.html",
        page(
            f"<h2>Filters</h2><p>{INTRODUCTION}</p><h4>The old filter</h4><p>{STEPS[2]}</p>"
            f'<div class="note"><h3 class="title">Note</h3><p>{CLOSING}</p></div>'
            f"<h4>The new filter</h4><p>{STEPS[3]}</p>"
        ),
    )
    chunks = {
        parsed.text[each.start : each.end]: each.headings
        for each in chunk(parsed.text, parsed.blocks)
    }
    assert chunks[STEPS[3]] == ("Filters", "The new filter")
    assert any(CLOSING in each for each in chunks)
