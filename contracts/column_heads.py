"""What the columns are called beside a row of a table: its own words are word for word, and do not say it.

Read from the stored text when it is shown, so that what was ingested and cited long ago has it, too.
"""

from typing import Any

from contracts.seen_letters import seen
from events.blobs import BlobStore
from events.errors import ResearchError
from language.table_heads import heads_over, may_be_row

Reply = dict[str, Any]

_KEPT = 16 << 20
"""Characters of texts that are kept while one answer is put together; one may have more."""


class ColumnHeads:
    """The heads of one answer's rows: each text is read once, unless there is too much of them to be kept."""

    def __init__(self, blobs: BlobStore) -> None:
        self._blobs = blobs
        self._texts: dict[str, str] = {}

    def of_passage(self, found: Reply) -> Reply:
        """`column_heads`, if a passage that was found is rows of a table without theirs; else nothing."""
        return self._over(found) if found["content_type"] == "table" else {}

    def of_citation(self, citation: Reply) -> Reply:
        """The same of words that a research cites. One that was imported may cite what is no place in a text."""
        match citation:
            case {"raw_excerpt": str(words), "text_hash": str(), "start": int()}:
                return self._over(citation) if may_be_row(words) else {}
        return {}

    def _over(self, place: Reply) -> Reply:
        heads = heads_over(self._said(place["text_hash"]), place["start"])
        return {"column_heads": seen(heads)} if heads else {}

    def _said(self, text_hash: str) -> str:
        if text_hash not in self._texts:
            try:
                text = self._blobs.get_text(text_hash)
            except (ResearchError, UnicodeDecodeError):
                # It was erased, is damaged, or is no text: whoever shows the words themselves says so.
                text = ""
            while self._texts and sum(map(len, self._texts.values())) + len(text) > _KEPT:
                del self._texts[next(iter(self._texts))]
            self._texts[text_hash] = text
        return self._texts[text_hash]
