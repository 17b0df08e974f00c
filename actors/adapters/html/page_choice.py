"""Chooses between readings of one page by what the page tells machines that its text is.

Many pages do, in words that no reader of markup has to guess at. It is held against what was read: the
reading that agrees with it is taken, and where none does, because scripts would have shown the text, the text
that was told is all there is.
"""

import re
from collections import Counter

from actors.adapters.draft import Draft
from actors.adapters.html.seen import SeenPage
from actors.ports import Coverage, Parsed
from actors.webpages.markup import has_lines, unescaped
from actors.webpages.structured_data import plain_text

MARGIN = 0.1
"""How much nearer to what was told another reading must be to be taken."""

STRANGE = 0.3
"""Agreement below which a reading has nothing to do with what was told."""

WARNING = "its text is what it tells machines; without scripts a reader sees less"

_LEAST = 250
"""Letters from which what is told is a text and no summary."""

_LONGEST = 400_000
_DENSE = re.compile("[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_WORD = re.compile(rf"{_DENSE.pattern}|[^\W_]+")


def agreement(one: str, other: str) -> float:
    """How far two texts are the same words: 0 for none, 1 for all."""
    mine, theirs = _words(one), _words(other)
    both = mine.total() + theirs.total()
    return 2 * (mine & theirs).total() / both if both else 0.0


def _words(text: str) -> Counter[str]:
    """Words, and single characters where nothing stands between words."""
    return Counter(_WORD.findall(text[:_LONGEST].casefold()))


def agreed(name: str, main: Parsed, bare: Parsed, told: list[str]) -> Parsed:
    """The reading of a page that is nearest to what it tells; the first where it tells nothing."""
    text = "\n".join(map(plain_text, told))
    if _weight(text) < _LEAST:
        return main
    near, far = agreement(main.text, text), agreement(bare.text, text)
    if max(near, far) < STRANGE and len(text) > len(main.text):
        return _as_told(name, main, told)
    return bare if far > near + MARGIN else main


def _weight(text: str) -> float:
    """Letters, of which one of a script without spaces says more than one of an alphabet."""
    return len(text) + 1.5 * len(_DENSE.findall(text))


def _as_told(name: str, main: Parsed, told: list[str]) -> Parsed:
    draft = Draft(name)
    for each in told:
        markup = unescaped(each)
        if has_lines(markup):
            SeenPage(draft).read(markup)
        else:
            for line in plain_text(each).splitlines():
                draft.paragraph(line)
    title = None if draft.titled else main.title
    return draft.parsed(main.media_type, title, main.metadata, Coverage(warnings=(WARNING,)))
