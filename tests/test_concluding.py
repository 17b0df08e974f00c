"""What follows from quotations is said where they settle it, as an inference, and not where they do not."""

import pytest

from actors.answering.agreeing import agreement
from actors.answering.comparing import ToldSide
from actors.answering.dating import Event, told
from actors.answering.ordering import ordered, ordering_of
from actors.answering.rules import SECOND
from actors.answering.terms import Terms
from actors.findings import Findings
from actors.kinds.corpus import research
from actors.merging.claims import merge
from actors.merging.contributions import Contribution
from actors.reports.report import render_report
from events.catalogue import Brief
from tests.corpus_shelf import Shelf, ask, candidates_of

PAGES = {
    "Ada Novak": "Ada Novak (3 May 1901 – 2 June 1980) was a Polish director. She attended Yale College.",
    "Emil Brandt": "Emil Brandt (born 7 May 1901) is a German actor. He graduated from Yale College in 1922.",
    "Rosa Lind": "Rosa Lind (12 March 1899 – 1 June 1980) was a German actress. She studied in Riga.",
    "Otto Beck": "Otto Beck (c. 1890 – 1950) was a German-born Polish painter.",
    "The Mill": "The Mill is a 1950 Polish comedy film directed by Ada Novak and starring Emil Brandt.",
    "The Ferry": "The Ferry is a 1961 German film directed by Emil Brandt.",
    "The Weir": "The Weir is a 1955 Polish film directed by Ada Novak.",
    "Mount Arn": "Mount Arn is a mountain in Norland. Its summit is 2,085 m high.",
    "Mount Bel": "Mount Bel is a mountain in Norland. It rises to a height of 2.3 km.",
    "Arn Museum": "The Arn Museum is a museum in Velden, Norland. It was founded in 1901 by Ada Novak.",
    "Bel Museum": "The Bel Museum is an art museum in Velden, Norland. It was founded on 4 July 1899.",
}
DESK = {f"{title}.md": f"# {title}\n\n{text}" for title, text in PAGES.items()}


def inferred(found: Findings) -> list[str]:
    return [each.text for each in found.sentences if not each.citations]


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("Who was born first, Ada Novak or Rosa Lind?", "Rosa Lind: 12 March 1899"),
        ("Who was born later, Ada Novak or Emil Brandt?", "Emil Brandt: 7 May 1901"),
        ("Who is older, Rosa Lind or Emil Brandt?", "Rosa Lind: 12 March 1899"),
        ("Of Rosa Lind and Emil Brandt, who is younger?", "Emil Brandt: 7 May 1901"),
        ("Who died earlier, Ada Novak or Rosa Lind?", "Rosa Lind: 1 June 1980"),
        ("Who lived longer, Ada Novak or Rosa Lind?", "Rosa Lind: 12 March 1899 to"),
        ("Is Rosa Lind older than Ada Novak?", "Yes: 12 March 1899 for Rosa Lind"),
        ("Did Ada Novak die before Rosa Lind?", "No: 2 June 1980 for Ada Novak"),
        ("Which film was released first, The Ferry or The Mill?", "The Mill: 1950"),
        ("Which film has the director who was born later, The Ferry or The Mill?", "The Ferry:"),
        ("Which museum was founded first, Arn Museum or Bel Museum?", "Bel Museum: 4 July 1899"),
        ("Which mountain is higher, Mount Arn or Mount Bel?", "Mount Bel: 2.3 km"),
        ("Are Emil Brandt and Rosa Lind of the same nationality?", "Yes: German"),
        ("Are Ada Novak and Rosa Lind from the same country?", "No: Polish and German"),
        ("Are The Mill and The Weir both Polish films?", "Yes: Polish films"),
        ("Are The Mill and The Ferry both Polish films?", "No: one is German"),
        ("Do The Mill and The Weir have the same director?", "Yes: Ada Novak"),
        ("Do The Mill and The Ferry have the same director?", "No: Ada Novak; Emil Brandt"),
        ("Did Ada Novak and Emil Brandt attend the same college?", "Yes: Yale College"),
        ("Are Arn Museum and Bel Museum located in the same city?", "Yes: Velden"),
    ],
)
def test_what_the_quotations_settle_is_said_as_an_inference(question: str, verdict: str) -> None:
    found = ask(Shelf(DESK), question)
    [said] = inferred(found)
    assert said.startswith(verdict)
    assert found.answer.startswith(f"{said} [inference]\n\n**")
    assert len(found.citations) >= 2


