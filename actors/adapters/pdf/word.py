"""A word at its place on a page."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Word:
    """A run of letters without a blank, at its place.

    Counted from the left and the top as its reader sees the page, who turns it where need be.
    """

    text: str
    left: float
    right: float
    base: float
    size: float
    bold: bool
    fixed: bool
    """It is set like on a typewriter, as code is."""

    turn: int = 0
    """Degrees by which it is turned against the page."""

    italic: bool = False
    """It is slanted, or in small capitals."""

    colour: int = 0
    """Red, green and blue of its letters; 0 is black."""

    glued: bool = False
    """No blank lies between it and the word before it."""
