"""What an embedding model is given: known to those who cut chunks and to those who run models."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToEmbed:
    """A chunk before it has vectors."""

    context: str
    """Title and headings: they tell what the text is about, and are never returned as the text."""

    text: str
    language: str