@pytest.mark.parametrize(
    "question",
    [
        "Who was born first, Ada Novak or Otto Beck?",  # "c. 1890" is no date.
        "Who died first, Ada Novak or Emil Brandt?",  # One of them is not said to have died.
        "Are Otto Beck and Ada Novak of the same nationality?",  # German-born, Polish.
        "Did Ada Novak and Rosa Lind attend the same college?",  # Of one, no college is told.
        "Are Ada Novak and Emil Brandt both painters?",  # That it is not told makes no no.
        "Who is Ada Novak?",
    ],
)
def test_what_they_leave_open_is_not_said(question: str) -> None:
    found = ask(Shelf(DESK), question)
    assert inferred(found) == [] and "[inference]" not in found.answer


def test_nothing_follows_from_figures_that_sources_dispute() -> None:
    other = {"other.md": "# Notes\n\nThe summit of Mount Arn is 2,985 m high, by a new survey."}
    found = ask(Shelf(DESK | other), "Which mountain is higher, Mount Arn or Mount Bel?")
    if found.confidence_factors.contradiction_detected:
        assert inferred(found) == []


def test_older_rules_draw_no_conclusions() -> None:
    question = "Who was born first, Ada Novak or Rosa Lind?"
    then = research(Brief(question=question), question, Shelf(DESK), SECOND.model)
    assert inferred(then) == [] and "[inference]" not in then.answer


def test_an_inference_comes_first_in_a_report_and_is_marked() -> None:
    question = "Who was born first, Ada Novak or Rosa Lind?"
    report = render_report(question, ask(Shelf(DESK), question))
    summary = report.partition("## Summary")[2].partition("## Findings")[0].strip()
    assert summary.startswith("Rosa Lind: 12 March 1899, against 3 May 1901 for Ada Novak. [infer")


def test_an_inference_stays_when_others_add_to_an_answer() -> None:
    question = "Who was born first, Ada Novak or Rosa Lind?"
    desk = Shelf(DESK)
    lead, other = ask(desk, question), ask(desk, "What is Mount Arn?")
    both = [Contribution("corpus", question, lead), Contribution("corpus", "Mount Arn", other)]
    merged = merge(question, both, desk.text)
    assert merged.answer.startswith(f"{inferred(lead)[0]} [inference]") and "Mount" in merged.answer


@pytest.mark.parametrize(
    ("event", "sentence", "date"),
    [
        (
            "birth",
            "A B (née C; 13 September 1819 – 20 May 1896) was a pianist.",
            "13 September 1819",
        ),
        ("death", "A B (née C; 13 September 1819 – 20 May 1896) was a pianist.", "20 May 1896"),
        ("birth", "A B, CQ (born December 27, 1948) is an actor.", "December 27, 1948"),
        ("birth", "He was born in Leeds on 4 May 1901 and raised in York.", "4 May 1901"),
        ("birth", "A B (born c. 1890) is a painter.", None),
        ("birth", "A B (63 BC – 14 AD) was a ruler.", None),
        ("death", "He died of pneumonia in London in 1933.", "1933"),
        ("release", "F is a 1949 British comedy film based on a novel published in 1947.", "1949"),
        ("release", "It was released on September 26, 1995 by a label.", "September 26, 1995"),
        ("founding", "Founded in 1844 by a priest, it was the sister school of M.", "1844"),
        ("founding", "M (1844–1846) was an American periodical.", "1844"),
        ("founding", "It was founded in 1844 and opened in 1846.", None),
        ("birth", "He was born around 1890 in Leeds.", None),
        ("birth", "He was probably born in 1890.", None),
        ("birth", "He was born in 1890 or 1891.", None),
        ("death", "He died in Rome in 430 BC.", None),
        ("founding", "The city was founded in 753 BCE by a shepherd.", None),
        ("death", "He died after a short illness on 4 May 1933.", "4 May 1933"),
    ],
)
def test_a_date_is_read_where_it_stands_plainly(
    event: Event, sentence: str, date: str | None
) -> None:
    when = told(event, sentence, opens=True)
    assert (when.shown if when else None) == date


