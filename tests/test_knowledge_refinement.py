"""What a result says about its question: computed, explained, the same every time."""

import random
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.knowledge.asked_about import asked_about
from contracts.knowledge.refinement import SUGGESTIONS, Found, across_languages, label, refine
from language.detection import language_of
from language.words import query_terms

MINERAL = "quicksilver liquid metal thermometer vapour toxic amalgam cinnabar ore smelting"
PLANET = "orbit crater sun innermost telescope transit astronomy surface spacecraft messenger"
MYTH = "god roman messenger sandals wings temple merchants thieves poetry caduceus"


@dataclass(frozen=True)
class Said:
    """A passage as it is judged."""

    text: str
    score: float = 0.8
    title: str = ""
    headings: tuple[str, ...] = ()
    document: str = "d"
    language: str = "und"


def about(subject: str, count: int, heading: str, score: float = 0.8) -> list[Found]:
    return [
        Said(f"Mercury: {subject}.", score, heading, (heading,), f"{heading}-{n}")
        for n in range(count)
    ]


def test_a_question_that_is_answered_is_optimal() -> None:
    found = [
        Said("Tidal barrages generate electricity with turbines.", 0.9),
        Said("Wind turns other turbines.", 0.4),
        Said("The sun warms water.", 0.3),
    ]
    advice = refine("How do tidal barrages generate electricity?", found)
    assert (advice.status, advice.suggestions, advice.missing) == ("optimal", (), ())
    assert advice.coverage == 1.0
    assert advice.spread == pytest.approx(0.5)


def test_words_that_no_passage_has_are_named() -> None:
    found = [Said("Tidal barrages stand in estuaries.", 0.3, headings=("Barrages",))]
    advice = refine("What do zeppelins eat?", found)
    assert advice.status == "clarification_needed"
    assert set(advice.missing) == {"zeppelins", "eat"}
    assert "zeppelins" in advice.message
    assert advice.suggestions


def test_what_is_half_relevant_and_lacks_a_word_is_not_what_was_asked_for() -> None:
    mill = "A tide mill is a water mill driven by the tide."
    advice = refine("tide pods", [Said(mill, 0.43, headings=("Tide mills",)), Said(mill, 0.22)])
    assert (advice.status, advice.missing) == ("clarification_needed", ("pods",))
    assert "pods" in advice.message and "somewhat relevant" in advice.message
    assert advice.suggestions
    assert refine("tide mill", [Said(mill, 0.43)]).status == "optimal", "it lacks no word"
    assert refine("tide pods", [Said(mill, 0.6)]).status == "optimal", "it is relevant"


def test_a_best_passage_that_is_weak_needs_a_clearer_question() -> None:
    advice = refine("tidal barrages", [Said("Tidal barrages once more.", 0.1)])
    assert advice.status == "clarification_needed"


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("Okonkwo", "Unused days lapse in March. Ask Ms. Okonkwo about exceptions."),
        ("accounting", "The form SF-2290 is kept for seven years by accounting."),
        ("リモートワーク", "週に三日までリモートワークができます。"),
    ],
)
def test_nobody_is_told_to_use_words_of_the_documents_who_did(query: str, text: str) -> None:
    advice = refine(query, [Said("Something else.", 0.02), Said(text, 0.02)])
    assert (advice.status, advice.coverage) == ("clarification_needed", 1.0)
    assert "every word" in advice.message and "Rephrase" not in advice.message


def test_words_that_stand_in_different_passages_are_no_answer() -> None:
    found = [Said("Tidal pools are shallow.", 0.1), Said("Barrages stand in estuaries.", 0.1)]
    assert "Rephrase" in refine("tidal barrages", found).message


def test_a_question_in_another_language_than_the_documents_is_told_so() -> None:
    nothing = refine("有給休暇は何日ですか", [], ["Holidays"])
    told = across_languages(nothing, "有給休暇は何日ですか", {"en", "und"})
    assert told.message == (
        "Nothing was found. The documents are in English, and the question is in Japanese: "
        "ask in the language of the documents."
    )
    assert told.suggestions == ("Holidays",)
    weak = refine("Wie viele Urlaubstage gibt es?", [Said("Employees have leave.", 0.01)])
    told = across_languages(weak, "Wie viele Urlaubstage gibt es?", {"en"})
    assert "Hardly anything was found" in told.message and "in German" in told.message


