"""What a Gemini report must not smuggle to whoever reads it: pictures, HTML, and claims beside true quotations."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.replay import replay
from actors.reports.excerpts import is_verbatim
from actors.reports.grounded_report import harmless
from actors.reports.report_rules import FIFTH, PRESENT
from contracts.rendering import to_html
from events.home import Home
from projections.views import Views
from tests.gemini_emulator import EXACT, GeminiEmulator
from tests.gemini_tasks import emulator, enter, facts, found, provider, run, world

__all__ = ["emulator", "provider"]

LIVE = [
    '<img src="https://evil.example/a">',
    '\\\\<img src="https://evil.example/a">',
    "![look](<https://evil.example/a b>)",
    "![look\nthere](https://evil.example/a)",
    "![look [here]](https://evil.example/a)",
    '![look](https://evil.example/a "there\n")',
    "![look][there]\n\n[there]: https://evil.example/a",
    "<script>alert(1)</script>",
    "<!-- a remark --><svg/onload=alert(1)>",
    # What only looks like the beginning or the end of code.
    "~~~ `\ncode\n~~~\n<img src=x>",
    " ```\n```\n<img src=x>",
    "- a\n  ```\n<img src=x>",
    "`open\n` <img src=x> `\n",
    "````!  |\n---\n> <img src=x>",
]


def _live(markdown: str) -> str:
    """What a viewer that takes everything makes of Markdown."""
    from markdown_it import MarkdownIt

    return str(MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown))


@pytest.mark.parametrize("hostile", LIVE)
def test_no_picture_and_no_html_of_any_form_is_live_in_a_report(hostile: str) -> None:
    before, after = _live(hostile), _live(harmless(hostile))
    assert "<img" in before or "<script" in before or "<svg" in before
    assert "<img" not in after and "<script" not in after and "<svg" not in after


@pytest.mark.timeout(30)
def test_no_line_of_blanks_behind_a_fence_holds_a_report_up() -> None:
    line = f"```{' ' * 400_000}!"
    assert harmless(f"{line}\n<img src=x>") == f"{line}\n\\<img src=x>"


def test_code_links_and_marks_of_a_report_stay_as_they_are() -> None:
    code = "```cpp\nstd::vector<int> all;\n````\n"
    kept = f"1 < 2, see [a study](https://a.example/b) [cite: 1]. ([2])\n\n{code}\n- and <"
    assert harmless(kept) == kept
    assert harmless("a `vector<int>`") == "a `vector\\<int>`", "as older records have it"
    assert "<code" in to_html(harmless(kept), set())


def test_code_within_a_line_is_shown_as_it_is() -> None:
    told = (
        "# `a<b>` and `` `<i>` ``\n\nUse `vector<int>` [cite: 1], not <b>:\n- `<div>` has `<p>`\n"
    )
    after = harmless(told, keeps_code=True)
    assert after == told.strip().replace("not <b>", "not \\<b>")
    shown = _live(after)
    assert "<code>&lt;div&gt;</code>" in shown and "<code>vector&lt;int&gt;</code>" in shown
    assert "<b>" not in shown and "\\" not in shown


HIDDEN = [
    "`open\n` <img src=x> `\n",
    "`a` \\` <img src=x> `",
    '[a](/b "`") <img src=x> `',
    "[a]: /b '`'\n\n[a] <img src=x>",
    "`a | <img src=x> | b`\n--- | --- | ---",
    "<i title='`'><img src=x>`",
    "https://a.example/`<img src=x>`",
    "a `b` ``c <img src=x> `d`",
    " ```\n```\n`<img src=x>`\n\n`<img src=x>",
]


@pytest.mark.parametrize("hostile", [*LIVE, *HIDDEN])
def test_nothing_is_live_that_only_looks_like_code_within_a_line(hostile: str) -> None:
    assert not re.search("<(?:img|script|svg|i) ", _live(harmless(hostile, keeps_code=True)))


PIECES = st.sampled_from(
    [
        *("`", "``", "```", "~~~", "<img src=x>", "![a](b)", "[a](", ")", "[a]:", "|", "\\", "<"),
        *(">", "\n", "\n\n", "\n---\n", "- ", "    ", "# ", "a", " ", "<!--", "-->", "<a b='"),
        *("'>", '"', "\t", "> "),
    ]
)


@settings(max_examples=600, deadline=None)
@given(st.lists(PIECES, max_size=24))
def test_whatever_is_written_nothing_is_live(pieces: list[str]) -> None:
    assert "<img" not in _live(harmless("".join(pieces), keeps_code=True))


def test_pictures_of_a_report_and_markup_of_its_sources_are_shown_as_words(
    home: Home, provider: GeminiEmulator
) -> None:
    said = "Old radiators are ![rarely](https://evil.example/q) a problem for a heat pump"
    provider.pages["opinion"] = f"<p>{said}, &lt;img src=https://evil.example/p&gt; says [7].</p>"
    provider.report = (
        f"# Heat pumps\n\n{EXACT} [cite: 1]. ![look][there]\n\n[there]: https://evil.example/r\n\n"
        "Old radiators are rarely a problem for a heat pump, it says [cite: 3]. <img src=x>\n"
    )
    task = enter(home)
    run(home, task, world(provider))
    report = Views(home).result(task).report
    assert "[7]" in found(home, task)["citations"][1]["raw_excerpt"], "the record keeps the words"
    live = _live(report)
    assert "<img" not in live and "<a href" not in live.partition("Passages")[2]
    assert replay(home, task).differences == []


# -- quotations ------------------------------------------------------------------------------------

STRETCHED = "The Moon has 900 heat pumps, as “The review finds that grid mix” shows"
TRUE = "The authors write that “heat pumps cut emissions by 60% in cold climates” in their study"


def test_words_that_are_quoted_truly_do_not_prove_what_is_said_besides(
    home: Home, provider: GeminiEmulator
) -> None:
    provider.report = f"{STRETCHED} [cite: 2]. {TRUE} [cite: 1].\n"
    task = enter(home)
    run(home, task, world(provider))
    told = found(home, task)
    assert told["grounding"]["outcomes"] == ["not_found", "supported"]
    assert any(gap["topic"] == f"{STRETCHED}." for gap in told["gaps"])
    assert told["citations"][-1]["raw_excerpt"] == f"{EXACT}.", "the whole sentence that is quoted"
    assert facts(home, task, "sentence_checked")[0]["support"] < 0.5
    assert replay(home, task).differences == []


def test_an_excerpt_that_is_shorter_than_its_passage_says_so(
    home: Home, provider: GeminiEmulator
) -> None:
    factors = " and ".join(f"factor {number} of houses near the river" for number in range(30))
    long = f"Heat pumps cut emissions by 60% because of {factors}"
    provider.pages["study"] = f"<p>{long}.</p>"
    provider.report = f"{long} [cite: 1].\n"
    task = enter(home)
    run(home, task, world(provider))
    (cited,) = found(home, task)["citations"]
    text = home.blobs.get_text(cited["text_hash"])
    assert cited["raw_excerpt"].endswith(" [...]") and len(cited["raw_excerpt"]) <= 500
    assert is_verbatim(cited["raw_excerpt"], text, cited["start"], cited["end"])
    assert found(home, task)["grounding"]["outcomes"] == ["supported"]
    assert replay(home, task).differences == []


def test_what_cites_nothing_lowers_the_confidence_and_is_a_gap_where_it_is_most(
    home: Home, provider: GeminiEmulator
) -> None:
    task = enter(home)
    provider.report = f"{EXACT} [cite: 1].\n"
    run(home, task, world(provider))
    checked, more = found(home, task), enter(home)
    villages = [f"The village number {number} has bought a pump." for number in range(9)]
    provider.report = f"{EXACT} [cite: 1]. {' '.join(villages)}\n"
    run(home, more, world(provider))
    told = found(home, more)
    assert told["confidence"] < 0.5 * checked["confidence"]
    assert [each["topic"] for each in checked["gaps"]] == []
    assert told["gaps"][0]["detail"].startswith(
        "9 of the 10 sentences of the report cite no source"
    )
    assert replay(home, more).differences == []


def test_by_older_rules_any_quotation_supports_its_sentence_and_html_stays(
    home: Home, provider: GeminiEmulator
) -> None:
    provider.report = f"{STRETCHED} [cite: 2]. <b>Bold</b>.\n"
    task = enter(home)
    run(home, task, world(provider), rules=FIFTH.name)
    told = found(home, task)
    assert told["grounding"]["outcomes"] == ["supported"]
    assert "<b>Bold</b>" in told["answer"]
    assert replay(home, task).differences == []
    assert PRESENT.weighs_quotations and PRESENT.shows_nothing_live
