"""What contract 04's tools say to a person: Markdown, with everything that matters and nothing else.

Whatever a site chose, its addresses among it, is shown as what it is: no image, link or HTML of a page is one here.
"""

import re
from typing import Any

from contracts.knowledge.markdown import quoted
from events.errors import ended
from events.words import count
from language.plain import inert

Reply = dict[str, Any]

_LONGEST = 600
_BRACKET = re.compile(r"[\[\]<]")
_ESCAPED = r"\\\g<0>"
_BRING_IN = "rag_process_website brings a page in, rag_process_site those of a site."


def processed(reply: Reply) -> str:
    """What became of a page."""
    lines = [
        f"# {_line(reply['title'])}",
        f"**{reply['status']}** · source_id {reply['source_id']} · {inert(reply['url'])} · "
        f"{count(reply['chunks_created'], 'chunk')} · {reply['language']}",
        inert(reply["message"]),
    ]
    return "\n\n".join([*lines, *_particulars(reply)])


def refreshed(reply: Reply) -> str:
    """What a refresh came to."""
    lines = [f"**{reply['status']}** · source_id {reply['source_id']} · {inert(reply['url'])}"]
    lines.append(inert(reply["message"]))
    for each in reply["citations_affected"]:
        lines.append(
            f"- Research {each['task_id']}, citation {each['citation']}: these words are no longer "
            f"on the page:\n{_quoted(each['quote'])}"
        )
    return "\n\n".join([*lines, *_particulars(reply)])


def deleted(reply: Reply) -> str:
    """What a deletion came to."""
    url, message = inert(reply["url"]), inert(reply["message"])
    return f"{message}\n\n{url}: {count(reply['chunks_deleted'], 'chunk')}"


def status(reply: Reply) -> str:
    """Where a page stands."""
    lines = [
        f"# {_line(reply['title'])}",
        f"**{reply['processing_status']}** · source_id {reply['source_id']} · {inert(reply['url'])} · "
        f"{count(reply['chunks_created'], 'chunk')} · {reply['fetch_timestamp']}"
        + (" · stale" if reply["is_stale"] else ""),
        inert(reply["message"]),
    ]
    return "\n\n".join([*lines, *_particulars(reply)])


def listed(reply: Reply) -> str:
    """A page of the list."""
    head = f"# {count(reply['total_count'], 'website')}"
    rows = [
        "| id | title | type | language | status | chunks | fetched |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for each in reply["websites"]:
        cells = (
            each["id"],
            _link(each["title"], each["url"]),
            each["content_type"],
            each["language"],
            each["processing_status"] + (" (stale)" if each["is_stale"] else ""),
            each["chunks_count"],
            each["fetch_timestamp"][:19],
        )
        rows.append(f"| {' | '.join(str(cell).replace('|', '¦') for cell in cells)} |")
    more = [f"More: offset={reply['offset'] + reply['limit']}."] if reply["has_more"] else []
    found = "\n".join(rows) if reply["websites"] else f"None. {_BRING_IN}"
    return "\n\n".join([head, found, *more])


def answered(reply: Reply) -> str:
    """Results, best first, each with its source."""
    found = reply["results"]
    parts = [
        f"# {len(found)} of {reply['total_results']}"
        f"{' or more' if reply['more_results'] else ''} results · confidence "
        f"{reply['confidence_level']}"
    ]
    if not found:
        advice = "" if reply["sources_note"] else f" {_BRING_IN}"
        parts.append(f"Nothing was found among the pages that are held.{advice}")
    if reply["sources_note"]:
        parts.append(reply["sources_note"])
    if reply["language_note"]:
        parts.append(reply["language_note"])
    if reply["synthesis"]:
        note = f" {_line(reply['synthesis_note'])}" if reply["synthesis_note"] else ""
        parts.append(f"{reply['synthesis']}\n\nComposed by {reply['synthesis_by']}.{note}")
    elif reply.get("synthesis_note"):
        parts.append(_line(reply["synthesis_note"]))
    for number, each in enumerate(found, 1):
        about = each["metadata"]
        section = f"{_line(about['section'])} · " if about["section"] else ""
        parts.append(
            f"## {number}. {_line(about['title'])}\n\n{section}"
            f"{inert(each['final_url'] or each['source_url'])} · "
            f"score {each['combined_score']:.2f} (0 is best)\n\n{_quoted(each['content'])}"
        )
    return "\n\n".join(parts)


def site(reply: Reply) -> str:
    """What became of the pages of a site."""
    rows = [
        f"- {each['status']} · source_id {each['source_id']} · {inert(each['url'])}"
        + (f" · {_line(each['error'])}" if each["error"] else "")
        for each in reply["pages"]
    ]
    head = f"# {inert(reply['url'])}"
    return "\n\n".join([head, inert(reply["message"]), "\n".join(rows)])


def refused(reply: Reply) -> str:
    """A refusal, in one line and what to do."""
    error = reply["error"]
    return f"{error['type']}: {inert(ended(error['message']))} {inert(error['suggestion'])}"


def _particulars(reply: Reply) -> list[str]:
    lines = [
        f"- {name.replace('_', ' ')}: {_line(', '.join(value) if isinstance(value, list) else value)}"
        for name, value in reply["extracted"].items()
    ]
    lines += [f"- warning: {_line(each)}" for each in reply["warnings"]]
    if failure := reply["failure"]:
        lines.append(f"- {failure['type']}: {inert(failure['suggestion'])}")
    return ["\n".join(lines)] if lines else []


def _line(text: str) -> str:
    return inert(" ".join(str(text).split())[:_LONGEST])


def _quoted(text: str) -> str:
    return quoted(inert(text))


def _link(title: str, url: str) -> str:
    """A link of ours, that neither its title nor its address ends before we do."""
    shown = " ".join(title.split())[:_LONGEST].replace("\\", "\\\\")
    where = url.replace("(", "%28").replace(")", "%29")
    return f"[{_BRACKET.sub(_ESCAPED, shown)}]({where})"