@pytest.mark.parametrize(
    ("query", "languages"),
    [
        ("有給休暇は何日ですか", {"en", "ja"}),
        ("休暇", {"zh"}),
        ("How many days of leave are there?", {"en"}),
        ("Okonkwo", {"ja"}),
        ("How many days of leave are there?", {"und"}),
        ("How many days of leave are there?", set[str]()),
    ],
)
def test_nothing_is_said_of_languages_where_they_are_not_the_reason(
    query: str, languages: set[str]
) -> None:
    nothing = refine(query, [])
    assert across_languages(nothing, query, languages) == nothing


BATH = Said(
    "大浴場は午前6時から午後11時まで利用できます。貸切風呂は45分で2,500円です。",
    0.66,
    "温泉旅館のご案内",
    ("大浴場",),
    language="ja",
)


@pytest.mark.parametrize("query", ["How much is the private bath?", "private bath"])
def test_words_that_a_relevant_passage_in_another_language_lacks_are_not_missed(query: str) -> None:
    advice = refine(query, [BATH, Said("Slugs are caught in beer traps.", 0.02, language="en")])
    assert (advice.status, advice.suggestions) == ("optimal", ())
    assert advice.message == "The question found what it asks for, in Japanese."

    less = refine(query, [replace(BATH, score=0.4), Said("Slugs like beer.", 0.02, language="en")])
    assert less.status == "clarification_needed"
    assert "ask in Japanese" in less.message and "No passage has" not in less.message
    assert "大浴場" in less.suggestions

    hardly = refine(query, [replace(BATH, score=0.1)])
    assert "hardly answer" in hardly.message


def test_a_passage_with_a_word_of_the_question_is_in_its_language() -> None:
    query = "vpn connection command"
    assert language_of(query) != "en", "of few words nobody can tell"
    advice = refine(query, [Said("VPN: wg-office connects the laptop.", 0.7, language="en")])
    assert "in English" not in advice.message


def test_japanese_words_are_offered_as_the_documents_write_them() -> None:
    said = "貸切風呂は一か月前までにお申し込みください。電話は必ず受付へ。"
    advice = refine("年齢の制限", [Said(said, 0.1)])
    assert {"電話", "受付"} & set(advice.suggestions)
    assert all(each in said for each in advice.suggestions)
    assert "ください" not in advice.suggestions


def test_words_among_letters_without_spaces_are_taken_alone() -> None:
    office = Said("AzureからKubernetesへ、6時から11時まで。", 0.1)
    advice = refine("年齢の制限", [office])
    assert {"azure", "kubernetes"} <= set(advice.suggestions)
    assert not any(set(each) & set("0123456789") for each in advice.suggestions)
    assert {"Rust", "Haskell"} <= set(refine("RustまたはHaskellの経験", [office]).missing)


def test_two_meanings_are_told_apart_by_the_words_of_the_documents() -> None:
    found = about(MINERAL, 3, "The metal mercury") + about(PLANET, 3, "The planet mercury")
    advice = refine("mercury", found)
    assert advice.status == "clarification_needed"
    assert advice.suggestions == ("The metal mercury", "The planet mercury")
    assert (advice.groups, advice.ambiguity) == (2, 1.0)


def test_a_question_that_names_both_sides_is_not_ambiguous() -> None:
    found = [
        Said(f"The barrage stands: {MINERAL}.", 0.8, document="a"),
        Said(f"The windmill turns: {PLANET}.", 0.8, document="b"),
    ]
    assert refine("Compare a barrage and a windmill", found).status == "optimal"


def test_a_second_meaning_far_behind_does_not_disturb() -> None:
    found = about(MINERAL, 3, "The metal", 0.9) + about(PLANET, 3, "The planet", 0.3)
    assert refine("mercury", found).status == "optimal"


def test_one_word_that_everything_is_about_is_too_broad() -> None:
    subjects = ("harbour crane cargo", "engine fuel piston", "wind sail mast", "rudder keel hull")
    found: list[Found] = [
        Said(f"Ships and ports. {subject}. Ships sail the ocean daily.", 0.7, document=f"d{n}")
        for n, subject in enumerate(subjects * 2)
    ]
    advice = refine("ships", found)
    assert advice.status == "too_broad"
    assert advice.suggestions
    words = " ".join(each.text for each in found).casefold()
    assert all(each in words for each in advice.suggestions)
    assert refine("ships with a rudder below the keel", found).status == "optimal"


