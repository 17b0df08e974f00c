"""What follows from the quotations of a comparison: which of two things it is, or yes or no.

It is said only where the quoted words leave no choice, and always as what it is, an inference: the dates, figures and
names that it compares stand in the quotations themselves.
"""

from collections.abc import Sequence

from actors.answering.agreeing import agreement
from actors.answering.comparing import ToldSide
from actors.answering.ordering import ordered, ordering_of
from actors.answering.terms import Terms


def verdict(sides: Sequence[ToldSide], terms: Terms) -> str | None:
    """What two sides come to; none where their quotations do not settle it."""
    if len(sides) != 2 or not all(side.told for side in sides):
        return None
    aspect = sides[0].aspect
    if ordering := ordering_of(aspect):
        return ordered(ordering, sides, terms)
    return agreement(aspect, sides)
