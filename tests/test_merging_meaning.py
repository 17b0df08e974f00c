"""Findings of several researchers put together by meaning, where their words leave open what they share."""

from collections.abc import Mapping

import pytest

from actors.merging.claims import merge
from actors.merging.compared_claims import RULES, compare_claims, compared_before, compared_by
from actors.merging.contributions import Contribution
from actors.merging.meaning import WORDS_ALONE, Meaning, Pairs, to_compare
from actors.reports.rivals import Rival, clashes, left_open
from events.base import Blob
from events.codec import canonical, decode, digest
from events.errors import BadRequest, DiskFull, ProviderAway, ResearchError
from events.task import ClaimsCompared
from tests.made_findings import Library, made

QUESTION = "How many visitors does the Cluny museum attract per year?"
ASKED = "What do the owners of the museum say?"
MANY = "The Cluny museum attracts 2,000,000 visitors per year."
OTHERWISE = "Every year 2,000,000 people come to see the Cluny museum."
"""The same claim, of which the words alone say two thirds."""

BEYOND = ("people see", "attracts visitors")
"""What each of them says beyond the other."""

SOLD = "The Cluny museum sends 2,000,000 visitors per year."
"""Another claim, that differs in one word."""

FEWER = "Annual attendance there, at the gates of the Cluny, is 900,000 visitors."
"""Another figure for the same thing, in words of its own."""


@pytest.fixture
def library() -> Library:
    return Library()


def contribution(library: Library, words: str, site: str, asked: str = QUESTION) -> Contribution:
    text = f"{words} This page is kept by {site}."
    cited = library.citation(1, f"https://{site}.example/", text, words)
    return Contribution("claude", asked, made(asked, (words, cited)))


def both(library: Library, other: str) -> list[Contribution]:
    return [contribution(library, MANY, "a"), contribution(library, other, "b", ASKED)]


def near(*pairs: tuple[str, str], value: float = 0.95) -> Meaning:
    return Meaning(dict.fromkeys(pairs, value))


def texts(library: Library, given: list[Contribution], meaning: Meaning) -> list[str]:
    return [each.text for each in merge(QUESTION, given, library, meaning).sentences]


def test_the_same_claim_in_other_words_joins_its_citations(library: Library) -> None:
    given = both(library, OTHERWISE)
    assert len(merge(QUESTION, given, library).sentences) == 2, "by words they are two claims"
    compared = dict(to_compare(given))
    assert compared[OTHERWISE] == [MANY] and compared[BEYOND[0]] == [BEYOND[1]]
    whole = merge(QUESTION, given, library, near((OTHERWISE, MANY), BEYOND))
    assert [(each.text, each.citations) for each in whole.sentences] == [(MANY, (1, 2))]
    assert texts(library, given, near((OTHERWISE, MANY))) == [MANY, OTHERWISE]
    for far in ({(OTHERWISE, MANY): 0.8, BEYOND: 0.9}, {(OTHERWISE, MANY): 0.95, BEYOND: 0.4}):
        assert texts(library, given, Meaning(far)) == [MANY, OTHERWISE]


def test_a_claim_that_differs_in_one_word_is_kept_where_that_word_means_another_thing(
    library: Library,
) -> None:
    given = both(library, SOLD)
    assert texts(library, given, WORDS_ALONE) == [MANY], "by words they are the same"
    one_word = ("sends", "attracts")
    assert dict(to_compare(given))["sends"] == ["attracts"]
    apart = Meaning({(SOLD, MANY): 0.85, one_word: 0.2})
    assert texts(library, given, apart) == [MANY, SOLD]
    for meant in ({(SOLD, MANY): 0.95, one_word: 0.2}, {(SOLD, MANY): 0.85, one_word: 0.6}):
        assert texts(library, given, Meaning(meant)) == [MANY]


@pytest.mark.parametrize(
    "other",
    [
        OTHERWISE.replace("2,000,000", "2,100,000"),
        OTHERWISE.replace("people come", "people do not come"),
        OTHERWISE.replace("Cluny", "Rodin"),
        "Forty divers maintain the turbines of the barrage.",
    ],
)
def test_what_words_rule_out_no_meaning_makes_the_same(library: Library, other: str) -> None:
    given = both(library, other)
    assert MANY not in dict(to_compare(given)).get(other, [])
    assert texts(library, given, near((other, MANY), BEYOND)) == [MANY, other]


