"""What can happen to a page of the web that somebody wants to be able to search.

That a page was asked for stands in the root stream, because its number is given there; how it
ended stands in the stream of the job that fetched it.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from events.base import Blob, Details, Fact, Hash

ContentType = Literal["job_posting", "blog_article", "company_page"]
Language = Literal["en", "ja", "mixed"]

APP = "research-agent"
"""Who says so, to whoever reads the events of several programs."""

COLLECTION = "websites"
"""Where pages are kept; every other door finds them there, too."""

ORDER = "fetch"
"""Where the metadata of a job's entry says how it is to be fetched; it says nothing of the page."""

Extracted = dict[str, str | list[str]]
"""What a page says under the names that its content type has for it."""


class FetchOrder(BaseModel):
    """How a page is to be fetched, as the caller's settings were when it was accepted.

    It travels with the job: whoever runs it has no settings of the caller's.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    source_id: int | None = None
    """The website that it is; none for a page that is only a document."""

    tool_name: str = ""
    content_type: ContentType = "job_posting"
    contact: str = ""
    obey_robots: bool = True
    delay_s: float = 1.0
    allow_hosts: tuple[str, ...] = ()
    content: Blob | None = None
    """The bytes that are held. The server may answer that they are still the page."""

    media_type: str = Field(default="", exclude_if=lambda value: not value)
    """What they are."""

    served_as: str = Field(default="", exclude_if=lambda value: not value)
    """What the server called them."""

    etag: str = ""
    last_modified: str = ""
    anew: bool = False
    """Read it again, also where its bytes are the same."""

    render: bool = Field(default=False, exclude_if=lambda value: not value)
    """Show it in a browser where it shows nothing without one."""

    render_sandbox: bool = Field(default=True, exclude_if=bool)
    """Whether the browser must be in its sandbox."""

    served: Blob | None = Field(default=None, exclude_if=lambda value: value is None)
    """What its server answered when it was looked at for its links; it is not asked again."""


class WebsiteProcessingStarted(Fact):
    """A page was accepted: from here on its URL has this number."""

    kind: Literal["website_processing_started"] = "website_processing_started"

    source_app: str = APP
    tool_name: str
    source_id: int
    url: str
    """In normal form."""

    content_type: ContentType
    timestamp: str
    job: str
    collection: str
    document: str


class WebsiteProcessingCompleted(Fact):
    """A page is searchable, anew or as it was."""

    kind: Literal["website_processing_completed"] = "website_processing_completed"

    source_app: str = APP
    tool_name: str
    source_id: int
    url: str
    content_type: ContentType
    chunks_created: int
    """Chunks that it consists of."""

    processing_time_ms: int
    timestamp: str
    outcome: Literal["added", "updated", "unchanged"]
    embedded: int = 0
    """Chunks that had to be embedded."""

    version: Hash
    final_url: str
    status_code: int
    rendered: bool = Field(default=False, exclude_if=lambda value: not value)
    """What is held is the page as a browser shows it."""

    title: str = ""
    """This and what follows is not said again of a page that has not changed."""

    language: Language | None = None
    languages: tuple[str, ...] = ()
    """By ISO 639-1, the most written first."""

    extracted: Extracted = Field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    """What of the page did not come out, and why."""


class WebsiteProcessingFailed(Fact):
    """A page could not be made searchable; what was held of it before stays."""

    kind: Literal["website_processing_failed"] = "website_processing_failed"

    source_app: str = APP
    tool_name: str
    source_id: int
    url: str
    error: str
    timestamp: str
    code: str
    details: Details = Field(default_factory=dict)
    suggestion: str = ""


class WebsiteRefreshDue(Fact):
    """A page has not been looked at for so long that it is fetched again without being asked for."""

    kind: Literal["website_refresh_due"] = "website_refresh_due"

    source_app: str = APP
    source_id: int
    url: str
    job: str
    """The job that fetches it."""

    due_at: str
    failures: int = 0
    """So often in a row it could not be had; each time it is left for longer."""

    timestamp: str


class WebsiteDeleted(Fact):
    """A page left every search; its versions stay citable, and its URL keeps its number."""

    kind: Literal["website_deleted"] = "website_deleted"

    source_app: str = APP
    tool_name: str
    source_id: int
    url: str
    chunks_deleted: int
    timestamp: str


class SemanticQueryStarted(Fact):
    """Somebody asked the websites something."""

    kind: Literal["semantic_query_started"] = "semantic_query_started"

    source_app: str = APP
    query: str
    filters: Details = Field(default_factory=dict)
    timestamp: str


class SemanticQueryCompleted(Fact):
    """The question was answered."""

    kind: Literal["semantic_query_completed"] = "semantic_query_completed"

    source_app: str = APP
    query_hash: Hash
    results_count: int
    processing_time_ms: int
    timestamp: str
    composer: str = Field(default="", exclude_if=lambda value: not value)
    """Who put an answer together: `extractive`, or the model that did; empty if nobody was asked to."""

    cost_usd: float = Field(default=0.0, exclude_if=lambda value: not value)
