"""A parser on a machine that has Tesseract and no other engine."""

from actors.adapters import ocr
from actors.ingesting.parsing import AnyParser


class OnlyTesseract(AnyParser):
    """Reads scanned pages with the program only."""

    def __init__(self) -> None:
        ocr.is_there = lambda: False