def test_nothing_found_offers_what_there_is() -> None:
    advice = refine("anything", [], ["Tidal power", "Tidal power", "Wind"])
    assert (advice.status, advice.suggestions) == ("clarification_needed", ("Tidal power", "Wind"))


def test_japanese_questions_are_judged_too() -> None:
    found = [Said("潮力発電は潮の満ち引きで電気を作る。", 0.9, "潮力発電")]
    assert refine("潮力発電とは何ですか", found).status == "optimal"
    assert refine("火山の噴火", found).missing


@pytest.mark.parametrize(
    ("score", "name"),
    [
        (1.0, "Highly Relevant"),
        (0.75, "Highly Relevant"),
        (0.74, "Relevant"),
        (0.5, "Relevant"),
        (0.25, "Somewhat Relevant"),
        (0.2, "Marginally Relevant"),
        (0.0, "Marginally Relevant"),
    ],
)
def test_labels_begin_where_they_are_said_to(score: float, name: str) -> None:
    assert label(score) == name


passages = st.lists(
    st.builds(
        Said,
        text=st.text(max_size=80),
        score=st.floats(0, 1),
        title=st.text(max_size=20),
        headings=st.tuples(st.text(max_size=20)),
        document=st.sampled_from("abc"),
    ),
    max_size=8,
)


@given(query=st.text(max_size=60), found=passages)
def test_advice_is_bounded_repeatable_and_never_fails(query: str, found: list[Said]) -> None:
    advice = refine(query, found)
    assert advice == refine(query, list(found))
    assert len(advice.suggestions) <= SUGGESTIONS
    assert len(set(advice.suggestions)) == len(advice.suggestions)
    assert 0 <= advice.coverage <= 1
    assert 0 <= advice.ambiguity <= 1
    assert advice.message


def test_the_order_of_equal_passages_does_not_change_the_verdict() -> None:
    found = about(MINERAL, 4, "Metal") + about(PLANET, 4, "Planet") + about(MYTH, 4, "God")
    shuffled = list(found)
    random.Random(1).shuffle(shuffled)
    first, second = refine("mercury", found), refine("mercury", shuffled)
    assert (first.status, first.groups) == (second.status, second.groups)
    assert set(first.suggestions) == set(second.suggestions)


BREAD = "パンは小麦粉と水とイーストで作られる。生地をこねて発酵させ、窯で焼く。"


@pytest.mark.parametrize(
    "query",
    [
        "パンの作り方を教えてください",
        "パンの作り方について詳しく説明してほしいです",
        "パンの作り方が知りたいのですが、教えていただけますか",
        "パンを作るにはどうすればいいですか",
        "パンとは何ですか",
    ],
)
def test_words_that_only_ask_are_not_missed(query: str) -> None:
    advice = refine(query, [Said(BREAD, 0.61), Said("潮は満ちる。", 0.03)])
    assert (advice.status, advice.missing, advice.coverage) == ("optimal", (), 1.0)


@pytest.mark.parametrize(
    "query",
    ["Could you please tell me more about tide mills?", "I'd like to know about tide mills"],
)
def test_words_that_only_ask_are_not_missed_in_english(query: str) -> None:
    advice = refine(query, [Said("A tide mill is a water mill driven by the tide.", 0.7)])
    assert (advice.status, advice.missing, advice.coverage) == ("optimal", (), 1.0)


def test_a_question_of_nothing_but_asking_is_taken_as_it_is() -> None:
    assert asked_about("Please tell me") == query_terms("Please tell me")
    assert {*asked_about("教えてください")} == {"j:教える", "j:下さる"}


def test_words_are_named_as_they_are_written_and_offered_as_they_are_known() -> None:
    found = [
        Said("エネルギーは潮から得られる。ポンプを備えている。", 0.1),
        Said("月が引く。", 0.05),
    ]
    advice = refine("コンピュータについて書かれた本", found)
    assert set(advice.missing) == {"コンピュータ", "書か", "本"}
    assert {"エネルギー"} <= set(advice.suggestions)
    assert not any("エネルギ" in each and "エネルギー" not in each for each in advice.suggestions)
