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

    @property
    def height(self) -> float:
        """Of the box around it."""
        return self.bottom - self.top