def test_figures_for_the_same_thing_in_other_words_contradict_each_other(library: Library) -> None:
    given = both(library, FEWER)
    assert merge(QUESTION, given, library).gaps == ()
    assert dict(to_compare(given))[FEWER] == [MANY]
    whole = merge(QUESTION, given, library, near((FEWER, MANY)))
    [gap] = whole.gaps
    assert gap.category == "contradictory_sources"
    assert "2,000,000 visitors" in gap.detail and "900,000 visitors" in gap.detail
    assert whole.confidence_factors.contradiction_detected
    assert [each.disputes for each in whole.sentences] == [(2,), (1,)]
    assert merge(QUESTION, given, library, near((FEWER, MANY), value=0.7)).gaps == ()


def rival(number: int, excerpt: str, title: str = "") -> Rival:
    return Rival(number, number, f"t{number}", f"{number} {excerpt}", excerpt, title)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The barrage is 750 metres long.", "The barrage rises 13 metres high."),
        ("La Rance yields 500 GWh a year.", "Sihwa yields 552 GWh a year."),
        ("Output in 2019 was 500 GWh at the station.", "In 2021 the station gave 480 GWh."),
        ("The mean range at the site is 8 m.", "The maximum range there is 13 m."),
        ("It was opened in 1966 at the river's mouth.", "Work at the mouth began in 1961."),
        ("About 500 GWh come from it each year.", "It has 240 MW of capacity."),
        ("It generates about 500 GWh each year.", "It makes 510 GWh or 500 GWh a year."),
    ],
)
def test_figures_of_different_things_are_not_compared(one: str, other: str) -> None:
    assert all(known == [] for _, known in left_open([rival(1, one), rival(2, other)]))
    assert clashes([rival(1, one)], [rival(2, other)], lambda _, __: 1.0) == []


def test_what_meaning_says_of_a_claim_and_its_passage_counts(library: Library) -> None:
    claim = "Some 2,000,000 people come to the Cluny museum annually."
    text = f"{MANY} This page is kept by its owners."
    cited = library.citation(1, "https://a.example/", text, MANY)
    lead = Contribution("claude", QUESTION, made(QUESTION, (claim, cited)))
    given = [lead, contribution(library, "Forty divers maintain the turbines.", "b", ASKED)]
    assert MANY in dict(to_compare(given))[claim]
    unsure = merge(QUESTION, given, library, near((claim, MANY), value=0.1))
    sure = merge(QUESTION, given, library, near((claim, MANY), value=0.9))
    assert sure.confidence > unsure.confidence


# -- comparing, and keeping what came of it --------------------------------------------------------


class Store:
    """Keeps blobs in memory."""

    def __init__(self) -> None:
        self.held: dict[str, bytes] = {}

    def put(self, content: bytes) -> Blob:
        name = digest(content)
        self.held[name] = content
        return Blob(hash=name, size=len(content), stored=name)

    def get(self, name: str) -> bytes:
        return self.held[name]


class Model:
    """A corpus whose model knows some pairs."""

    def __init__(self, known: Mapping[tuple[str, str], float]) -> None:
        self._known = known

    def search(self, *_: object) -> list[object]:
        raise AssertionError("nothing is searched for")

    def likeness(self, question: str, texts: list[str]) -> list[float | None]:
        return [self._known.get((question, text)) for text in texts]


def test_what_was_compared_is_a_fact_and_tells_the_same_again(library: Library) -> None:
    store, given = Store(), both(library, OTHERWISE)
    model = compared_by(Model({(OTHERWISE, MANY): 0.912345}))  # type: ignore[arg-type]
    [fact], meaning = compare_claims(given, model, store.put)
    assert decode(store.get(fact.likenesses.hash)) == [[OTHERWISE, MANY, 0.9123]]
    assert fact.compared >= 2
    again, same = compare_claims(given, compared_before(fact, store.get), store.put)
    assert again == [fact] and same.pairs == meaning.pairs
    merged = merge(QUESTION, given, library, meaning)
    assert canonical(merge(QUESTION, given, library, same)) == canonical(merged)


