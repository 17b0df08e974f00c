"""Questions that lead from page to page, and questions that compare."""

import pytest

from actors.answering.following import _in_full
from events.research import SourceRead, StepTaken
from tests.corpus_shelf import SAMPLES, Shelf, ask, categories


@pytest.fixture
def shelf() -> Shelf:
    return Shelf(SAMPLES)


FILMS = {
    "mill.md": "# The Mill\n\nThe Mill is a 1950 film directed by Ada Novak and starring Emil Brandt.",
    "novak.md": "# Ada Novak\n\nAda Novak is a Polish director. She is the daughter of Olga Novak.",
    "brandt.md": "# Emil Brandt\n\nEmil Brandt is an actor. He is the son of Rosa Brandt.",
    "ferry.md": "# The Ferry\n\nThe Ferry is a 1961 film directed by Emil Brandt.",
}


def test_a_name_is_followed_to_its_page() -> None:
    desk = Shelf(FILMS)
    found = ask(desk, "Who is the mother of the director of film The Mill?")
    assert [each.locator for each in found.citations] == ["mill.md", "novak.md"]
    assert found.citations[1].raw_excerpt == "She is the daughter of Olga Novak."
    assert not found.gaps


def test_the_steps_of_a_question_are_in_the_record() -> None:
    desk = Shelf(FILMS)
    ask(desk, "Who is the mother of the director of film The Mill?")
    plan_of_it = desk.noted(StepTaken)[0].decision
    assert plan_of_it.endswith("director of The Mill → Who is the mother of")


def test_a_page_that_was_not_found_at_first_is_searched_for_by_its_name() -> None:
    crowd = {
        f"{n}.md": f"# Guild {n}\n\nA director meets a director here, in hall {n}."
        for n in range(30)
    }
    desk = Shelf(FILMS | crowd)
    question = "Who is the mother of the director of film The Mill?"
    found = ask(desk, question, depth="shallow")
    assert desk.queries[0] == "director of The Mill" and desk.queries[1].startswith("Ada Novak")
    reasons = [each.decision for each in desk.noted(StepTaken) if each.action == "search_corpus"]
    assert reasons[1].startswith("“The Mill” leads to Ada Novak")
    assert "Olga Novak" in found.answer


def test_both_sides_of_a_comparison_are_quoted() -> None:
    found = ask(Shelf(FILMS), "Which film came out first, The Mill or The Ferry?")
    assert sorted(each.locator for each in found.citations) == ["ferry.md", "mill.md"]
    assert "1950" in found.answer and "1961" in found.answer


def test_room_is_kept_for_the_sources_of_later_steps() -> None:
    crowd = {
        f"{n}.md": f"# Film {n}\n\nFilm {n} is a 1950 film directed by somebody." for n in range(20)
    }
    desk = Shelf(FILMS | crowd)
    question = "Who is the mother of the director of film The Mill?"
    found = ask(desk, question, constraints={"max_sources": 4})
    assert "Olga Novak" in found.answer
    assert len(desk.noted(SourceRead)) <= 4


HARBOUR = {
    "harbour.md": "# Silver Harbour\n\nSilver Harbour is a 1950 film directed by Otto Lindt.",
    "lindt.md": "# Otto Lindt\n\nOtto Lindt was a German director. He married Mary Stone in 1931.",
}
IN_LAWS = {
    "mary.md": "# Mary Stone\n\nMary Stone was a painter. She was the daughter of Karl Stone.",
    "karl.md": "# Karl Stone\n\nKarl Stone was a baker. He was born in Riga.",
}
FOUR_STEPS = "Where was the father of the wife of the director of the film Silver Harbour born?"


@pytest.mark.parametrize(
    ("searches", "category"), [(5, "source_not_found"), (1, "budget_exhausted")]
)
def test_a_chain_that_breaks_off_is_quoted_and_leaves_a_gap(searches: int, category: str) -> None:
    limits = {"max_iterations": searches}
    broken = ask(Shelf(HARBOUR | FILMS), FOUR_STEPS, constraints=limits)
    assert [each.locator for each in broken.citations] == ["harbour.md", "lindt.md"]
    [gap] = broken.gaps
    assert gap.category == category and gap.topic.startswith("father of → Where was born")
    assert "“Otto Lindt”" in gap.detail
    assert broken.budget_exhausted is (category == "budget_exhausted")
    whole = ask(Shelf(HARBOUR | IN_LAWS), FOUR_STEPS)
    assert not whole.gaps and whole.confidence > 2 * broken.confidence
    shares = [each.confidence_factors.query_specificity_match for each in (whole, broken)]
    assert shares[0] > 2 * shares[1]


def test_who_the_father_is_does_not_say_who_the_grandfather_is() -> None:
    pages = {"lindt.md": "# Otto Lindt\n\nOtto Lindt is a clerk. His father was Emil Lindt."}
    found = ask(Shelf(pages), "Who is Otto Lindt's paternal grandfather?")
    assert [each.raw_excerpt for each in found.citations] == ["His father was Emil Lindt."]
    assert categories(found) == ["source_not_found"] and found.confidence < 0.4


