"""Re-runs a finished task from its record alone and compares what comes out."""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from actors.archive import LocalArchive, ending
from actors.generations import known_rules, rules_of
from actors.inline import run_task
from actors.merging.compared_claims import compared_before
from actors.offline import network_cut
from actors.ports import Passage, Writer
from actors.reports.excerpts import is_verbatim
from events.base import Blob
from events.catalogue import Brief, Outcome
from events.codec import Record, decode
from events.errors import BadRequest, ReplayDiffers, ResearchError, UnknownTask
from events.home import Home
from events.research import ResearchStopped
from events.stream import EventStream
from events.task import ClaimsCompared, ResearcherAssigned, TaskConcluded

_CALLS = {"call_asked", "call_answered", "call_failed"}
_WAITS = {"keys_awaited", "keys_arrived", "provider_awaited", "provider_answered"}
_NOT_THE_WORK = _CALLS | _WAITS | {"stream_claimed", "tail_cut"}


@dataclass
class Comparison:
    """What a re-run showed."""

    task: str
    report: str = ""
    """Hash of the recorded report."""

    facts: int = 0
    """How many facts were produced again, in the same order."""

    citations: int = 0
    """How many citations were found verbatim in the stored bytes."""

    differences: list[str] = field(default_factory=list)

    @property
    def identical(self) -> bool:
        """Report, citations and hashes are the recorded ones."""
        return not self.differences


class _NoCorpus:
    def search(
        self,
        query: str,
        limit: int,
        collections: tuple[str, ...] | None,
        among: tuple[str, ...] = (),
    ) -> list[Passage]:
        """Refuse: a replay asks nothing that was not asked before."""
        raise ReplayDiffers("corpus", f"it asked {query[:60]!r}, which the record does not answer")

    def likeness(self, question: str, texts: Sequence[str]) -> list[float | None]:
        """Refuse likewise."""
        raise ReplayDiffers("corpus", f"it compared {question[:60]!r} with what was not recorded")


class _ScratchArchive(LocalArchive):
    """Reads the recorded home, writes only to a scratch one."""

    def __init__(self, recorded: Home, scratch: Home) -> None:
        super().__init__(scratch)
        self._recorded = LocalArchive(recorded)

    def claim(self, stream: str, writer: str) -> tuple[EventStream, list[Record]]:
        """A fresh stream, whose past is the answers that were recorded."""
        held, past = EventStream.claim(self.home.path(stream), writer)
        recorded, _ = self._recorded.home.read(stream)
        if cut_short(recorded):
            return held, past + recorded
        return held, past + [record for record in recorded if record.kind in _CALLS]

    def put(self, content: bytes) -> Blob:
        """Keep content aside; what was recorded is known by the same reference."""
        return self.home.blobs.put(content)

    def get(self, content_hash: str) -> bytes:
        """Recorded content, or what this re-run made."""
        here = self.home.blobs.path(content_hash).exists()
        return (self.home if here else self._recorded.home).blobs.get(content_hash)

    def brief(self, task: str) -> Brief:
        """What the task was asked to do."""
        return self._recorded.brief(task)

    def seal(self, writer: Writer, outcome: Outcome) -> None:
        """Leave the recorded catalogue alone."""


_FROM_OUTSIDE = {"internal", "researcher_lost"}
"""Codes of researchers whose end does not follow from what they were answered."""


def cut_short(recorded: list[Record]) -> bool:
    """Whether a researcher ended by what befell it: a re-run takes that end as it is."""
    ended = ending(recorded)
    return isinstance(ended, ResearchStopped) and ended.code in _FROM_OUTSIDE


def replay(home: Home, task: str) -> Comparison:
    """Re-run a finished task with the network cut; nothing in the data home is touched."""
    records, _ = home.read(task)
    if not records:
        raise UnknownTask(task)
    ended = next(
        (record.fact for record in reversed(records) if record.kind == "task_concluded"), None
    )
    if not isinstance(ended, TaskConcluded):
        raise BadRequest(
            f"Task {task} did not end with a result.", "Only finished tasks can be replayed."
        )
    outcome = Comparison(task, report=ended.report.hash)
    with tempfile.TemporaryDirectory(prefix="replay-") as place, network_cut():
        scratch = Home(Path(place))
        scratch.prepare()
        try:
            archive = _ScratchArchive(home, scratch)
            compared = (each.fact for each in records if each.kind == "claims_compared")
            known = next((each for each in compared if isinstance(each, ClaimsCompared)), None)
            compare = compared_before(known, home.blobs.get)
            rules = partial(_rules_recorded, home)
            run_task(archive, _NoCorpus(), task, rules=rules, compare=compare)
        except ResearchError as failure:
            outcome.differences.append(failure.sentence)
        _compare(home, scratch, task, outcome)
    _check_citations(home, ended, outcome)
    return outcome


def _rules_recorded(home: Home, assigned: ResearcherAssigned) -> str | None:
    """The rules that a researcher was recorded by; other rules would be other work."""
    kind = assigned.researcher_kind
    return known_rules(kind, rules_of(kind, home.read(assigned.researcher)[0]))


def _compare(home: Home, scratch: Home, task: str, outcome: Comparison) -> None:
    for path in sorted(home.traces.glob(f"{task}*.jsonl")):
        if cut_short(home.read(path.stem)[0]):
            continue
        recorded, again = _work(home, path.stem), _work(scratch, path.stem)
        outcome.facts += sum(1 for one, other in zip(recorded, again, strict=False) if one == other)
        for number, (one, other) in enumerate(zip(recorded, again, strict=False), 1):
            if one != other:
                outcome.differences.append(
                    f"{path.stem}, fact {number}: {other['kind']} is not the recorded {one['kind']}"
                )
                break
        else:
            if len(recorded) != len(again):
                outcome.differences.append(
                    f"{path.stem}: {len(again)} facts instead of {len(recorded)}"
                )


def _work(home: Home, stream: str) -> list[dict[str, Any]]:
    """What a stream says about the work, without what went wrong around it.

    Left out are also the heads of other streams, which carry times and processes, and how
    content was compressed: a re-run shares neither.
    """
    records, _ = home.read(stream)
    work = [_plain(record.data) for record in records if record.kind not in _NOT_THE_WORK]
    return [fact for run in _runs(work) for fact in run]


def _runs(work: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """The facts in their order; who of those that work side by side reports first is nobody's doing."""
    for reported, run in groupby(work, key=lambda fact: fact["kind"] == "researcher_reported"):
        facts = list(run)
        yield sorted(facts, key=lambda fact: fact["researcher"]) if reported else facts


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        passing = (
            {"stored"} if "stored" in value else {"head", "seq"} if "researcher" in value else ()
        )
        return {name: _plain(member) for name, member in value.items() if name not in passing}
    return [_plain(member) for member in value] if isinstance(value, list) else value


def _check_citations(home: Home, ended: TaskConcluded, outcome: Comparison) -> None:
    for citation in decode(home.blobs.get(ended.result.hash))["citations"]:
        text = home.blobs.get_text(citation["text_hash"])
        if is_verbatim(citation["raw_excerpt"], text, citation["start"], citation["end"]):
            outcome.citations += 1
        else:
            outcome.differences.append(f"citation {citation['number']} is not verbatim")
