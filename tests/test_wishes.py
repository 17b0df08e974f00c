"""What a request for an overview wishes for, and what asks for something else."""

import pytest

from actors.answering.wishes import MOST, Wishes, is_a_topic, wishes_of


@pytest.mark.parametrize(
    ("request_", "topic"),
    [
        ("Tell me about spring tides", "spring tides"),
        ("please tell us more about the Severn.", "the Severn"),
        ("Give me a short overview of tidal stream turbines!", "tidal stream turbines"),
        ("Write a report on tide mills", "tide mills"),
        ("Overview of the economics of tidal power", "the economics of tidal power"),
        ("I'd like to know more about tidal resonance", "tidal resonance"),
        ("Can you summarise the history of tide prediction?", "the history of tide prediction"),
        ("Describe to me the La Rance power station", "the La Rance power station"),
        ("What do my documents say about fish?", "fish"),
        ("What is known about eels?", "eels"),
        ("What do we know about eels", "eels"),
        ("Research the effects of barrages on mud", "the effects of barrages on mud"),
        # These ask something of a topic, and are questions.
        ("Explain why neap tides are small", ""),
        ("Tell me how a tide mill works", ""),
        ("Describe the difference between barrages and lagoons", ""),
        ("I want to know when La Rance opened", ""),
        ("What is a spring tide?", ""),
        ("What about fish?", ""),
        ("How are tides predicted?", ""),
        ("", ""),
    ],
)
def test_what_an_overview_is_wanted_of(request_: str, topic: str) -> None:
    assert wishes_of(request_) == (Wishes(topic) if topic else None)


@pytest.mark.parametrize("asked_", ["tidal power and the environment", "Swansea Bay lagoon"])
def test_a_topic_can_be_named_without_a_verb(asked_: str) -> None:
    assert is_a_topic(asked_)


@pytest.mark.parametrize(
    "asked_",
    [
        "price list 2024",
        "who built it",
        "is it open",
        "barrage or lagoon",
        "Tides?",
        "",
        "one two three four five six seven eight nine",
    ],
)
def test_what_asks_something_is_no_topic(asked_: str) -> None:
    assert not is_a_topic(asked_)


@pytest.mark.parametrize(
    ("request_", "topic", "regards"),
    [
        (
            "Research the effects of tidal power, including effects on fish, birds and sediment. Focus on La Rance."
            " Provide a comprehensive report.",
            "the effects of tidal power",
            ("effects on fish", "birds", "sediment", "La Rance"),
        ),
        (
            "I'm preparing a talk on tidal energy. Please give me an overview of the technology, its costs, and the"
            " main projects worldwide.",
            "tidal energy",
            ("technology", "costs", "main projects worldwide"),
        ),
        (
            "Conduct a thorough analysis of the Swansea lagoon: its planned capacity, cost, and why it was rejected.",
            "the Swansea lagoon",
            ("planned capacity", "cost", "why it was rejected"),
        ),
        (
            "Write a detailed report about turbines. Cover: 1) how they work 2) major installations 3) costs",
            "turbines",
            ("how they work", "major installations", "costs"),
        ),
        ("tidal power: history, costs", "tidal power", ("history", "costs")),
        (
            "Investigate tidal energy.\n- history\n- risks and gains",
            "tidal energy",
            ("history", "risks and gains"),
        ),
        ("Research La Rance. When did it open?", "La Rance", ("When did it open",)),
        ("Summarise eels. Be brief. Include citations. Thanks!", "eels", ()),
    ],
)
def test_what_is_to_be_told_of_a_topic(request_: str, topic: str, regards: tuple[str, ...]) -> None:
    assert wishes_of(request_) == Wishes(topic, regards)


@pytest.mark.parametrize(
    "request_",
    [
        "Tell me about eels. They were seen in May.",
        "I am on holiday. What is a tide?",
        "Is this about eels? Describe them.",
        "Note: bring the keys",
    ],
)
def test_what_is_no_wish_is_left_to_be_asked_as_it_stands(request_: str) -> None:
    assert wishes_of(request_) is None


def test_the_things_that_are_told_are_bounded_and_each_comes_once() -> None:
    found = wishes_of("Describe eels: " + ", ".join(f"part {chr(97 + n)}" for n in range(20)))
    assert found and len(found.regards) == MOST
    again = wishes_of("Describe eels: food, food and food")
    assert again == Wishes("eels", ("food",))


@pytest.mark.parametrize("words", ["Tell me about ", "Describe eels: ", "give me an overview of "])
def test_a_request_of_any_length_is_read_at_once(words: str) -> None:
    wishes_of(words + "a, and the " * 20_000)
    wishes_of("please " * 20_000 + words)
    wishes_of(words * 5_000)
    wishes_of("I am " + "going on " * 20_000)
    wishes_of("Describe eels. " + "include many more " * 20_000)