def test_the_end_of_a_long_chain_is_quoted_however_little_is_to_be_quoted() -> None:
    found = ask(Shelf(HARBOUR | IN_LAWS), FOUR_STEPS, depth="shallow")
    assert [each.locator for each in found.citations] == [
        "harbour.md",
        "lindt.md",
        "mary.md",
        "karl.md",
    ]
    assert not found.gaps


def test_every_part_is_quoted_for_however_little_is_to_be_quoted() -> None:
    question = "Who directed The Mill? Who directed The Ferry? "
    question += "Who is the mother of Ada Novak? Who is the mother of Emil Brandt?"
    found = ask(Shelf(FILMS), question, depth="shallow")
    assert len(found.parts) == 4 and {each.about for each in found.sentences} == set(found.parts)
    assert not found.gaps


def test_a_namesake_is_passed_over_for_the_one_that_is_meant() -> None:
    smith = "# John Smith ({})\n\nJohn Smith was a {}. {}"
    pages = {
        "a.md": smith.format("footballer", "footballer", "He was born in Leeds."),
        "lane.md": "# The Lane\n\nThe Lane is a 1950 film directed by John Smith.",
    }
    for told, cited in (("His birthplace was York.", ["lane.md", "b.md"]), ("", ["lane.md"])):
        pages["b.md"] = smith.format("director", "man of the cinema", told)
        found = ask(Shelf(pages), "Where was the director of film The Lane born?")
        assert [each.locator for each in found.citations] == cited


def test_which_came_first_asks_for_no_origin(shelf: Shelf) -> None:
    found = ask(shelf, "Which came first, La Rance or Sihwa?")
    assert "1966" in found.answer and "2011" in found.answer and not found.gaps


def test_coming_into_use_is_no_origin() -> None:
    told = "The caravel was used in the Baltic from 1450 on."
    desk = Shelf({"caravel.md": f"# Caravel\n\nThe caravel was a small ship. {told}"})
    found = ask(desk, "When did the caravel come into use in the Baltic?")
    assert [each.raw_excerpt for each in found.citations] == [told] and not found.gaps


def test_a_pronoun_that_means_the_title_stands_alone() -> None:
    found = ask(Shelf(FILMS), "Who is the mother of Ada Novak?")
    assert [each.raw_excerpt for each in found.citations] == ["She is the daughter of Olga Novak."]


KINGS = {
    "anna.md": "# Anna of Norland\n\nAnna of Norland was a queen, the first wife of King Leopold III.",
    "leopold.md": "# Leopold III of Sudland\n\nLeopold III was a king. He was the son of King Albert I and Elisa Brun.",
}


def test_a_rank_before_a_name_does_not_hide_its_page() -> None:
    found = ask(Shelf(KINGS), "Who is the mother-in-law of Anna of Norland?")
    assert [each.locator for each in found.citations] == ["anna.md", "leopold.md"]
    assert "Elisa Brun" in found.answer


def test_sentences_of_linked_pages_are_joined_where_the_wording_shows_no_steps() -> None:
    pages = {
        "laika.md": "# Lumen Studio\n\nLumen Studio is led by Tom Knight, the son of Phil Knight.",
        "phil.md": "# Phil Knight\n\nPhil Knight is a trader. He ran track under the coach Bill Bower.",
        "bill.md": "# Bill Bower\n\nBill Bower was a coach. He trained 31 Olympic athletes.",
        "other.md": "# Ann Hall\n\nAnn Hall was a coach of Olympic athletes.",
    }
    found = ask(
        Shelf(pages),
        "Phil Knight ran track under somebody; how many Olympic athletes did Bill Bower train?",
    )
    assert "31 Olympic athletes" in found.answer and "Ann Hall" not in found.answer


def test_a_surname_is_followed_by_the_full_name_that_its_page_gives() -> None:
    pages = {
        "shoes.md": "# The Blue Shoes\n\nThe Blue Shoes is a 1948 film directed by Otto Lindt. It follows a dancer "
        "(Mary Shearer). The film was the debut of Shearer.",
        "mary.md": "# Mary Shearer\n\nMary Shearer was a dancer. In 1950 she married Emil Brandt.",
        "lindt.md": "# Otto Lindt\n\nOtto Lindt was a director. He worked in Riga.",
    }
    found = ask(Shelf(pages), "Who is the spouse of the actress whose debut was The Blue Shoes?")
    assert [each.locator for each in found.citations] == ["shoes.md", "mary.md"]


def test_a_run_of_letters_without_end_is_no_given_name() -> None:
    assert _in_full("Lind", "A walk with Otto Emil Lind.") == "Otto Emil Lind"
    assert _in_full("Lind", f"{'Aa' * 5_000} Lind.") == "Lind"
    assert len(_in_full("Lind", f"{'A-' * 5_000}A Lind.")) < 50
