"""A provider's own report, followed by how it compares with its sources. Pure: same findings, same bytes."""

import re
from collections.abc import Iterator

from actors.findings import Findings, Grounding
from actors.reports.report_code import outside_code
from actors.reports.report_sections import for_show, inert_in
from actors.reports.support import SUPPORTED, combined
from actors.reports.wording import short
from events.words import count

_IMAGE = re.compile(r"!\[([^\]\n]{0,300})\]\([^)\n]{0,2000}\)")
_LOADED = re.compile(r"(?<!\\)((?:\\\\)*)(!(?=\[)|<(?=[A-Za-z/!?]))")
"""Begins a picture in any of its forms, or HTML, unless a backslash takes that from it."""

_FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*+[\w+.#-]*+[ \t]*$")
"""Begins a block of code at the left; one farther in ends where its list does, and nobody here knows where that is."""

_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
)

_VERDICTS = {
    "supported": "in the source",
    "not_found": "not in the source",
    "unreachable": "source not readable",
}
_ALIKE = "in the source in other words"


def displayable(text: str) -> str:
    """A provider's text for a person: nothing that a viewer would load, nothing that cannot be seen.

    A picture's address can carry away what a page told a model to put into it.
    """
    plain = text.replace("\r\n", "\n")
    return _INVISIBLE.sub("", _IMAGE.sub(r"[picture: \1]", plain)).strip()


def harmless(text: str, *, keeps_code: bool = False) -> str:
    """The same without pictures and HTML of any other form: they are shown as what was written, code as it is.

    `keeps_code`: also code within a line.
    """
    fence, lost, lines, paragraph = "", False, list[str](), list[str]()

    def shown() -> list[str]:
        known = keeps_code and not lost
        told = outside_code(paragraph, _unloaded) if known else list(map(_unloaded, paragraph))
        paragraph.clear()
        return told

    for line in displayable(text).split("\n"):
        if fence:
            lines.append(line)
            if re.fullmatch(rf" {{0,3}}{fence[0]}{{{len(fence)},}}[ \t]*", line):
                fence = ""
            continue
        opened = None if lost else _FENCE.match(line)
        fence = opened[1] if opened else ""
        # After what may or may not begin code, what looks like its beginning may be its end.
        lost = lost or (not fence and ("```" in line or "~~~" in line))
        if fence or not line.strip(" \t"):
            lines += [*shown(), line]
        else:
            paragraph.append(line)
    return "\n".join([*lines, *shown()])


def _unloaded(line: str) -> str:
    return _LOADED.sub(r"\1\\\2", line)


def render_grounded_report(question: str, findings: Findings) -> str:
    """The report on one question."""
    return "\n".join(_lines(question, for_show(findings))).rstrip() + "\n"


def _lines(question: str, findings: Findings) -> Iterator[str]:
    if not findings.answer.startswith("#"):
        yield f"# {_flat(question)}"
        yield ""
    yield findings.answer
    yield ""
    yield "---"
    yield ""
    yield from _evidence(findings)
    yield from _passages(findings)
    yield from _sources(findings)
    yield from _gaps(findings)


def _evidence(findings: Findings) -> Iterator[str]:
    grounding = findings.grounding
    assert grounding
    checked = grounding.supported + grounding.not_found + grounding.unreachable
    yield "## Evidence"
    yield ""
    tally = _tally(findings, grounding, checked) if findings.wording else _first_tally(grounding)
    yield f"Written by {findings.model_id}; confidence {findings.confidence:.2f}. {tally}"
    yield ""
    supports = grounding.supports or (None,) * checked
    meanings = grounding.similarities or (None,) * checked
    # Sentences that cite nothing follow those that were checked.
    for each, outcome, value, meaning in zip(
        findings.sentences[:checked], grounding.outcomes, supports, meanings, strict=True
    ):
        marks = "".join(f"[{number}]" for number in each.citations)
        alike = outcome == "not_found" and combined(value or 0.0, meaning) >= SUPPORTED
        verdict = _ALIKE if alike else _VERDICTS[outcome]
        against = "".join(f"[{number}]" for number in each.disputes)
        told = (verdict, marks, f"but see {against}" if against else "")
        yield f"- {_flat(each.text)} ({', '.join(filter(None, told))})"
    yield ""
    if inferences := len(findings.sentences) - checked:
        yield f"Inference, without a source: {count(inferences, 'sentence')} of the report."
        yield ""


def _tally(findings: Findings, grounding: Grounding, checked: int) -> str:
    """What became of the sentences that cite a source, as far as there are any."""
    if not checked:
        return "No sentence of it cites a source."
    supported, missed = grounding.supported, grounding.not_found
    if grounding.unreachable == checked:
        theirs = "its sources" if checked == 1 else "their sources"
        verb = "cites" if checked == 1 else "cite"
        return f"{count(checked, 'sentence')} {verb} a source; none of {theirs} could be read."
    whole = "that cites a source" if checked == 1 else "that cite a source"
    told = [f"{supported or 'none'} {'stand' if supported > 1 else 'stands'} there word for word"]
    if missed:
        outcomes = zip(findings.sentences, grounding.outcomes, strict=False)
        near = any(one.citations for one, outcome in outcomes if outcome == "not_found")
        shown = f" (the nearest passage is shown{_alike(grounding)})" if near else ""
        told.append(f"{missed} {'does' if missed == 1 else 'do'} not{shown}")
    if grounding.unreachable:
        told.append(f"of {grounding.unreachable} no source could be read")
    *others, last = told
    said = f"{', '.join(others)} and {last}" if others else last
    return f"Of {count(checked, 'sentence')} {whole}, {said}."


def _first_tally(grounding: Grounding) -> str:
    """The same in the words of the first rules."""
    checked = grounding.supported + grounding.not_found + grounding.unreachable
    return (
        f"Of {count(checked, 'sentence')} that cite a source, {grounding.supported} stand there "
        f"word for word, {grounding.not_found} do not (the nearest passage is shown"
        f"{_alike(grounding)}), and of {grounding.unreachable} no source could be read."
    )


def _alike(grounding: Grounding) -> str:
    said = grounding.in_other_words
    return f"; of {said} it says the same in other words" if said else ""


def _passages(findings: Findings) -> Iterator[str]:
    yield "## Passages"
    yield ""
    for each in findings.citations:
        yield f"{each.number}. **{_flat(each.title or each.locator)}** · {_flat(each.locator)}"
        yield f"   `{each.content_hash}`, characters {each.start} to {each.end} of its text"
        yield ""
        yield from (f"   > {displayable(line)}" for line in each.raw_excerpt.splitlines())
        yield ""
    if not findings.citations:
        yield "None."
        yield ""


def _sources(findings: Findings) -> Iterator[str]:
    assert findings.grounding
    yield "## Sources"
    yield ""
    for each in findings.grounding.sources:
        if findings.shown_plainly:
            each = inert_in(each, "title", "url", "reason")
        read = (
            f"`{each.content_hash}`"
            if each.content_hash
            else f"not read: {_flat(each.reason or '')}"
        )
        yield f"- **{_flat(each.title)}** · {_flat(each.url)} · {read}"
    if not findings.grounding.sources:
        yield "None are cited."
    yield ""


def _gaps(findings: Findings) -> Iterator[str]:
    if not findings.gaps:
        return
    yield "## Gaps"
    yield ""
    for gap in findings.gaps:
        yield f"- **{_flat(gap.topic)}** (`{gap.category}`): {_flat(gap.detail)}"
    yield ""


def _flat(text: str) -> str:
    return short(" ".join(displayable(text).split()), 600)
