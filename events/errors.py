"""Every refusal: a stable code, a sentence, and what to do next.

ResearchError
├── BadRequest            bad_request        the caller's words are off
├── UnknownTask           unknown_task       no such task or job
├── UnknownCollection     unknown_collection
├── TaskNotFinished       task_not_finished
├── TaskAlreadyEnded      task_already_ended
├── KeyConflict           key_conflict       one idempotency key, two different requests
├── NothingToSearch       nothing_to_search  no provider, and an empty corpus
├── PathRefused           path_refused       a path outside, missing, or not a plain file
├── Unreadable            unreadable         a document no parser could read
├── CallCut               call_cut           stopped while waiting for an answer
├── Poisoned              poisoned           an actor that dies each time it is started
├── EngineDown            engine_down        Ray did not come up or does not answer
└── RecordError
    ├── HomeUnwritable    home_unwritable
    ├── DiskFull          disk_full
    ├── StreamBusy        stream_busy        another writer holds the lock
    ├── StaleWriter       stale_writer       a newer writer took the stream over
    ├── BrokenChain       broken_chain       a line is not what it claims to be
    ├── NewerFormat       newer_format       written by a later version
    ├── MissingBlob       missing_blob
    ├── DamagedBlob       damaged_blob
    └── ReplayDiffers     replay_differs     a re-run did not do what the record says
"""

from typing import ClassVar


class ResearchError(Exception):
    """A refusal: a stable code, what went wrong, and what to do next.

    Arguments go to `Exception` untouched, so that an error raised inside a
    Ray actor is rebuilt as `cls(*args)` in the caller.
    """

    code: ClassVar[str] = "internal"
    says: ClassVar[str] = "Something failed: {0}."
    suggestion: ClassVar[str] = "Retry once, then read the task's trace."

    @property
    def sentence(self) -> str:
        """What went wrong."""
        return self.says.format(*self.args)

    @property
    def advice(self) -> str:
        """What to do next."""
        return self.suggestion.format(*self.args)

    def __str__(self) -> str:
        return f"{self.sentence} {self.advice} [{self.code}]"


class BadRequest(ResearchError):
    """The caller's words are off: (what, advice)."""

    code = "bad_request"
    says = "{0}"
    suggestion = "{1}"


class UnknownTask(ResearchError):
    """The caller named a task or job that was never accepted: (id,)."""

    code = "unknown_task"
    says = "No research task found with ID: {0}"
    suggestion = "Verify the id, or list what exists with list_research_tasks (research-agent ps)."


class UnknownCollection(ResearchError):
    """The caller named a collection that does not exist: (name, existing names)."""

    code = "unknown_collection"
    says = "There is no collection {0!r}."
    suggestion = "Existing collections: {1}."


class TaskNotFinished(ResearchError):
    """A result was asked for too early: (id, progress)."""

    code = "task_not_finished"
    says = "Research is still in progress. Current progress: {1}%"
    suggestion = "Wait for completion or use check_research_status to monitor."


class TaskAlreadyEnded(ResearchError):
    """A task that has ended cannot be cancelled: (id, status)."""

    code = "task_already_ended"
    says = "Cannot cancel: research already {1}"
    suggestion = "Use get_research_results to retrieve what it found."


class KeyConflict(ResearchError):
    """One idempotency key was used for two different requests: (key, id)."""

    code = "key_conflict"
    says = "The key {0!r} already belongs to task {1}, which was asked something else."
    suggestion = "Use a new key for a new request."


class NothingToSearch(ResearchError):
    """No provider is configured and nothing was ingested: ()."""

    code = "nothing_to_search"
    says = "No research provider is configured and the local corpus is empty."
    suggestion = (
        "Ingest documents first (ingest_documents, or research-agent ingest PATH), "
        "or set a provider's API key."
    )


class PathRefused(ResearchError):
    """A path cannot be ingested: (path, why)."""

    code = "path_refused"
    says = "Cannot read {0}: {1}."
    suggestion = "Give an existing, readable, regular file or a folder of them."


class Unreadable(ResearchError):
    """No parser could read a document: (locator, why)."""

    code = "unreadable"
    says = "Could not read {0}: {1}."
    suggestion = "Convert it to Markdown or plain text and ingest that."


class CallCut(ResearchError):
    """The work was told to stop while it waited: (call,)."""

    code = "call_cut"
    says = "Stopped while waiting for {0}."
    suggestion = "Nothing to do: the task was cancelled or ran out of time."


class Poisoned(ResearchError):
    """An actor died so often while starting that it is not tried again: (stream,)."""

    code = "poisoned"
    says = "The actor of {0} died each time it was started."
    suggestion = "Read its trace with research-agent verify, and report the cause."


class EngineDown(ResearchError):
    """Ray did not come up, or nobody answers at the address: (address or home, why)."""

    code = "engine_down"
    says = "The engine at {0} is not available: {1}."
    suggestion = "Run research-agent doctor; accepted tasks wait and run once it is back."


class RecordError(ResearchError):
    """Something is wrong with the record itself."""

    code = "record_error"


class HomeUnwritable(RecordError):
    """The data home cannot be written: (path, why)."""

    code = "home_unwritable"
    says = "The data home {0} cannot be written: {1}."
    suggestion = "Set RESEARCH_AGENT_HOME to a directory you can write to."


class DiskFull(RecordError):
    """No space is left for the record: (path,)."""

    code = "disk_full"
    says = "The disk is full: nothing more can be recorded in {0}."
    suggestion = "Free some space; nothing acknowledged was lost, and work resumes by itself."


class StreamBusy(RecordError):
    """Another writer holds the stream's lock and does not let go: (stream, seconds)."""

    code = "stream_busy"
    says = "The stream {0} was locked by another writer for {1} s."
    suggestion = "Retry; if it persists, look for a stuck process with research-agent doctor."


class StaleWriter(RecordError):
    """A newer writer took the stream over: (stream,)."""

    code = "stale_writer"
    says = "The stream {0} has a newer writer; this append was refused."
    suggestion = "Nothing to do: the newer writer carries on."


class BrokenChain(RecordError):
    """A line is not what it claims to be: (file, line, why)."""

    code = "broken_chain"
    says = "{0}, line {1}: {2}."
    suggestion = "Run research-agent verify, and restore the file from a backup."


class NewerFormat(RecordError):
    """The record was written by a later version: (file, version)."""

    code = "newer_format"
    says = "{0} was written in format {1}, which this version does not know."
    suggestion = "Upgrade research-agent; nothing was changed."


class MissingBlob(RecordError):
    """A blob that the record refers to is not there: (hash,)."""

    code = "missing_blob"
    says = "The content {0} is missing."
    suggestion = "Run research-agent verify, and restore the blob from a backup."


class DamagedBlob(RecordError):
    """A blob's bytes are not those its name promises: (hash, why)."""

    code = "damaged_blob"
    says = "The content {0} is damaged: {1}."
    suggestion = "Run research-agent verify, and restore the blob from a backup."


class ReplayDiffers(RecordError):
    """A re-run did something else than the record says: (stream, what)."""

    code = "replay_differs"
    says = "The re-run of {0} differs from its record: {1}."
    suggestion = "Replay with the version that wrote the trace."
