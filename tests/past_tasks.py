"""Homes with tasks as they are after days of use, written by the real writers: some done, some under way, some stopped.

past = PastTasks(build_home(tmp_path / "home", tasks=0, unfinished=0))
task = past.completed("Why is the sky blue?", minutes=4.0, dollars=0.25)
past.stopped(past.running("Why is the sea salt?", steps=3))
"""

import uuid
from datetime import UTC, datetime, timedelta

from actors.catalogue import Catalogue
from events.base import Fact
from events.calls import CallAnswered, CallAsked, Usage
from events.catalogue import Brief, CancelRequested, StreamSealed, TaskEntered
from events.codec import canonical, digest
from events.research import (
    AssignmentTaken,
    GapFound,
    PassageQuoted,
    ResearchFinished,
    ResearchStopped,
    SourceRead,
    StepTaken,
)
from events.task import (
    ResearcherAssigned,
    ResearcherReported,
    StopRequested,
    TaskAccepted,
    TaskCancelled,
    TaskConcluded,
    TaskFailed,
)
from tests.homes import DOCUMENT, LOCATOR, BuiltHome

MODEL = "deep-research-pro-preview-12-2025"
REPORT = (
    "# Blue skies\n\n## Executive Summary\n\nAir scatters blue light. [1]\n\n"
    "## Key Findings\n\n### 1. Scattering\n\nBlue is scattered <b>more</b> than red. [1]\n\n"
    "## Conclusion\n\nIt is the air. [2]\n\n## Sources\n\n1. The sky\n"
)


class HandClock:
    """A clock that stands until it is moved."""

    def __init__(self, start: datetime = datetime(2026, 11, 1, tzinfo=UTC)) -> None:
        self.time = start

    def __call__(self) -> str:
        self.time += timedelta(milliseconds=1)
        return self.time.strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    def pass_minutes(self, minutes: float) -> None:
        self.time += timedelta(minutes=minutes)


def citation(number: int, start: int, end: int, **more: object) -> dict[str, object]:
    """A citation of the sample document."""
    return {
        "source": "web",
        "locator": LOCATOR,
        "title": "The sky",
        "snippet": DOCUMENT[start:end][:200],
        "raw_excerpt": DOCUMENT[start:end],
        "confidence": 0.9,
        "number": number,
        "content_hash": digest(DOCUMENT.encode()),
        "text_hash": digest(DOCUMENT.encode()),
        "start": start,
        "end": end,
    } | more


