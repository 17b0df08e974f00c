"""A line or word that somebody saw in an image."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Seen:
    """A line of text in an image, in pixels from its left and top."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    sure: float = 1.0
    """How sure whoever saw it is, from 0 to 1."""

    @property
    def height(self) -> float:
        """Of the box around it."""
        return self.bottom - self.top

    @property
    def is_tall(self) -> bool:
        """Whether several letters stand above each other, or lie on their side."""
        return len(self.text) > 1 and self.height > 1.5 * (self.right - self.left)