def test_what_was_merged_by_words_alone_stays_so(library: Library) -> None:
    store, given = Store(), both(library, OTHERWISE)
    assert compare_claims(given, compared_before(None, store.get), store.put) == ([], WORDS_ALONE)


def test_rules_that_are_not_known_are_refused(library: Library) -> None:
    store, given = Store(), both(library, OTHERWISE)
    later = ClaimsCompared(rules="merging-9", compared=1, likenesses=store.put(b"[]"))
    assert later.rules != RULES
    with pytest.raises(BadRequest, match="merging-9"):
        compare_claims(given, compared_before(later, store.get), store.put)


@pytest.mark.parametrize("failure", [ProviderAway("x", "y"), ValueError("a model's own"), None])
def test_where_nobody_can_compare_words_must_do(
    library: Library, failure: Exception | None
) -> None:
    def compare(pairs: Pairs) -> None:
        if failure:
            raise failure

    given = both(library, OTHERWISE)
    assert compare_claims(given, compare, Store().put) == ([], WORDS_ALONE)


def test_trouble_with_the_disk_is_no_reason_to_go_without(library: Library) -> None:
    def compare(pairs: Pairs) -> None:
        raise DiskFull("x")

    with pytest.raises(ResearchError):
        compare_claims(both(library, OTHERWISE), compare, Store().put)


def test_much_is_compared_with_little(library: Library) -> None:
    """As many sentences as a report has take no more than a few comparisons each."""
    said = [f"Station number {n} yields {n} GWh at site{n} in Brittany." for n in range(200)]
    pages = [
        library.citation(n + 1, f"https://{n}.example/", each, each) for n, each in enumerate(said)
    ]
    lead = made(QUESTION, *zip(said, pages, strict=True))
    swapped = [f"At site{n} in Brittany station number {n} yields {n} GWh." for n in range(200)]
    others = [
        library.citation(n + 1, f"https://o{n}.example/", each, each)
        for n, each in enumerate(swapped)
    ]
    further = made(ASKED, *zip(swapped, others, strict=True))
    pairs = to_compare(
        [Contribution("claude", QUESTION, lead), Contribution("claude", ASKED, further)]
    )
    assert len(pairs) <= 400 and max((len(each) for _, each in pairs), default=0) <= 12


def test_a_claim_that_is_the_same_by_words_stays_so_where_meanings_are_known(
    library: Library,
) -> None:
    said = (
        "Scientists measured the greatest depth of the lake at 1642 metres during a survey in May."
    )
    given = [
        contribution(library, said, "a"),
        contribution(library, said.replace("Scientists", "Researchers"), "b", ASKED),
    ]
    assert len(merge(QUESTION, given, library).sentences) == 1
    other = said.replace("Scientists", "Researchers")
    known = near((other, said), ("Researchers", "Scientists"))
    assert len(texts(library, given, known)) == 1


def test_what_no_number_can_say_is_not_told(library: Library) -> None:
    store, given = Store(), both(library, OTHERWISE)
    model = compared_by(Model({(OTHERWISE, MANY): float("nan")}))  # type: ignore[arg-type]
    assert compare_claims(given, model, store.put) == ([], WORDS_ALONE)


def test_an_answer_of_the_wrong_shape_is_none(library: Library) -> None:
    def compare(pairs: Pairs) -> list[list[float | None]]:
        return [[0.9]]

    assert compare_claims(both(library, OTHERWISE), compare, Store().put) == ([], WORDS_ALONE)


def test_comparing_ends_when_its_time_is_over() -> None:
    ticks = iter(range(0, 1000, 20))
    compare = compared_by(Model({("a", "b"): 0.9, ("c", "d"): 0.9}), lambda: float(next(ticks)))  # type: ignore[arg-type]
    assert compare([("a", ["b"]), ("c", ["d"]), ("e", ["f", "g"])]) == [[0.9], [None], [None, None]]
