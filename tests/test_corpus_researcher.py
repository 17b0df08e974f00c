"""The researcher that answers in the words of the corpus."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.chunking import chunk
from actors.findings import ConfidenceFactors, Findings, confidence
from actors.kinds.corpus import NOTHING, research
from actors.parsing import AnyParser
from actors.ports import Passage
from actors.questions import plan
from actors.reading import Reading
from actors.rules import FIRST, PRESENT, rules_called
from actors.terms import Terms
from events.base import Fact
from events.catalogue import Brief, Constraints
from events.codec import canonical, digest
from events.errors import BadRequest, CallCut, MissingBlob, Unreadable
from events.research import GapFound, PassageQuoted, SourceRead, StepTaken
from language.sentences import sentences
from tests.encyclopedia import Asked, by_hand, world
from tests.libraries import Words

Noted = TypeVar("Noted", bound=Fact)
ROOT = Path(__file__).resolve().parent.parent
SAMPLES = {path.name: path.read_text() for path in sorted((ROOT / "docs" / "samples").glob("*.md"))}
DEMO = (
    "How much electricity does the La Rance tidal power station generate each year, "
    "what did its barrage do to the estuary, and how many people does it employ?"
)


class Shelf:
    """A desk over documents in memory, with everything that was noted and asked."""

    def __init__(self, documents: dict[str, str], stop_after: int | None = None) -> None:
        self.notes: list[Fact] = []
        self.queries: list[str] = []
        self.texts: dict[str, str] = {}
        self._index = Words()
        self._passages: list[Passage] = []
        self._steps_left = stop_after
        for locator, document in documents.items():
            self._add(locator, document)

    def _add(self, locator: str, document: str) -> None:
        try:
            parsed = AnyParser().parse(Path(locator).name, document.encode())
        except Unreadable:
            return
        text_hash = digest(parsed.text.encode())
        self.texts[text_hash] = parsed.text
        chunks = chunk(parsed.text, parsed.blocks)
        texts = [parsed.text[each.start : each.end] for each in chunks]
        self._index.add(locator, parsed.title, [each.headings for each in chunks], texts)
        for each, text in zip(chunks, texts, strict=True):
            self._passages.append(
                Passage(
                    document=f"doc-{locator}",
                    version=digest(document.encode()),
                    size=len(document.encode()),
                    text_hash=text_hash,
                    locator=locator,
                    title=parsed.title,
                    media_type=parsed.media_type,
                    collection="tides",
                    published_at="2026-11-16T00:00:00.000000Z",
                    headings=each.headings,
                    start=each.start,
                    end=each.end,
                    text=text,
                    score=0.0,
                )
            )

    def search(self, query: str, limit: int, collections: tuple[str, ...] | None) -> list[Passage]:
        self.queries.append(query)
        hits = self._index.search(query, limit)
        return [self._passages[row].model_copy(update={"score": score}) for row, score in hits]

    def likeness(self, question: str, texts: Sequence[str]) -> list[float | None]:
        return [None] * len(texts)

    def text(self, text_hash: str) -> str:
        if text_hash not in self.texts:
            raise MissingBlob(text_hash)
        return self.texts[text_hash]

    def note(self, *facts: Fact) -> None:
        self.notes += facts

    def checkpoint(self) -> None:
        if self._steps_left is not None:
            self._steps_left -= 1
            if self._steps_left < 0:
                raise CallCut("the next step")

    def noted(self, kind: type[Noted]) -> list[Noted]:
        return [fact for fact in self.notes if isinstance(fact, kind)]


def ask(desk: Shelf, question: str, **wishes: object) -> Findings:
    return research(Brief.model_validate({"question": question, **wishes}), question, desk)


def categories(findings: Findings) -> list[str]:
    return [gap.category for gap in findings.gaps]


@pytest.fixture
def shelf() -> Shelf:
    return Shelf(SAMPLES)


# -- the answer ------------------------------------------------------------------------------------


def test_the_demo_question_shows_citations_a_contradiction_and_a_gap(shelf: Shelf) -> None:
    found = ask(shelf, DEMO)
    assert "500 GWh" in found.answer and "600 GWh" in found.answer and "sandbanks" in found.answer
    assert len(found.citations) >= 4
    assert {"contradictory_sources", "source_not_found"} <= set(categories(found))
    assert found.parts[2] == "How many people does it employ?"
    assert not [each for each in found.sentences if each.about == found.parts[2]]
    assert found.confidence < 0.5 and found.confidence_factors.contradiction_detected


def test_an_answer_is_made_of_quotations_with_their_numbers(shelf: Shelf) -> None:
    found = ask(shelf, "When was the La Rance tidal power station opened?")
    for line in found.answer.splitlines():
        quoted = re.fullmatch(r"- “(.+)” ((?:\[\d+\])+)(?: \(but see .+\))?", line)
        assert quoted
        first = found.citations[int(quoted[2][1:].partition("]")[0]) - 1]
        assert quoted[1] == " ".join(first.raw_excerpt.strip("|").split())


def test_every_statement_rests_on_citations_that_exist(shelf: Shelf) -> None:
    found = ask(shelf, DEMO, depth="deep")
    numbers = {each.number for each in found.citations}
    assert sorted(numbers) == list(range(1, len(numbers) + 1))
    assert all(each.citations and set(each.citations) <= numbers for each in found.sentences)
    assert {n for each in found.sentences for n in each.citations} == numbers


@pytest.mark.parametrize(("depth", "most"), [("shallow", 3), ("balanced", 6), ("deep", 12)])
def test_depth_bounds_the_number_of_quotations(shelf: Shelf, depth: str, most: int) -> None:
    found = ask(shelf, "How is electricity generated from the tide, and where?", depth=depth)
    disputed = [each for each in found.sentences if each.disputes]
    assert 0 < len(found.sentences) <= most + len(disputed)


def test_a_second_source_that_says_the_same_is_cited_too() -> None:
    found = ask(
        Shelf(
            {
                "a.md": "The Sihwa station has a capacity of 254 megawatts.",
                "b.md": "In Korea the Sihwa station reaches a capacity of 254 megawatts today.",
            }
        ),
        "What is the capacity of the Sihwa station?",
    )
    assert found.sentences[0].citations == (1, 2)
    assert found.confidence_factors.num_corroborating_sources == 2


def test_a_copy_is_no_second_witness() -> None:
    words = "The Sihwa station has a capacity of 254 megawatts."
    found = ask(
        Shelf({"a.md": words, "b.md": f"# Copy\n\n{words}"}), "What is the capacity of Sihwa?"
    )
    assert found.confidence_factors.num_corroborating_sources == 1


def test_a_sentence_that_points_back_brings_what_it_points_to() -> None:
    desk = Shelf(
        {"a.md": "The mill stood at Nendrum on the lough. It was felled in 619 by all evidence."}
    )
    [citation] = ask(desk, "When was the mill at Nendrum felled?").citations
    assert citation.raw_excerpt.startswith("The mill stood at Nendrum")


def test_japanese_questions_are_answered_from_japanese_sources(shelf: Shelf) -> None:
    found = ask(shelf, "日本で干満の差が最も大きいのはどこですか。")
    assert "有明海" in found.answer
    assert {each.locator for each in found.citations} == {"choseki-ja.md"}


def test_web_and_file_sources_are_told_apart() -> None:
    desk = Shelf({"https://tides.example.gov/a.md": "The range at Avonmouth is 12 metres."})
    found = ask(desk, "What is the range at Avonmouth?")
    assert found.citations[0].source == "web"
    assert found.confidence_factors.source_authority == "high"


# -- what is not there -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of Mongolia?",
        "How do I train a neural network?",
        "Who won the football World Cup in 1998?",
        "What is the boiling point of ethanol?",
        "ブラジルの首都はどこですか。",
    ],
)
def test_an_absent_topic_yields_gaps_and_no_nonsense(shelf: Shelf, question: str) -> None:
    found = ask(shelf, question)
    assert (found.answer, found.citations) == (NOTHING, ())
    assert categories(found) == ["source_not_found"]
    assert found.confidence <= 0.1


@pytest.mark.parametrize("question", ["?", "What is it?", "   ", "the of and", "🙂"])
def test_a_question_about_nothing_is_answered_honestly(shelf: Shelf, question: str) -> None:
    assert ask(shelf, question).answer == NOTHING
    assert shelf.queries == []


def test_an_empty_corpus_is_no_error() -> None:
    found = ask(Shelf({}), "What is a tide?")
    assert (found.answer, categories(found)) == (NOTHING, ["source_not_found"])


def test_a_name_without_support_is_a_gap_of_its_own(shelf: Shelf) -> None:
    found = ask(shelf, "Who opened La Rance, and what is the range at Avonmouth in Atlantis?")
    assert any("Atlantis" in gap.topic for gap in found.gaps)


def test_a_source_whose_text_is_lost_is_reported(shelf: Shelf) -> None:
    lost = digest(SAMPLES["tide-mills.md"].encode())
    del shelf.texts[lost]
    found = ask(shelf, "How many tide mills were there on the Atlantic coasts?")
    assert "access_denied" in categories(found)
    assert all(each.text_hash != lost for each in found.citations)


# -- disagreement ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "one", "other"),
    [
        (
            "How much electricity does La Rance generate?",
            "La Rance generates about 500 GWh of electricity a year.",
            "La Rance produces 600 GWh of electricity a year.",
        ),
        (
            "When was the Woodbridge mill built?",
            "The Woodbridge mill was built in 1170.",
            "The Woodbridge mill was built in 1792.",
        ),
        (
            "How long is the barrage at La Rance?",
            "The barrage at La Rance is 750 metres long.",
            "The barrage at La Rance is 0.9 km long.",
        ),
        (
            "How many turbines does La Rance have?",
            "The La Rance station has 24 turbines.",
            "The La Rance station has 20 turbines.",
        ),
    ],
)
def test_different_figures_for_the_same_thing_are_a_contradiction(
    question: str, one: str, other: str
) -> None:
    found = ask(Shelf({"a.md": one, "b.md": other}), question)
    assert "contradictory_sources" in categories(found)
    assert found.confidence_factors.contradiction_detected
    assert [each.type for each in found.discovery_events] == ["contradiction"]
    assert found.open_questions[0].priority == "high"
    assert {each.locator for each in found.citations} == {"a.md", "b.md"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "La Rance generates 500 GWh of electricity a year.",
            "Sihwa generates 550 GWh of electricity a year.",
        ),
        ("The mean range at La Rance is 8 metres.", "The largest range at La Rance is 13 metres."),
        ("The barrage at La Rance is 750 metres long.", "The barrage at La Rance is 0.75 km long."),
        ("La Rance generates 500 GWh a year.", "La Rance generates 480 to 520 GWh a year."),
        ("The range at Malo is 12 metres at springs.", "The range at Malo is 4 metres at neaps."),
        (
            "In 1970 La Rance generated 400 GWh of power.",
            "In 1990 La Rance generated 500 GWh of power.",
        ),
    ],
)
def test_figures_for_different_things_are_none(one: str, other: str) -> None:
    found = ask(
        Shelf({"a.md": one, "b.md": other}), "How does La Rance, Sihwa or Malo generate and range?"
    )
    assert "contradictory_sources" not in categories(found)


# -- leads -----------------------------------------------------------------------------------------


def test_references_in_quoted_passages_become_discoveries(shelf: Shelf) -> None:
    found = ask(shelf, "How many tide mills were there on the Atlantic coasts?")
    assert [(each.type, each.query.partition(":")[0]) for each in found.discovery_events] == [
        ("related_research", "Minchinton 1979")
    ]


def test_what_a_source_calls_unknown_becomes_an_open_question(shelf: Shelf) -> None:
    found = ask(shelf, "What is the effect of turbine noise on porpoises?")
    assert any(
        "turbine noise on harbour porpoises?" in each.question for each in found.open_questions
    )


def test_context_says_what_to_look_at_and_what_is_known(shelf: Shelf) -> None:
    question = "What are the effects of a barrage?"
    plain = ask(shelf, question).answer
    known = "I already know that wading birds feed on mudflats that are exposed between tides and shrink."
    assert ask(shelf, question, context=f"{known} Focus on fish mortality.").answer != plain


# -- limits ----------------------------------------------------------------------------------------


def test_no_more_searches_are_made_than_allowed(shelf: Shelf) -> None:
    found = ask(shelf, DEMO, constraints={"max_iterations": 1})
    assert (len(shelf.queries), found.iterations_run, found.budget_exhausted) == (1, 1, True)
    assert "budget_exhausted" in categories(found)


def test_no_search_allowed_is_no_answer(shelf: Shelf) -> None:
    found = ask(shelf, "What is a neap tide?", constraints={"max_iterations": 0})
    assert (shelf.queries, found.answer, categories(found)) == ([], NOTHING, ["budget_exhausted"])


def test_no_more_sources_are_read_than_allowed(shelf: Shelf) -> None:
    found = ask(shelf, DEMO, constraints={"max_sources": 1})
    assert len(shelf.noted(SourceRead)) == 1
    assert len({each.text_hash for each in found.citations}) == 1
    assert found.confidence_factors.budget_exhausted and "budget_exhausted" in categories(found)


def test_an_ordinary_question_does_not_exhaust_the_budget(shelf: Shelf) -> None:
    assert not ask(shelf, "What is a neap tide?").budget_exhausted


def test_a_filter_keeps_other_sources_out(shelf: Shelf) -> None:
    found = ask(shelf, "When was La Rance opened?", constraints={"source_filter": "tidal-stations"})
    assert {each.locator for each in found.citations} == {"tidal-stations.md"}


# -- the record ------------------------------------------------------------------------------------


def test_what_is_noted_is_what_is_found(shelf: Shelf) -> None:
    found = ask(shelf, DEMO)
    assert [(each.citation, each.start, each.end) for each in shelf.noted(PassageQuoted)] == [
        (each.number, each.start, each.end) for each in found.citations
    ]
    assert [each.topic for each in shelf.noted(GapFound)] == [each.topic for each in found.gaps]
    read = {each.text_hash for each in shelf.noted(SourceRead)}
    assert len(read) == len(shelf.noted(SourceRead))
    assert {each.text_hash for each in found.citations} <= read


def test_steps_go_up_to_the_number_announced(shelf: Shelf) -> None:
    ask(shelf, DEMO)
    steps = shelf.noted(StepTaken)
    assert [each.step for each in steps] == sorted(each.step for each in steps)
    assert steps[-1].step == steps[-1].of
    assert [steps[0].action, steps[-2].action, steps[-1].action] == ["plan", "select", "compose"]


def test_the_same_question_is_answered_and_noted_the_same_way(shelf: Shelf) -> None:
    again = Shelf(dict(reversed(SAMPLES.items())))
    first, second = ask(shelf, DEMO, depth="deep"), ask(again, DEMO, depth="deep")
    assert canonical(first) == canonical(second)
    assert shelf.notes == again.notes


ANSWER_ELSEWHERE = """
from tests.test_corpus_researcher import DEMO, SAMPLES, Shelf, ask
from events.codec import canonical, digest
desk = Shelf(SAMPLES)
print(digest(canonical(ask(desk, DEMO, depth="deep")) + repr(desk.notes).encode()))
"""


def test_no_order_of_hashing_changes_a_byte() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", ANSWER_ELSEWHERE],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


def test_a_stop_takes_effect_between_steps() -> None:
    whole = Shelf(SAMPLES)
    ask(whole, DEMO)
    lengths: list[int] = []
    for steps in range(12):
        desk = Shelf(SAMPLES, stop_after=steps)
        with pytest.raises(CallCut):
            ask(desk, DEMO)
        assert desk.notes == whole.notes[: len(desk.notes)]
        lengths.append(len(desk.notes))
    assert lengths == sorted(lengths) and lengths[0] == 0 and lengths[-1] > 5


# -- properties ------------------------------------------------------------------------------------

WORDS = (
    "La Rance",
    "tide",
    "the",
    "Moon",
    "generates",
    "500",
    "600",
    "GWh",
    "a year",
    "in 1966",
    "is",
    "not",
    "潮汐",
)
SENTENCE = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(
    lambda words: " ".join(words) + "."
)
DOCUMENT = st.lists(SENTENCE | st.text(max_size=60), max_size=6).map("\n\n".join)
QUESTION = SENTENCE | st.text(max_size=80) | st.lists(SENTENCE, max_size=3).map(" and what ".join)


@settings(max_examples=120, deadline=None)
@given(
    st.lists(DOCUMENT, max_size=4),
    QUESTION,
    st.sampled_from(["shallow", "balanced", "deep"]),
    st.integers(0, 3),
    st.integers(0, 3),
)
def test_no_corpus_and_no_question_lead_to_an_unverifiable_citation(
    documents: Sequence[str], question: str, depth: str, iterations: int, sources: int
) -> None:
    desk = Shelf({f"{number}.md": document for number, document in enumerate(documents)})
    limits = Constraints(max_iterations=iterations, max_sources=sources)
    found = ask(desk, question, depth=depth, constraints=limits.model_dump())
    for each in found.citations:
        assert desk.texts[each.text_hash][each.start : each.end] == each.raw_excerpt
        assert 0 < len(each.raw_excerpt) <= 500
    assert bool(found.citations) == (found.answer != NOTHING)
    assert found.iterations_run == len(desk.queries) <= iterations
    assert len(desk.noted(SourceRead)) <= sources
    assert 0 <= found.confidence <= (0.95 if found.citations else 0.1)
    assert canonical(found) and Findings.model_validate_json(canonical(found)) == found


# -- parts of a question ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("What is a tide?", ["What is a tide?"]),
        ("What is X? Where is Y?", ["What is X?", "Where is Y?"]),
        (
            "When was it built, who built it, and why?",
            ["When was it built?", "Who built it?", "Why?"],
        ),
        ("Compare barrages and lagoons", ["Barrages", "Lagoons"]),
        ("What is the difference between ebb and flood?", ["Ebb", "Flood"]),
        ("Compare La Rance with Sihwa in terms of output", ["La Rance: output", "Sihwa: output"]),
        (
            "Which opened first, La Rance or Sihwa?",
            ["La Rance: Which opened first", "Sihwa: Which opened first"],
        ),
        (
            "What are the causes and effects of tides?",
            ["What are the causes of tides?", "What are the effects of tides?"],
        ),
        ("Who sailed the ship, which was lost?", ["Who sailed the ship, which was lost?"]),
        ("Are salt and pepper minerals?", ["Are salt and pepper minerals?"]),
        ("1) tide mills 2) tide tables", ["Tide mills", "Tide tables"]),
    ],
)
def test_a_question_is_taken_apart_where_it_asks_several_things(
    question: str, parts: list[str]
) -> None:
    found = [part.text for part in plan(question, "", Terms())]
    assert (
        found == parts or found == parts[:-1]
    )  # "Why?" alone has nothing to look for but its subject


def test_a_question_has_at_most_five_parts() -> None:
    assert len(plan("What is a tide? " * 3 + "What is the moon? " * 9, "", Terms())) == 5


def test_a_part_that_says_it_takes_its_subject_from_the_part_before() -> None:
    second = plan("When did La Rance open and who built it?", "", Terms())[1]
    assert {"la", "ranc"} <= {each.term for each in second.wanted}


def test_confidence_follows_its_formula() -> None:
    factors = ConfidenceFactors(
        num_corroborating_sources=2,
        source_authority="high",
        contradiction_detected=False,
        query_specificity_match=0.8,
        budget_exhausted=False,
        recency=None,
    )
    assert confidence(factors, 1.0) == round(0.85 * (0.45 + 0.225 + 0.20 + 0.035), 2)
    worse = factors.model_copy(update={"contradiction_detected": True, "budget_exhausted": True})
    assert confidence(worse, 1.0) == round(confidence(factors, 1.0) - 0.25, 2)


# -- how good it is --------------------------------------------------------------------------------

QUESTIONS = [
    json.loads(line) for line in (ROOT / "tests" / "questions.jsonl").read_text().splitlines()
]
BARS = {"shallow": (0.85, 0.80), "balanced": (0.90, 0.74), "deep": (0.94, 0.70)}
"""Supporting-sentence recall and precision that must not be lost; a little under what was reached."""


def cited_sentences(found: Findings, desk: Shelf) -> list[tuple[str, str]]:
    """Every sentence that lies mostly within a cited span, with its document."""
    cited: dict[tuple[str, str], None] = {}
    for each in found.citations:
        text = desk.texts[each.text_hash]
        for sentence in sentences(text, each.start, each.end):
            inside = min(sentence.end, each.end) - max(sentence.start, each.start)
            if sentence.kind != "heading" and inside >= 0.6 * min(
                sentence.end - sentence.start, 450
            ):
                said = " ".join(text[sentence.start : sentence.end].split())
                cited[each.locator, said] = None
    return list(cited)


def hits(cited: list[tuple[str, str]], wanted: list[list[str]]) -> list[bool]:
    return [any(where == file and words in said for where, said in cited) for file, words in wanted]


@pytest.mark.parametrize("depth", ["shallow", "balanced", "deep"])
def test_supporting_sentences_are_found_and_little_else(shelf: Shelf, depth: str) -> None:
    recalls: list[float] = []
    precisions: list[float] = []
    answered: list[bool] = []
    for each in QUESTIONS:
        found = ask(shelf, each["question"], depth=depth)
        if not each["gold"]:
            assert found.citations == (), each["question"]
            continue
        cited = cited_sentences(found, shelf)
        good = [
            any(hits([one], [place])[0] for place in each["gold"] + each["also"]) for one in cited
        ]
        recalls.append(sum(hits(cited, each["gold"])) / len(each["gold"]))
        precisions.append(sum(good) / len(good) if good else 0.0)
        answered.append(all(words in found.answer for words in each["answer"]))
    recall, precision = (sum(each) / len(each) for each in (recalls, precisions))
    containment = sum(answered) / len(answered)
    figures = f"recall {recall:.3f}, precision {precision:.3f}, answer {containment:.3f}"
    print(f"\n{depth}: {figures}")  # noqa: T201 - for a look with -s
    assert (recall >= BARS[depth][0], precision >= BARS[depth][1], containment >= 0.85) == (
        True,
        True,
        True,
    )


ENCYCLOPEDIA = by_hand()
SETS = {
    "by hand": (ENCYCLOPEDIA[0], tuple(one for _, one in ENCYCLOPEDIA[1])),
    "made up": (lambda made: (made.pages, made.questions))(world(3, "dev", each=1)),
    "made up in other words": (lambda made: (made.pages, made.questions))(world(3, "held", each=1)),
}


def same(gold: tuple[str, str], told: tuple[str, str]) -> bool:
    return f"{gold[0]}.md" == told[0] and (gold[1] in told[1] or told[1] in gold[1])


def score(one: Asked, told: list[tuple[str, str]]) -> tuple[float, float]:
    """Recall and precision of supporting sentences."""
    hit = sum(any(same(gold, each) for each in told) for gold in one.gold)
    good = sum(any(same(gold, each) for gold in one.gold) for each in told)
    return hit / len(one.gold), good / len(told) if told else 0.0


@pytest.mark.parametrize("name", SETS)
def test_questions_over_short_pages_are_followed_from_page_to_page(name: str) -> None:
    pages, asked = SETS[name]
    desk = Shelf({f"{title}.md": f"# {title}\n\n{text}" for title, text in pages.items()})
    scores: list[tuple[float, float]] = []
    answered: list[bool] = []
    silent: list[bool] = []
    for one in asked:
        found = ask(desk, one.question)
        if not one.gold:
            silent.append(not found.citations)
            continue
        scores.append(score(one, cited_sentences(found, desk)))
        answered += [one.answer in found.answer] if one.answer else []
    recall, precision = (sum(each) / len(each) for each in zip(*scores, strict=True))
    containment = sum(answered) / len(answered)
    print(f"\n{name}: recall {recall:.3f}, precision {precision:.3f}, answer {containment:.3f}")  # noqa: T201
    assert (recall >= 0.88, precision >= 0.85, containment >= 0.85) == (True, True, True)
    assert sum(silent) >= 0.8 * len(silent)


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


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Wer hat die Turbine für das Kraftwerk gebaut?", set()),
        ("Who built the machine that is called Turbine?", {"Turbine"}),
    ],
)
def test_a_german_noun_does_not_tie_a_question_to_the_page_about_it(
    question: str, named: set[str]
) -> None:
    desk = Shelf({"turbine.md": "# Turbine\n\nEine Turbine dreht sich."})
    parts = plan(question, "", Terms())
    reading = Reading(Brief(question=question), parts, desk, Terms(), PRESENT)
    reading.search_for_parts()
    judge, _ = reading.judged()
    assert reading.candidates() and judge.about(parts[0]) == named


def test_a_pronoun_that_means_the_title_stands_alone() -> None:
    found = ask(Shelf(FILMS), "Who is the mother of Ada Novak?")
    assert [each.raw_excerpt for each in found.citations] == ["She is the daughter of Olga Novak."]


def test_older_records_are_answered_by_the_rules_that_made_them() -> None:
    question = "Who is the mother of the director of film The Mill?"
    then = research(Brief(question=question), question, Shelf(FILMS), FIRST.model)
    now = research(Brief(question=question), question, Shelf(FILMS))
    assert (then.model_id, now.model_id) == (FIRST.model, PRESENT.model)
    assert "Olga Novak" not in then.answer and "Olga Novak" in now.answer


def test_rules_that_nobody_knows_are_refused() -> None:
    with pytest.raises(BadRequest, match="corpus-extractive-99"):
        rules_called("corpus-extractive-99")


def test_what_is_largest_of_all_comes_before_what_is_largest_at_one_place(shelf: Shelf) -> None:
    answer = ask(shelf, "Where is the tidal range largest?").answer
    before, found, _ = answer.partition("Bay of Fundy")
    assert found and "tidal range at La Rance" not in before


def test_how_something_is_done_is_told_by_a_page_on_ways_of_doing_it(shelf: Shelf) -> None:
    answer = ask(shelf, "How do tides generate electricity?").answer
    assert "the turbines run while the sea falls" in answer


class Alike(Shelf):
    """A shelf on which every two texts mean nearly the same."""

    def likeness(self, question: str, texts: Sequence[str]) -> list[float | None]:
        return [0.7] * len(texts)


def test_a_name_alone_does_not_answer_what_is_asked_of_it() -> None:
    station = "La Rance generates about 500 GWh a year, the consumption of 225,000 people."
    desk = Alike({"rance.md": f"# La Rance\n\n{station}\n"})
    findings = ask(desk, "How many engineers does La Rance employ?")
    assert findings.citations == ()
    assert ask(desk, "How much does La Rance generate?").citations[0].raw_excerpt == station
