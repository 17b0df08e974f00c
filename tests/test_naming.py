"""Names in questions and answers, and the documents that they lead to."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.embedding import ToEmbed
from events.home import Home
from language.naming import LONGEST, first_word, mentioned, names_of
from projections.encoders.opened import Embedder, open_embedder
from projections.index.current import Index
from projections.index.filters import Filters
from projections.naming import by_answers, by_question
from projections.ranking import Ranked, rank
from projections.scoped import Most
from tests.libraries import publish
from tests.small_index import SmallIndex

TITLES = {
    "Harbour Lights (1939 film)": "A comedy about a ship's cook, directed by Leif Skaugen in Norway.",
    "Leif Skaugen": "He managed a theatre and died of pneumonia in Oslo, where he had been born.",
    "The Ferry": "A drama in black and white, directed by Aage Brandstrup on the coast of Jutland.",
    "Aage Brandstrup": "He was born in Randers, wrote plays and directed 31 of them on stage.",
    "Lights": "Lamps along a quay, which harbours need as much as films do.",
    "Oslo": "The capital of Norway lies at the end of a fjord and has many theatres.",
}
MOST = Most(titles=32, documents=6)
NOBODY = np.zeros(0, np.int64)
QUESTION = "Where was the director of Harbour Lights born?"


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return open_embedder()


def names_in(text: str, *titles: str, loosely: bool = False) -> list[str]:
    known = {name for title in titles for name in names_of(title)}
    longest: dict[str, int] = {}
    for word, length in map(first_word, known):
        longest[word] = max(length, longest.get(word, 0))
    found = list(mentioned(text, known.__contains__, longest, loosely=loosely))
    assert found == list(mentioned(text, known.__contains__, loosely=loosely))
    return found


def index_of(titles: dict[str, str], embedder: Embedder) -> SmallIndex:
    chunks = [ToEmbed(title, text, "en") for title, text in titles.items()]
    return SmallIndex(chunks, list(titles), list(embedder.embed(chunks)))


def asked(question: str, index: SmallIndex, embedder: Embedder) -> list[Ranked]:
    return rank(question, embedder.embed_query(question), index, 10)


def titles_of(found: list[Ranked], index: SmallIndex) -> list[str]:
    return [index.names[each.row] for each in found]


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("Ada Lovelace", {"ada lovelace"}),
        ("Wrecking Ball (album)", {"wrecking ball album", "wrecking ball"}),
        ("Otto the Lame, Count of Werlen", {"otto the lame count of werlen", "otto the lame"}),
        ("Sérgio Mendes", {"sergio mendes"}),
        ("Łódź", {"lodz"}),
        ("The", set()),
        ("What is it?", set()),
        ("", set()),
        ("— (…)", set()),
        ("राम", {"राम"}),  # not Rome, which differs by a sign
        ("रोम", {"रोम"}),
        ("Московский Кремль", {"московский кремль"}),
        ("Αθήνα", {"αθηνα"}),
        ("ガラス", set()),  # where a name ends cannot be seen
        ("東京 Tower", {"tower"}),
        ("word " * (LONGEST + 1), set()),
    ],
)
def test_a_title_is_called_by_its_words(title: str, names: set[str]) -> None:
    assert names_of(title) == names


def test_a_name_is_found_whatever_stands_around_it() -> None:
    assert names_in("Who was Fanny Mendelssohn's husband?", "Fanny Mendelssohn") == [
        "fanny mendelssohn"
    ]
    assert names_in("Das Museum von Niterói.", "Niteroi") == ["niteroi"]
    assert names_in("They met in the Count of Werlen’s house", "Count of Werlen") == [
        "count of werlen"
    ]


def test_the_article_of_a_name_may_be_written_small() -> None:
    assert names_in("He met the Beatles", "The Beatles") == ["the beatles"]
    assert names_in("about the beatles of Oslo", "The Beatles") == []


def test_what_grows_when_it_is_read_is_read_no_further() -> None:
    assert names_in("\ufdfa" * 16_000 + " by Leif Skaugen", "Leif Skaugen") == []
    assert names_in("by Leif Skaugen " + "\ufdfa" * 16_000, "Leif Skaugen") == ["leif skaugen"]


def test_of_overlapping_names_the_longest_counts() -> None:
    found = names_in("Is the Isle of Man Railway old?", "Isle of Man", "Isle of Man Railway", "Man")
    assert found == ["isle of man railway"]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("an isle of man and beast", "Isle of Man"),  # no capitals
        ("Reading is fun", "Reading"),  # the first word always has one
        ("It ended. Reading is fun", "Reading"),
        ("It was the It girl", "It"),  # too short, and a small word
        ("Harbour, and then Lights", "Harbour Lights"),  # something stands between
    ],
)
def test_words_that_only_look_like_a_name_are_none(text: str, title: str) -> None:
    assert names_in(text, title) == []


def test_a_question_may_be_typed_without_capitals_but_not_with_one_word() -> None:
    assert names_in("who wrote harbour lights", "Harbour Lights", loosely=True) == [
        "harbour lights"
    ]
    assert names_in("how do lights work", "Lights", loosely=True) == []


@given(text=st.text(max_size=300), title=st.text(max_size=60))
def test_any_text_can_be_read_for_any_name(text: str, title: str) -> None:
    for name in names_in(text, title, loosely=True):
        assert name in names_of(title)


def test_a_page_that_an_answer_names_is_found_though_it_shares_nothing_with_the_question(
    embedder: Embedder,
) -> None:
    index = index_of(TITLES, embedder)
    found = asked(QUESTION, index, embedder)
    assert titles_of(found, index)[:2] == ["Harbour Lights (1939 film)", "Leif Skaugen"]
    told = {index.names[each.row]: each.stages.get("named") for each in found}
    assert told["Harbour Lights (1939 film)"] is not None
    assert told["Leif Skaugen"] is not None
    assert told["Aage Brandstrup"] is None


def test_without_the_name_another_page_comes_first(embedder: Embedder) -> None:
    renamed = {title.replace("Leif Skaugen", "Notes"): text for title, text in TITLES.items()}
    index = index_of(renamed, embedder)
    assert "Notes" not in titles_of(asked(QUESTION, index, embedder), index)[:2]


def test_a_name_that_many_documents_have_leads_to_none(embedder: Embedder) -> None:
    many = {**TITLES, **{f"Leif Skaugen ({number})": f"Page {number}." for number in range(8)}}
    index = index_of(many, embedder)
    found = asked(QUESTION, index, embedder)
    assert not any(
        "named" in each.stages for each in found if index.names[each.row].startswith("Leif")
    )


@pytest.mark.parametrize(("others", "share"), [(0, 1.0), (15, 0.5), (40, 0.0)])
def test_of_many_that_an_answer_names_each_is_meant_the_less(
    embedder: Embedder, others: int, share: float
) -> None:
    crew = [f"Crew Member{number}" for number in range(others)]
    told = TITLES | {name: "One of the crew." for name in crew}
    told["Harbour Lights (1939 film)"] += f" With {', '.join(crew)}."
    index = index_of(told, embedder)
    film, director = (list(told).index(each) for each in list(TITLES)[:2])
    named = by_answers(by_question(QUESTION, index), np.array([film]), index)
    assert named.shares.get(director, 0.0) == pytest.approx(share)
    assert (director in named.short) == (share > 0)


def test_a_name_counts_less_the_more_documents_say_its_words(embedder: Embedder) -> None:
    rare = index_of(TITLES, embedder)
    common = index_of(
        {**TITLES, **{f"Page {n}": "Skaugen, and Leif again." for n in range(9)}}, embedder
    )
    shares = [
        index.titled_in("the plays of Leif Skaugen", NOBODY, MOST)[0].telling
        for index in (rare, common)
    ]
    assert shares[0] > shares[1] > 0


def named_in(home: Home, text: str, *collections: str) -> list[list[str]]:
    scope = Index(home).scope(Filters(collections=collections or None))
    return [scope.texts(each.rows) for each in scope.titled_in(text, NOBODY, MOST)]


def test_names_lead_only_to_what_is_in_scope_and_has_them_now(home: Home) -> None:
    publish(home, "/a.md", ["Tides of the sea."], "one", title="Leif Skaugen")
    publish(home, "/b.md", ["Mills by the sea."], "two", title="Leif Skaugen")
    plays = "the plays of Leif Skaugen"
    assert len(named_in(home, plays)[0]) == 2
    assert named_in(home, plays, "one") == [["Tides of the sea."]]
    publish(home, "/a.md", ["Tides of the sea."], "one", title="Somebody Else")
    assert named_in(home, plays, "one") == []
    assert named_in(home, plays, "two") == [["Mills by the sea."]]


def test_a_longer_title_elsewhere_or_of_before_hides_no_name(home: Home) -> None:
    publish(home, "/a.md", ["Tides of the sea."], "one", title="Leif Skaugen")
    plays = "the plays of Leif Skaugen Jr and others"
    asked = Index(home)
    publish(home, "/b.md", ["Mills by the sea."], "two", title="Leif Skaugen Jr")
    for index in (asked, Index(home)):
        for filters, text in (
            (Filters(collections=("one",)), "Tides of the sea."),
            (Filters(), "Mills by the sea."),
        ):
            scope = index.scope(filters)
            assert scope.texts(scope.titled_in(plays, NOBODY, MOST)[0].rows) == [text]
    publish(home, "/b.md", ["Mills by the sea."], "two", title="Redacted")
    for index in (asked, Index(home)):
        scope = index.scope(Filters())
        assert scope.texts(scope.titled_in(plays, NOBODY, MOST)[0].rows) == ["Tides of the sea."]


def test_all_rows_of_a_document_stand_under_its_title(home: Home) -> None:
    publish(home, "/a.md", ["One.", "Two."], title="Leif Skaugen")
    publish(home, "/b.md", ["Three.", "Four.", "Five."], title="Aage Brandstrup")
    publish(home, "/c.md", ["Six."], title="Oslo")
    text = "Was Aage Brandstrup with Leif Skaugen in Oslo?"
    assert named_in(home, text) == [["Three.", "Four.", "Five."], ["One.", "Two."], ["Six."]]


def test_whoever_says_his_own_name_does_not_speak_of_his_namesakes(embedder: Embedder) -> None:
    album = {"Harbour Lights (album)": "Songs of jazz that were recorded in Texas."}
    told = {title: f"{title.partition(' (')[0]}: {text}" for title, text in TITLES.items()}
    index = index_of(told | album, embedder)
    found = asked("Which comedy is about the cook of a ship?", index, embedder)
    assert titles_of(found, index)[0] == "Harbour Lights (1939 film)"
    named = {index.names[each.row] for each in found if "named" in each.stages}
    assert "Leif Skaugen" in named
    assert "Harbour Lights (album)" not in named


def test_a_hit_that_only_its_name_brings_forward_says_so(embedder: Embedder) -> None:
    index = index_of({"Leif Skaugen": "He managed a theatre."}, embedder)
    (found,) = asked("who is Leif Skaugen", index, embedder)
    assert found.decided_by == "named"


def test_a_question_of_small_words_that_is_a_title_is_asked_without_harm(
    embedder: Embedder,
) -> None:
    index = index_of({**TITLES, "Who Are You": "An album of the year 1978."}, embedder)
    assert rank("Who Are You", None, index, 10) == []
    assert asked("Who Are You", index, embedder)


def test_the_index_of_a_home_tells_what_the_small_one_of_these_tests_does(
    home: Home, embedder: Embedder
) -> None:
    for number, (title, text) in enumerate(TITLES.items()):
        publish(home, f"/{number}.md", [text], title=title)
    scope = Index(home).scope(Filters())
    small = index_of(TITLES, embedder)
    text = "On Harbour Lights by Leif Skaugen, shown in Oslo"
    found, others = scope.titled_in(text, NOBODY, MOST), small.titled_in(text, NOBODY, MOST)
    assert [scope.texts(each.rows) for each in found] == [small.texts(e.rows) for e in others]
    assert [each[1:] for each in found] == [each[1:] for each in others]
    besides = scope.titled_in("on Harbour Lights", NOBODY, MOST)[0].rows
    assert [scope.texts(each.rows) for each in scope.titled_in(text, besides, MOST)] == [
        [TITLES["Leif Skaugen"]],
        [TITLES["Oslo"]],
    ]
