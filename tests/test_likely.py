"""What weights that were learned from labelled questions choose, and when they keep silent; by the bundled model."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from actors.answering import likely
from actors.answering.expecting import as_expected, asks_whether, settles
from actors.answering.figures import figures, sum_alone
from actors.answering.rules import ELEVENTH, PRESENT, TENTH
from actors.answering.signs import Setting, signs_of
from actors.answering.terms import Terms
from actors.answering.weights import twelfth
from actors.archive import LocalArchive
from actors.findings import Findings
from actors.ingesting.ingest import IngestJob
from actors.ingesting.parsing import AnyParser
from actors.inline import run_task
from actors.kinds import corpus
from actors.kinds.corpus import research
from actors.opened import OpenedCorpus
from actors.replay import replay
from bench.learn import Example, learn
from events.catalogue import Brief
from events.home import Home
from events.research import AssignmentTaken
from projections.encoders.opened import open_embedder
from projections.search import open_corpus
from tests.corpus_shelf import MeaningShelf, Shelf

KILN = (
    "# Pottery studio at Fenwick Yard\n\nThe studio is open from Tuesday to Saturday. On 3 March thieves took two"
    " kick wheels out of the shed. A bag of stoneware clay is £14, porcelain £22.\n\nThe kiln is fired every second"
    " Friday. Pots must be dry by the Wednesday before, as damp clay bursts in the heat. Glazes are mixed by Orla."
)
FERRY = (
    "# Harsk ferry\n\nThe ferry carries 40 passengers and no cars. Dogs travel free but have to stay on deck. Since the"
    " storm of January the north pier has been closed. Tickets are sold on board, in cash only."
)
LAMPS = (
    "# Oil lamps of Rusk lighthouse\n\nThe keeper trims the wicks at dusk.\n\nThree things dim the light:\n\n1. The"
    " salt. It settles on the panes in a gale and is washed off with vinegar.\n2. The soot. It comes of wicks that are"
    " cut unevenly.\n"
)
TIDES = Path(__file__).parent.parent / "docs" / "samples" / "why-there-are-tides.md"
PAGES = {"kiln.md": KILN, "ferry.md": FERRY, "lamps.md": LAMPS}
TOLD = {
    "How many wheels were stolen from the Fenwick Yard studio?": "thieves took two",
    "Can I bring my dog on the Harsk ferry?": "Dogs travel free",
}
UNTOLD = ("How long does the Harsk ferry take?", "How hot does the kiln at Fenwick Yard get?")


def asked(question: str, shelf: type[Shelf] = MeaningShelf, rules: str = PRESENT.model) -> Findings:
    return research(Brief(question=question), question, shelf(PAGES), rules)


@pytest.mark.parametrize("question", TOLD)
def test_what_is_told_in_other_words_is_quoted_first(question: str) -> None:
    assert TOLD[question] in asked(question).citations[0].raw_excerpt


@pytest.mark.parametrize("question", UNTOLD)
def test_what_the_pages_do_not_tell_is_not_answered(question: str) -> None:
    found = asked(question)
    assert found.citations == ()
    assert found.gaps[0].category == "source_not_found"


def test_why_something_is_so_is_told_with_the_sentences_around_it() -> None:
    question, pages = "Why are there two tides a day?", {"tides.md": TIDES.read_text()}
    found = research(Brief(question=question), question, MeaningShelf(pages), PRESENT.model)
    told = found.citations[0].raw_excerpt
    assert "two bulges once a day" in told and "12 hours and 25 minutes apart" in told


@pytest.mark.parametrize(
    "question", ["What about the salt?", "Is the soot a problem at Rusk lighthouse?"]
)
def test_the_name_of_an_item_is_no_answer_by_itself(question: str) -> None:
    quoted = {each.raw_excerpt for each in asked(question).citations}
    assert not quoted & {"The salt.", "The soot."}


def test_what_is_less_likely_to_answer_is_less_to_be_relied_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    question = "How many wheels were stolen from the Fenwick Yard studio?"
    before = asked(question)
    weights = twelfth.ANSWERS
    monkeypatch.setitem(weights, "always", weights["always"] - 0.3)
    now = asked(question)
    assert now.citations == before.citations
    assert now.confidence < before.confidence
    match = "query_specificity_match"
    assert getattr(now.confidence_factors, match) < getattr(before.confidence_factors, match)


def test_where_nobody_compares_meanings_the_rules_alone_decide() -> None:
    for question in (*TOLD, *UNTOLD):
        now, before = (asked(question, Shelf, each.model) for each in (PRESENT, TENTH))
        assert now.model_copy(update={"model_id": TENTH.model}) == before


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Setting]]:
    seen: list[Setting] = []

    class Looking(likely.Likely):
        def setting(self, number: int) -> Setting | None:
            found = super().setting(number)
            seen.extend([found] if found else [])
            return found

    monkeypatch.setattr(corpus, "Likely", Looking)
    yield seen


def test_every_sign_has_a_weight(settings: list[Setting]) -> None:
    asked("How many wheels were stolen from the Fenwick Yard studio?")
    [setting] = settings
    names = set(signs_of(setting)[0])
    assert set(twelfth.ANSWERS) == names | {"always", *likely.standing([0.0])}
    assert set(twelfth.ORDERS) <= names | {"always"}


SEVERAL = "How many passengers does the Harsk ferry carry, and what does porcelain cost?"


def test_comparisons_are_left_to_the_rules(settings: list[Setting]) -> None:
    asked("Which is older, the Harsk ferry or the Fenwick Yard studio?")
    assert settings == []


SUND = (
    "# Biography: Elias Sund\n\nElias Sund (1829–1904) was an engineer and architect from Port Ivers. His father was a"
    " cooper. He studied in Lund, where he met his wife Karin Aler, a botanist.\n\nHe built eleven lighthouses, the"
    " first at Rud in 1858. His granddaughter is Greta Sund. He gave up his office in 1893.\n"
)


@pytest.mark.parametrize("question", ["Who is Greta Sund?", "Who was Elias Sund?"])
def test_who_somebody_is_is_left_to_the_rules(question: str, settings: list[Setting]) -> None:
    found = research(Brief(question=question), question, MeaningShelf({"sund.md": SUND, **PAGES}))
    assert "Sund" in found.citations[0].raw_excerpt
    assert settings == []


def test_each_of_several_questions_at_once_is_weighed(settings: list[Setting]) -> None:
    found = asked(SEVERAL)
    assert len(settings) == 2
    assert ["40 passengers" in each.text for each in found.sentences] == [True, False]
    assert "porcelain £22" in found.sentences[1].text


def test_a_question_behind_another_is_answered_if_it_asks_whether_something_is_so() -> None:
    question = "How many passengers does the Harsk ferry carry, and may I bring a dog?"
    found, earlier = (asked(question, rules=rules.model) for rules in (PRESENT, ELEVENTH))
    assert "Dogs travel free" in found.answer and "40 passengers" in found.answer
    assert earlier.parts == (question,)


BIKES = (
    "# Bike hire: terms\n\nThe day rate is 18 euros. A deposit of 100 euros is taken and returned the same day.\n\n"
    "You can cancel free of charge up to 24 hours before; after that we keep half of the price.\n"
)


def test_words_of_the_question_before_are_not_missed_where_another_is_answered() -> None:
    question = "What deposit is taken and can I cancel?"
    found = research(Brief(question=question), question, MeaningShelf({"bikes.md": BIKES}))
    assert "cancel free of charge" in found.answer
    assert (found.gaps, found.open_questions) == ((), ())


def test_earlier_weights_are_for_single_questions(settings: list[Setting]) -> None:
    asked(SEVERAL, rules=ELEVENTH.model)
    assert settings == []


def test_a_source_with_another_figure_is_told_however_far_behind_the_weights_put_it() -> None:
    question = "How much electricity does the La Rance tidal power station generate each year?"
    samples = {path.name: path.read_text() for path in TIDES.parent.glob("*.md")}
    for rules in (PRESENT, TENTH):
        found = research(Brief(question=question), question, MeaningShelf(samples), rules.model)
        [gap] = [each for each in found.gaps if each.category == "contradictory_sources"]
        assert "500 GWh" in gap.topic and "600 GWh" in gap.topic
        assert found.confidence_factors.contradiction_detected


HOTELS = {
    "policy.md": "# Travel expenses policy\n\nWe pay up to £140 a night for a hotel, and up to £190 in London.\n",
    "faq.md": "# Travelling for work\n\nUp to £125 a night for a hotel; in London up to £190.\n",
}


def test_disputed_sums_are_told_without_the_words_behind_them() -> None:
    question = "How much may a hotel cost a night?"
    for rules, behind in ((PRESENT, ""), (TENTH, " a")):
        [gap] = research(Brief(question=question), question, MeaningShelf(HOTELS), rules.model).gaps
        sums = set(gap.topic.rpartition(": ")[2].split(" or "))
        assert sums == {f"£125{behind}", f"£140{behind}"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("The fence costs £5 on top.", "£5"),
        ("The fence costs £2.3 million and more.", "£2.3 million"),
        ("The fence costs $4 to 6 each.", "$4 to 6"),
        ("The fence is 12 feet long.", "12 feet"),
    ],
)
def test_a_sum_ends_with_its_amount(text: str, shown: str) -> None:
    terms = Terms()
    [figure] = figures(text, terms.tokens(text), frozenset(), terms)
    assert sum_alone(figure).shown == shown


VERSIONS = {
    "needs.md": "# Plume: system requirements\n\nPlume 3.1 needs Java 11.\n",
    "news.md": "# Release notes\n\nPlume 3.2 needs Java 17 or later.\n",
}


def test_versions_are_no_contradiction() -> None:
    question = "What is Plume?"
    found, earlier = (
        research(Brief(question=question), question, MeaningShelf(VERSIONS), rules.model)
        for rules in (PRESENT, TENTH)
    )
    assert len(found.citations) == len(earlier.citations) == 2
    assert (len(found.gaps), len(earlier.gaps)) == (0, 1)


def test_a_gap_names_what_nothing_speaks_of() -> None:
    [gap] = asked("How many parachutes does the Harsk ferry carry?").gaps
    assert "“parachutes”" in gap.detail


LEAFLET = (
    "# Malaria: leaflet\n\nMalaria is spread by mosquitoes that bite at night. It isn't passed from person to person."
    "\n\nSymptoms begin 7 to 30 days after the bite.\n"
)
PLUME = (
    "# Plume: system requirements\n\nPlume 3.1 needs Java 11. Plume 3.2 needs Java 17.\n\n| Users | Memory | Cores |\n"
    "|---|---|---|\n| up to 50 | 4 GB | 2 |\n| up to 500 | 16 GB | 8 |\n| up to 5000 | 64 GB | 24 |\n\nFiles of up to"
    " 1 GB can be uploaded in Plume 3.2.\n\nThe database may be PostgreSQL 13 or later; MySQL isn't supported.\n"
)


@pytest.mark.parametrize(
    ("page", "question", "said"),
    [
        (LEAFLET, "How is malaria spread?", "A sentence has all the words"),
        (PLUME, "How much memory does Plume need for 300 users?", "mention “300”;"),
    ],
)
def test_a_gap_says_of_words_only_what_holds_of_the_passages(
    page: str, question: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(likely, "ENOUGH", 1.0)
    monkeypatch.setattr(likely, "ENOUGH_TOLD", 1.0)
    gaps = research(Brief(question=question), question, MeaningShelf({"page.md": page})).gaps
    assert [said in each.detail for each in gaps] == [True]


def test_a_record_by_weights_is_run_again_to_the_same_answer(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.prepare()
    archive = LocalArchive(home)
    for name, text in PAGES.items():
        (tmp_path / name).write_text(text)
    job, _ = archive.catalogue.enter_job("pages", [str(tmp_path / name) for name in PAGES])
    IngestJob(archive, AnyParser(), open_embedder, job).run()
    for question in (*TOLD, *UNTOLD):
        task, _ = archive.catalogue.enter_task(Brief(question=question))
        run_task(archive, OpenedCorpus(open_corpus(str(home.root))), task)
        facts = [record.fact for record in home.read(f"{task}.r1")[0]]
        taken = next(fact for fact in facts if isinstance(fact, AssignmentTaken))
        assert taken.rules == PRESENT.model
        assert replay(home, task).differences == []


@pytest.mark.parametrize(
    ("question", "kind", "has", "has_not"),
    [
        ("How many rooms are there?", "count", "There are twelve of them.", "They are large."),
        ("Why was it shut?", "reason", "It was shut because of the rain.", "It was shut in May."),
        ("When did it open?", "date", "It opened in 1911.", "It opened to the public."),
        ("How much was a seat in 2024?", "sum", "A seat was £4.", "In 2024 seats sold well."),
    ],
)
def test_what_is_expected_stands_in_the_text_and_not_in_the_question(
    question: str, kind: str, has: str, has_not: str
) -> None:
    assert as_expected(question, has)[kind] == 1.0
    assert as_expected(question, has_not)[kind] == -1.0
    assert sum(map(abs, as_expected(question, has).values())) == 1.0


def test_whether_something_is_so_is_told_from_what_it_is() -> None:
    assert asks_whether("Can I pay by card?") and asks_whether("So, are dogs allowed?")
    assert not asks_whether("What can I pay with?")
    assert settles("Dogs may stay in the hut.") and settles("You can’t pay by card.")
    assert not settles("The mayor pays for the cannery.")


def test_weights_are_learned_without_chance() -> None:
    shown = [
        Example(
            f"{number}",
            np.array([[1.0, 0.0], [0.0, 1.0], [0.1 * number, 0.5]]),
            np.array([number % 3 > 0, False, False]),
        )
        for number in range(12)
    ]
    first, again = (learn(["near", "far"], shown) for _ in range(2))
    assert first == again
    assert first.orders["near"] > 0 > first.orders["far"]