class PastTasks:
    """Puts tasks into a home, at times of our choosing."""

    def __init__(self, built: BuiltHome, kind: str = "gemini") -> None:
        self.built, self.kind = built, kind
        self.clock = HandClock()
        built.clock = self.clock
        built.home.blobs.put(DOCUMENT.encode())

    def entered(self, question: str, **brief: object) -> str:
        """A task that was accepted and that nobody has taken up."""
        task = str(uuid.uuid4())
        asked = Brief.model_validate(
            {"question": question, "researcher": self.kind, "model": MODEL} | brief
        )
        self.built.enter(
            TaskEntered(
                task=task,
                brief=self.built.home.blobs.put(canonical(asked)),
                question=question[:300],
                researcher=self.kind,
            )
        )
        return task

    def running(self, question: str, *notes: Fact, steps: int = 0, **brief: object) -> str:
        """A task whose researcher has noted a few things."""
        task = self.entered(question, **brief)
        self._take_up(task)
        for step in range(1, steps + 1):
            self.note(task, StepTaken(step=step, action="read", decision=f"Reading page {step}"))
        if notes:
            self.note(task, *notes)
        return task

    def _take_up(self, task: str) -> Brief:
        brief = Catalogue(self.built.home).brief(task)
        sent = ResearcherAssigned(
            researcher=f"{task}.r1", researcher_kind=self.kind, question=brief.question
        )
        stream = self.built.claim(task)
        stream.append(TaskAccepted(brief=brief), sent)
        stream.close()
        self.note(task, AssignmentTaken(researcher_kind=self.kind, question=brief.question))
        return brief

    def note(self, task: str, *facts: Fact) -> None:
        """The researcher records something."""
        stream = self.built.claim(f"{task}.r1")
        stream.append(*facts)
        stream.close()

    def read_and_quote(self, task: str, *, start: int = 0, end: int = 47) -> None:
        """The researcher reads the sample document and quotes it."""
        content = digest(DOCUMENT.encode())
        self.note(
            task,
            SourceRead(
                step=1, action="fetch_url", url=LOCATOR, title="The sky", content_hash=content,
                content_length=len(DOCUMENT), text_hash=content, decision="It looks right.",
            ),
            PassageQuoted(
                citation=1, content_hash=content, text_hash=content, start=start, end=end
            ),
            GapFound(topic="red skies", category="source_not_found", detail="Nothing on sunsets."),
        )  # fmt: skip

    def pay(self, task: str, dollars: float, tokens: tuple[int, int] = (450_000, 120_000)) -> None:
        """The researcher makes a paid call."""
        request, reply = (self.built.home.blobs.put(said) for said in (b"asked", b"answered"))
        call = f"model:{uuid.uuid4().hex[:12]}:1"
        usage = Usage(input_tokens=tokens[0], output_tokens=tokens[1])
        self.note(
            task,
            CallAsked(call=call, port="model", operation="research", request=request),
            CallAnswered(call=call, reply=reply, model=MODEL, usage=usage, cost_usd=dollars),
        )

    def completed(
        self,
        question: str,
        minutes: float = 18.5,
        dollars: float = 3.24,
        report: str = REPORT,
        citations: list[dict[str, object]] | None = None,
        **more: object,
    ) -> str:
        """A task from its acceptance to its seal; what else is given is in its result."""
        task = self.running(question, steps=2)
        self._conclude(task, question, minutes, dollars, report, citations, **more)
        return task

    def finish(self, task: str) -> None:
        """A task that was accepted elsewhere is done, from now on to its end."""
        self.clock.time = datetime.now(UTC)
        question = self._take_up(task).question
        self._conclude(task, question, 0.0, 3.24, REPORT, None)

    def conclude(self, task: str) -> None:
        """A running task is done."""
        question = Catalogue(self.built.home).brief(task).question
        self._conclude(task, question, 0.0, 3.24, REPORT, None)

    def _conclude(
        self,
        task: str,
        question: str,
        minutes: float,
        dollars: float,
        report: str,
        citations: list[dict[str, object]] | None,
        **more: object,
    ) -> None:
        self.read_and_quote(task)
        self.pay(task, dollars)
        self.clock.pass_minutes(minutes)
        blobs = self.built.home.blobs
        self.note(task, ResearchFinished(findings=blobs.put(b"{}")))
        cited = [citation(1, 0, 47), citation(2, 48, 80, locator="https://example.org/sky?a=1&b=2")]
        result = {
            "question": question,
            "answer": "Air scatters blue light. [1]",
            "citations": cited if citations is None else citations,
            "gaps": [],
            "discovery_events": [],
            "open_questions": [],
            "confidence": 0.8,
            "cost_metadata": {"model_id": MODEL, "tokens_used": 570_000},
        } | more
        self._end(
            task,
            TaskConcluded(result=blobs.put(canonical(result)), report=blobs.put(report.encode())),
            "completed",
        )

    def stopped(self, task: str, *, save_partial: bool = True, timed_out: bool = False) -> str:
        """A running task is stopped before its researcher has anything to report."""
        if not timed_out:
            self.built.enter(CancelRequested(target=task, save_partial=save_partial))
        stream = self.built.claim(task)
        stream.append(
            StopRequested(
                reason="timed_out" if timed_out else "cancelled", save_partial=save_partial
            )
        )
        stream.close()
        self.note(task, ResearchStopped(code="call_cut", message="Stopped."))
        late = TaskFailed(code="timed_out", message="The task did not end within 1 hour.")
        self._end(
            task, late if timed_out else TaskCancelled(), "failed" if timed_out else "cancelled"
        )
        return task

    def failed(self, task: str, code: str, message: str) -> str:
        """A running task fails."""
        self.note(task, ResearchStopped(code=code, message=message))
        self._end(task, TaskFailed(code=code, message=message), "failed")
        return task

    def _end(self, task: str, fact: Fact, outcome: str) -> None:
        researcher = self.built.claim(f"{task}.r1")
        end = researcher.head
        researcher.close()
        stream = self.built.claim(task)
        stream.append(
            ResearcherReported(
                researcher=f"{task}.r1", seq=end.seq, head=end.hash, findings=None, failure=None
            ),
            fact,
        )
        head = stream.head
        stream.close()
        self.built.enter(
            StreamSealed.model_validate(
                {"target": task, "seq": head.seq, "head": head.hash, "outcome": outcome}
            )
        )
