"""The answer that several researchers give together, in words. Pure.

The leading answer stays what it was; what others add follows under the questions that they were asked.
"""

from collections.abc import Sequence

from actors.answering.quoting import squeezed
from actors.findings import Citation, Findings
from actors.merging.contributions import EARLIER, Claim
from actors.reports.wording import display


class MergedAnswer:
    """The claims under their questions."""

    def __init__(
        self, lead: Findings, claims: Sequence[Claim], citations: Sequence[Citation]
    ) -> None:
        self._lead, self._claims, self._citations = lead, claims, citations

    def text(self, further: Sequence[str]) -> str:
        """The whole; `further` are the questions that are not the lead's own."""
        blocks: list[str] = []
        parts: list[str] = []
        if self._lead.grounding is not None or not self._claims:
            blocks.append(self._lead.answer)
        else:
            parts = self._own_parts(further)
        for part in (*parts, *further):
            said = [claim for claim in self._claims if claim.about == part]
            if not said:
                continue
            if part in further or (len(parts) > 1 and part in self._lead.parts):
                blocks.append(f"**{display(part)}**")
            quotes = all(map(self._quoted, said))
            lines = [("- " if quotes else "") + self._line(claim) for claim in said]
            blocks.append(("\n" if quotes else " ").join(lines))
        return "\n\n".join(blocks)

    def _own_parts(self, further: Sequence[str]) -> list[str]:
        """The lead's parts; what follows from several of them, and belongs to none, comes first."""
        parts = [part for part in self._lead.parts if part not in further]
        whole = [each.about for each in self._claims if each.about not in further]
        return list(dict.fromkeys((*(each for each in whole if each not in parts), *parts)))

    def _line(self, claim: Claim) -> str:
        marks = "".join(f"[{number}]" for number in claim.citations) or "[inference]"
        against = ", ".join(f"[{number}]" for number in sorted(claim.disputes))
        words = f"“{claim.text}”" if self._quoted(claim) else claim.text
        return f"{words} {marks}" + (f" (but see {against})" if against else "")

    def _quoted(self, claim: Claim) -> bool:
        """Whether a sentence is a source's own: its words stand in what it cites."""
        if claim.kind not in {"corpus", EARLIER} or claim.text.startswith("“"):
            return False
        excerpts = (self._citations[number - 1].raw_excerpt for number in claim.citations)
        return any(squeezed(claim.text) in squeezed(each) for each in excerpts)
