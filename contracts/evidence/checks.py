"""Checking a research again: what tool and command share, and how it is put for a person."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from contracts.commands.terminal import harmless
from contracts.core import Core
from contracts.deep_research.refusals import checked
from contracts.evidence.verifying import CheckedCitation, Read, Verification, verify_research
from contracts.websites.fetching import fetch_order
from events.base import Blob
from events.words import count

if TYPE_CHECKING:
    from actors.outside import Page

Reply = dict[str, Any]

_MARKS = {True: "yes", False: "NO", None: "not cited"}


def verify(
    core: Core, task: str, *, refetch: bool = False, heads: Sequence[str] = ()
) -> Verification:
    """Check an ended research, offline or with a look at what its pages are now."""
    checked(task)
    if not refetch:
        return verify_research(core.home, task, heads=heads)
    core.home.prepare()
    with reader(core) as read:
        return verify_research(core.home, task, read, heads)


@contextmanager
def reader(core: Core) -> Iterator[Read]:
    """Fetches and reads pages as every research does: politely, within bounds, parsed in a cage."""
    from actors.adapters.sandbox import SandboxedParser
    from actors.outside import read_page
    from actors.webpages.page_fetching import PageFetcher

    fetch, order = PageFetcher(core.home.hosts), fetch_order(core.settings)
    with SandboxedParser() as parser:

        def read(url: str, keep: Callable[[bytes], Blob]) -> "Page":
            return read_page(url, fetch(url, order), parser, keep)

        yield read


def as_reply(core: Core, found: Verification) -> Reply:
    """A verification for a program."""
    reply: Reply = found.model_dump(mode="json")
    # As the proof of a whole home says it.
    reply["proven"] = found.record.proven
    if imported := _imported_at(core, found.task):
        reply["imported_at"] = imported
    return reply


def _imported_at(core: Core, task: str) -> str | None:
    from events.errors import ResearchError

    try:
        return core.views.imported_at(task)
    except ResearchError:  # A record that is not proven may not be readable either.
        return None


def in_words(reply: Reply) -> str:
    """A verification as lines for a terminal."""
    parts = []
    for each in reply["citations"]:
        holds = _holds(each)
        parts.append(
            f"[{each['number']}] {'holds' if holds else 'DOES NOT HOLD'}  {each['locator']}"
        )
        if _MARKS[False] in (value for _, value in _checks(each)):
            parts.append("    " + ", ".join(f"{name} {value}" for name, value in _checks(each)))
        if not each["detail"].startswith("Everything"):
            parts.append(f"    {each['detail']}")
        if now := each["now"]:
            parts.append(f"    now {now['drift']}: {now['detail']}")
    parts += [_sentences(reply), ""] if reply["sentences"] else [""]
    record = reply["record"]
    parts += [f"fault: {each}" for each in record["faults"]]
    parts += [f"note: {each}" for each in record["notes"]]
    if "imported_at" in reply:
        parts.append(f"imported {reply['imported_at']}")
    parts.append(_held(reply))
    parts.append(f"{'proven' if record['proven'] else 'NOT PROVEN'}: {_size(record)}")
    # Locators and what is told of them come from documents and from other homes.
    return "\n".join(map(harmless, parts)).lstrip("\n")


def _size(record: Reply) -> str:
    return ", ".join(count(record[f"{part}s"], part) for part in ("stream", "record", "blob"))


def _held(reply: Reply) -> str:
    held = [_holds(each) for each in reply["citations"]]
    verb = "holds" if 1 in (sum(held), len(held)) else "hold"
    return f"{sum(held)} of {count(len(held), 'citation')} {verb}"


def _verdict(reply: Reply) -> str:
    if not reply["verified"]:
        return "NOT verified"
    beyond = reply["claims_supported"] is False
    return "Verified, but not every sentence is supported" if beyond else "Verified"


def in_markdown(reply: Reply) -> str:
    """A verification as a client shows it."""
    record = reply["record"]
    parts = [
        f"# {_verdict(reply)}",
        "",
        f"Task `{reply['task']}`"
        + (f", imported {reply['imported_at']}" if "imported_at" in reply else ""),
        "",
        f"- The record is {'proven' if record['proven'] else 'NOT proven'}: {_size(record)}.",
        f"- {_held(reply)}.",
    ]
    if reply["sentences"]:
        parts.append(f"- {_sentences(reply)}")
    parts += [f"- Fault: {_plain(each)}" for each in record["faults"][:20]]
    if reply["citations"]:
        names = [name for name, _ in _checks(reply["citations"][0])]
        drift = any(each["now"] for each in reply["citations"])
        heads = ["", "source", *names, *(["now"] if drift else [])]
        parts += ["", f"| {' | '.join(heads)} |", "|" + " --- |" * len(heads)]
        for each in reply["citations"]:
            cells = [f"[{each['number']}]", _plain(each["locator"])]
            cells += [value for _, value in _checks(each)]
            cells += [each["now"]["drift"] if each["now"] else "local"] if drift else []
            parts.append(f"| {' | '.join(cells)} |")
        parts += [
            f"\n[{each['number']}]: {_plain(each['detail'])}"
            for each in reply["citations"]
            if not each["detail"].startswith("Everything")
        ]
    return "\n".join(parts)


def _checks(citation: Reply) -> list[tuple[str, str]]:
    names = ("source_read", "bytes_present", "hash_equal", "excerpt_verbatim", "claim_supported")
    return [(name.replace("_", " "), _MARKS[citation[name]]) for name in names]


def _holds(citation: Reply) -> bool:
    return CheckedCitation.model_validate(citation).holds


def _sentences(reply: Reply) -> str:
    outcomes = [each["outcome"] for each in reply["sentences"]]
    said = ", ".join(
        f"{outcomes.count(name)} {name.replace('_', ' ')}"
        for name in ("supported", "not_supported", "inference")
        if name in outcomes
    )
    return f"Of {count(len(outcomes), 'sentence')}: {said}."


def _plain(text: str) -> str:
    """Words that Markdown takes as words, on one line."""
    flat = " ".join(text.split())
    for mark in "\\`*_{}[]<>#|~":
        flat = flat.replace(mark, f"\\{mark}")
    return flat
