"""Whether a question and the pages that were found for it are in different languages.

Such a question is answered by meaning alone, if at all, and in words that whoever asked may not read. Nothing else in
an answer shows that: its scores and its results look like any others.
"""

from collections.abc import Callable, Iterable, Sequence

from language.detection import UNKNOWN, language_of
from language.foreign import is_foreign
from language.language_names import NAMES

_MOST_NAMED = 3

Compares = Callable[[str, Iterable[str]], bool]
"""Whether a question in one language is compared by meaning with pages in any of these."""


def language_note(
    query: str, pages: Sequence[Sequence[str]], compares: Compares, *, shares_words: bool
) -> str | None:
    """What to say if none of the pages, each given by its languages, is in the language of the question."""
    written = list(dict.fromkeys(language for page in pages for language in page))
    asked = language_of(query)
    if not all(pages) or not written or not is_foreign(query, written, shares_words=shares_words):
        return None
    of_pages = ", ".join(NAMES.get(each, each) for each in written[:_MOST_NAMED])
    more = " and others" if len(written) > _MOST_NAMED else ""
    of_question = f"in {NAMES[asked]}" if asked in NAMES else "in other letters"
    how = (
        "They were compared by meaning, and are shown as they are written."
        if asked == UNKNOWN or compares(asked, written)
        else "Their meaning cannot be compared with it: ask in the language of the pages."
    )
    return f"The pages are in {of_pages}{more}, and the question is {of_question}. {how}"
