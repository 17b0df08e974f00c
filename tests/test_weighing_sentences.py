"""Which sentences are found to answer a question, and which are not."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.answering.candidates import Candidate
from actors.answering.questions import plan
from actors.answering.relevance import Judge
from actors.answering.terms import Terms, Token
from tests.corpus_shelf import SAMPLES, MeaningShelf, Shelf, ask, candidates_of


@pytest.fixture
def shelf() -> Shelf:
    return Shelf(SAMPLES)


def test_what_is_largest_of_all_comes_before_what_is_largest_at_one_place(shelf: Shelf) -> None:
    answer = ask(shelf, "Where is the tidal range largest?").answer
    before, found, _ = answer.partition("Bay of Fundy")
    assert found and "tidal range at La Rance" not in before


def test_how_something_is_done_is_told_by_a_page_on_ways_of_doing_it(shelf: Shelf) -> None:
    answer = ask(shelf, "How do tides generate electricity?").answer
    assert "the turbines run while the sea falls" in answer


def test_why_something_is_so_is_told_for_all_before_one_case(shelf: Shelf) -> None:
    found = ask(shelf, "Why are there two tides a day?")
    said = [each.raw_excerpt for each in found.citations]
    assert said[0].startswith("The Earth turns under the two bulges once a day")
    assert not any("Tahiti" in each or "age of the tide" in each for each in said)


def test_what_is_largest_is_of_the_kind_that_is_asked_for(shelf: Shelf) -> None:
    answer = ask(shelf, "Where is the tidal range largest?").answer
    assert "Bay of Fundy" in answer and "254 megawatts" not in answer


def test_how_much_is_told_by_a_figure_or_not_at_all() -> None:
    told = "Kereon Lighthouse stands in the Fromveur Passage, close to Ushant."
    desk = Shelf({"kereon.md": f"# Kereon\n\n{told}"})
    assert ask(desk, "How deep is the Fromveur Passage?").citations == ()
    assert ask(desk, "Where is the Fromveur Passage?").citations[0].raw_excerpt == told


def test_what_something_is_known_for_is_no_definition() -> None:
    known = "It is known for its bootleg spirit."
    desk = Shelf({"kitee.md": f"# Kitee\n\nKitee is a town in North Karelia, Finland. {known}"})
    assert ask(desk, "What is Kitee known for?").citations[0].raw_excerpt == known


def test_on_its_own_page_a_thing_need_not_be_named_again() -> None:
    told = "The picture was directed by Robert Ham."
    pages = {
        "crowns.md": f"# Hearts and Crowns\n\nHearts and Crowns is a 1949 British film. {told}",
        "ham.md": "# Robert Ham\n\nRobert Ham was a film director, known for Hearts and Crowns. He died of fever.",
    }
    found = ask(
        Shelf(pages), "What is the cause of death of the director of film Hearts And Crowns?"
    )
    assert [each.raw_excerpt for each in found.citations] == [told, "He died of fever."]


def test_whose_something_is_tells_not_who_it_is() -> None:
    told = "She was the daughter of the teacher Emil Wick."
    text = f"Clara Lind was a pianist. In 1840 she married Otto Lind, against her father's wishes. {told}"
    found = ask(Shelf({"clara.md": f"# Clara Lind\n\n{text}"}), "Who is the father of Clara Lind?")
    assert found.citations[0].raw_excerpt == told


def test_a_name_alone_does_not_answer_what_is_asked_of_it() -> None:
    station = "La Rance generates about 500 GWh a year, the consumption of 225,000 people."
    desk = MeaningShelf({"rance.md": f"# La Rance\n\n{station}\n"})
    findings = ask(desk, "How many engineers does La Rance employ?")
    assert findings.citations == ()
    assert ask(desk, "How much does La Rance generate?").citations[0].raw_excerpt == station


class Counted(list[Candidate]):
    """Sentences that count how often all of them are looked through."""

    looks = 0

    def __iter__(self) -> Iterator[Candidate]:
        self.looks += 1
        return super().__iter__()


def test_all_that_was_read_is_looked_through_no_oftener_for_more_sentences() -> None:
    looks: list[int] = []
    for count in (5, 50):
        text = " ".join(f"Town{n} tides rise because the moon pulls." for n in range(count))
        pool = Counted(candidates_of(text))
        [part] = plan("Why do tides rise?", "", Terms())
        assert len(Judge(pool, [part]).rank(part, [])) == count
        looks.append(pool.looks)
    assert looks[0] == looks[1]


@given(
    text=st.text(
        st.sampled_from("the Rance's 3.5 20th 240,000 tide ’S 潮の汐 タイド 。.a,é"), max_size=60
    ),
    data=st.data(),
)
def test_terms_of_a_beginning_are_those_of_the_text_cut_there(
    text: str, data: st.DataObject
) -> None:
    length = data.draw(st.integers(0, len(text)))
    assert Terms().of_beginning(text, length) == Terms().of(text[:length])


def test_a_paragraph_of_many_sentences_is_looked_through_a_few_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    paragraph = " ".join(f"Station number{each} has {each} turbines." for each in range(400))
    looked = 0
    tokens = Terms.tokens

    def counted(self: Terms, text: str) -> list[Token]:
        nonlocal looked
        looked += len(text)
        return tokens(self, text)

    monkeypatch.setattr(Terms, "tokens", counted)
    *_, last = candidates_of(f"# Stations\n\n{paragraph}")
    assert {"number397", "397"} <= last.earlier
    assert not {"number398", "number399"} & last.earlier
    assert looked < 10 * len(paragraph)