def sides(one: str, other: str) -> list[ToldSide]:
    told = {"A": one, "B": other}
    return [ToldSide(thing, "", candidates_of(text)) for thing, text in told.items()]


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ("It has 5 million inhabitants.", "It has 80,000 inhabitants.", None),
        ("It has 12 thousand registered inhabitants.", "It has 800 inhabitants.", None),
        ("It has a population of 12.3 million.", "It has 800 inhabitants.", None),
        ("It has a population of 1500 million.", "It has 800 inhabitants.", None),
        ("It had in 1990, for some residents, a school.", "It has 800 inhabitants.", None),
        ("It has 5,000 permanent inhabitants.", "It has 800 inhabitants.", "A: 5,000, against 800"),
        ("It has a population of 5,000.", "It has 800 inhabitants.", "A: 5,000, against 800"),
    ],
)
def test_what_is_counted_in_millions_is_no_small_number(
    one: str, other: str, said: str | None
) -> None:
    asked = ordering_of("has more inhabitants")
    assert asked
    found = ordered(asked, sides(one, other), Terms())
    assert (found or "").startswith(said or "") and bool(found) == bool(said)


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ("A (1900 – 1 May 1980) was a poet.", "B (2 June 1900 – 1979) was a poet.", None),
        (
            "A (3 May 1900 – 1981) was a poet.",
            "B (1 May 1900 – 2 May 1979) was a poet.",
            "A: 3 May",
        ),
        ("A (3 May 1900 – 1980) was a poet.", "B (1 May 1900 – 2 May 1979) was a poet.", None),
        ("A (1900 – 1980) was a poet.", "B (1900 – 1979) was a poet.", None),
        ("A (1900 – 1980) was a poet.", "B (1900 – 1978) was a poet.", "A: 1900 to 1980"),
        (
            "A (3 May 1900 – 4 May 1980) was a poet.",
            "B (3 May 1900 – 2 May 1980) was a poet.",
            "A: 3 May",
        ),
    ],
)
def test_who_lived_longer_is_not_told_by_birthdays_that_are_not_known(
    one: str, other: str, said: str | None
) -> None:
    asked = ordering_of("lived longer")
    assert asked
    found = ordered(asked, sides(one, other), Terms())
    assert (found or "").startswith(said or "") and bool(found) == bool(said)


@pytest.mark.parametrize(
    ("aspect", "one", "other", "said"),
    [
        (
            "same author",
            "It was written by J. R. R. Tolkien.",
            "It was written by J. K. Rowling.",
            "No: J. R. R. Tolkien; J. K. Rowling.",
        ),
        (
            "same author",
            "It was written by J. R. R. Tolkien.",
            "It was written by J. R. R. Tolkien in 1937.",
            "Yes: J. R. R. Tolkien in both cases.",
        ),
        (
            "same author",
            "It was written by Dr. Seuss.",
            "It was written by Dr. Spock.",
            "No: Dr. Seuss; Dr. Spock.",
        ),
        (
            "same director",
            "It was directed by Steven Spielberg.",
            "It was directed by Spielberg.",
            None,
        ),
        (
            "same city",
            "It is a museum in Norland.",
            "It is a park in Norland.",
            None,
        ),
        (
            "same state",
            "It is a town in Velden, Norland.",
            "It is a park in Velden, Norland.",
            None,
        ),
        (
            "same town",
            "It is a museum in Velden, Norland.",
            "It is a park in Velden, Norland.",
            "Yes: Velden in both cases.",
        ),
    ],
)
def test_names_and_places_are_compared_whole(
    aspect: str, one: str, other: str, said: str | None
) -> None:
    assert agreement(aspect, sides(one, other)) == said
