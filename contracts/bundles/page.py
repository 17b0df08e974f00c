"""The page of a bundle: report, citations in the text of their sources, timeline and hashes, without a script.

Everything in it is from elsewhere and is shown as text; the page's own policy forbids it to load or run anything.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from actors.reports.excerpts import is_verbatim
from contracts.bundles.contents import readable
from contracts.rendering import excerpt_links, html_page, split_report, to_html
from events.codec import Record
from events.home import Home
from events.words import sentence
from projections.results import ResultView
from projections.status import TaskStatus

WHOLE = 200_000
"""Characters up to which a source is shown whole; of a longer one, what is around its citations."""

_AROUND = 2_000
_MOST_FACTS = 3_000


@dataclass(frozen=True)
class Piece:
    """A stretch of a source's text."""

    text: str
    marked: bool = False
    begins: tuple[int, ...] = ()
    """Numbers of the citations that begin here."""


@dataclass(frozen=True)
class Source:
    """A cited source with its text, cut where citations begin and end."""

    title: str
    locator: str
    content_hash: str
    text_hash: str
    pieces: tuple[Piece, ...]
    whole: bool
    verbatim: tuple[int, ...] = ()
    """Numbers of the citations whose words stand at their place in the text."""


def page(
    home: Home, status: TaskStatus, question: str, found: ResultView | None, streams: Sequence[str]
) -> bytes:
    """The page."""
    result = found.result if found else {}
    citations = result.get("citations", [])
    body, said = "", set[str]()
    if found:
        sections = [each for each in split_report(found.report)[1] if each.name != "sources"]
        markdown = "\n\n".join(each.text.strip() for each in sections)
        body = to_html(markdown, *excerpt_links(result, citations))
        said = {each.name for each in sections}
    facts, left_out = _timeline(home, streams)
    shown = sources(home, citations)
    return html_page(
        "bundle.html.j2",
        ("report.css", "bundle.css"),
        title=" ".join(question.split()),
        status=status,
        asked=_moment(status.asked_at),
        ended=_moment(status.ended_at),
        body=body,
        citations=citations,
        sources=shown,
        verbatim={number for each in shown for number in each.verbatim},
        # Most reports say these themselves.
        gaps=[] if "gaps" in said else result.get("gaps", []),
        open_questions=[] if "open_questions" in said else result.get("open_questions", []),
        confidence=result.get("confidence"),
        facts=facts,
        left_out=left_out,
    )


def sources(home: Home, citations: Iterable[dict[str, Any]]) -> list[Source]:
    """The cited sources, each once, with their texts."""
    cited: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for each in citations:
        cited.setdefault((each["locator"], each["text_hash"]), []).append(each)
    found = []
    for (locator, text_hash), own in cited.items():
        text = readable(home, text_hash) or ""
        found.append(
            Source(
                title=own[0].get("title") or locator,
                locator=locator,
                content_hash=own[0]["content_hash"],
                text_hash=text_hash,
                pieces=pieces(text, [(each["number"], each["start"], each["end"]) for each in own]),
                whole=len(text) <= WHOLE,
                verbatim=tuple(
                    each["number"]
                    for each in own
                    if is_verbatim(each["raw_excerpt"], text, each["start"], each["end"])
                ),
            )
        )
    return found


def pieces(text: str, spans: Iterable[tuple[int, int, int]]) -> tuple[Piece, ...]:
    """A text cut where citations begin and end; of a long one only what is around them."""
    inside = [
        (number, start, end) for number, start, end in spans if 0 <= start <= end <= len(text)
    ]
    cuts = {0, len(text)} | {place for _, start, end in inside for place in (start, end)}
    ordered = sorted(cuts)
    made = []
    for start, end in zip(ordered, ordered[1:] or [len(text)], strict=False):
        begins = tuple(number for number, first, _ in inside if first == start)
        marked = any(first <= start and end <= last for _, first, last in inside)
        made.append(Piece(text[start:end], marked, begins))
    if len(text) > WHOLE:
        made = [each if each.marked else _shortened(each) for each in made]
    return tuple(made)


def _shortened(piece: Piece) -> Piece:
    if len(piece.text) <= 2 * _AROUND:
        return piece
    kept = f"{piece.text[:_AROUND]}\n[…]\n{piece.text[-_AROUND:]}"
    return Piece(kept, piece.marked, piece.begins)


def _moment(at: str | None) -> str:
    return f"{at[:10]} {at[11:19]} UTC" if at else "unknown"


def _timeline(home: Home, streams: Sequence[str]) -> tuple[list[dict[str, Any]], int]:
    records = [record for stream in streams for record in home.read(stream)[0]]
    records.sort(key=lambda record: (record.at, record.stream, record.seq))
    titles = {
        record.data.get("text_hash"): record.data.get("title") or record.data.get("url")
        for record in records
        if record.kind == "source_read"
    }
    shown = [_told(record, titles) for record in records[:_MOST_FACTS]]
    return shown, len(records) - len(shown)


def _told(record: Record, titles: dict[Any, Any]) -> dict[str, Any]:
    return {
        "at": record.at,
        "stream": record.stream.partition(".")[2] or "task",
        "seq": record.seq,
        "kind": record.kind.replace("_", " "),
        "words": sentence(record, titles.get(record.data.get("text_hash"))),
        "hash": record.hash,
    }
