"""What a question is taken apart into: what is asked, and the terms that an answer to each of it should speak of."""

import re
from dataclasses import dataclass

from actors.answering.japanese.asking import Sought
from actors.answering.seeking import Seeks


@dataclass(frozen=True, slots=True)
class Wanted:
    """A term that an answer should speak of."""

    term: str
    kin: int | None
    surface: str
    weight: float
    """Before rarity: names count more, words that merely shape a question less."""

    strong: bool
    entity: int
    """Words of one name share a number other than 0; ordinary words have 0."""

    at: int
    """Where it stands in its part; negative when it was taken over from elsewhere."""

    measured: frozenset[str] = frozenset()
    """Dimensions of the figures that would speak of it."""

    sense: re.Pattern[str] | None = None
    """What a sentence looks like that speaks of it in other words."""

    kinship: bool = False
    """Whether it says how one person is related to another."""


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that is asked."""

    text: str
    query: str
    wanted: tuple[Wanted, ...]
    seeks: frozenset[Seeks]
    bridge: frozenset[str] = frozenset()
    """Names met on the way that may lead to the answer."""

    steps: tuple[str, ...] = ()
    """Questions within it, innermost first, where one must be answered before the next can be asked."""

    side: bool = False
    """Whether it is one side of a comparison…"""

    thing: str = ""
    """…and then what is compared…"""

    aspect: str = ""
    """…what with regard to…"""

    whether: bool = False
    """…and whether it is asked if the first one comes before the other."""

    topic: str = ""
    """What an overview is wanted of…"""

    regard: str = ""
    """…and what is to be told of it, where that is said."""

    japanese: Sought | None = None
    """What is sought by a question in Japanese."""
