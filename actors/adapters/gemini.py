"""The only door to google.genai: orders deep-research jobs, follows them, fetches and cancels them.

The SDK's own retries are off: it would repeat an order that was already taken on. Its errors become ours, with the
provider's own words; nothing of the SDK leaves this module.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from google import genai
from google.genai import _interactions as sdk
from google.genai import types

from actors.adapters.wishes import seconds_to_wait
from actors.adapters.writable import writable
from actors.keys import Credential
from actors.outside import Pause
from actors.ports import Answer
from actors.prices import cost_of
from actors.reports.interaction import RUNNING, Interaction, news_of, steps_of, usage_of
from events.calls import Usage
from events.codec import canonical
from events.errors import (
    AnswerMalformed,
    FateUnknown,
    KeyRefused,
    ProviderAway,
    ProviderBusy,
    ProviderError,
    ProviderFailed,
    ProviderSilent,
    RequestRefused,
)
from events.secrets import redact_text, redact_value

NAME = "gemini"
API_VERSION = "v1"
LOOKS = 5
"""So often an ended job may look as if it went on before that is believed."""

_WAITS = "requires_action"
"""The state of a job that neither goes on nor ends, for as long as nobody calls it off."""

_WORDS_LIMIT = 400
_NEVER_SENT = {"ConnectError", "ConnectTimeout", "PoolTimeout", "ProxyError", "UnsupportedProtocol"}
"""Failures of the HTTP library, by class, after which the provider cannot have seen anything."""

Made = TypeVar("Made")


@dataclass(frozen=True)
class Pace:
    """How patiently a job is followed, in seconds."""

    first: float = 2.0
    longest: float = 30.0
    """Between two looks at a job of which nothing is heard."""

    idle: float = 60.0
    """So long a stream may be silent before it is given up for a look."""

    call: float = 60.0
    last_word: float = 4.0
    """For what is asked while somebody waits for the end; with all its repetitions it may take twice as long."""

    breath: float = 0.25
    """Before such a thing is asked again, for the first time."""


class Gemini:
    """Satisfies `actors.outside.Provider`."""

    def __init__(self, credential: Credential, pace: Pace | None = None) -> None:
        self._pace = pace or Pace()
        options = types.HttpOptions(
            base_url=credential.base_url,
            api_version=API_VERSION,
            timeout=round(self._pace.call * 1000),
            retry_options=types.HttpRetryOptions(attempts=1),
        )
        # The client closes its connections when it is let go of, so it is kept, not only its parts.
        self._client = genai.Client(api_key=credential.key, vertexai=False, http_options=options)
        self._listening: dict[str, _Listening] = {}
        """Streams that are open, by job."""

    def do(self, operation: str, request: dict[str, Any], pause: Pause) -> Answer:
        """Perform one operation: create, follow, get or cancel."""
        match operation:
            case "create":
                return self._create(request)
            case "follow":
                return self._follow(request, pause)
            case "get":
                return self._get(request["interaction"], pause)
            case "cancel":
                return self._cancel(request["interaction"], billed=request.get("billed", False))
            case _:
                raise RequestRefused(NAME, f"there is no operation {operation!r}")

    def _create(self, request: dict[str, Any]) -> Answer:
        """Order a job. What may have been taken on is never ordered again by anybody."""
        before = request.get("previous_interaction_id")
        following = {"previous_interaction_id": before} if before else {}
        try:
            job = _checked(
                _ours(
                    lambda: self._client.interactions.create(
                        agent=request["agent"],
                        input=request["input"],
                        background=True,
                        agent_config={"type": "deep-research", "thinking_summaries": "auto"},
                        **following,
                    )
                )
            )
        except ProviderError as failure:
            if failure.untouched:
                raise
            raise FateUnknown(NAME, f"{failure.code}: {failure.args[1]}") from None
        return Answer(content=canonical(job), model=request["agent"])

    def _get(self, interaction: str, pause: Pause) -> Answer:
        """A job that is said to have ended; one that goes on after all is waited for a little."""
        for _ in range(LOOKS):
            job = self._look(interaction, self._pace.call)
            if job["status"] not in RUNNING:
                break
            pause(self._pace.first)
        else:
            return Answer(content=canonical(job))
        model = str(job.get("agent") or "deep-research")
        usage = usage_of(job)
        return Answer(
            content=canonical(job), model=model, usage=usage, cost_usd=cost_of(model, usage)
        )

    def _cancel(self, interaction: str, *, billed: bool) -> Answer:
        """Call a job off, and say what it had got to; one that has ended already stays as it is.

        Both are asked again while there is time: a job that nobody reached goes on, and costs. One that does so in the
        end is told as it is, with what was in the way. What was `billed` before is not charged again.
        """
        listening = self._listening.get(interaction)
        job, untold = _CallingOff(self._client, interaction, self._pace).ended()
        usage = Usage() if billed else usage_of(job)
        model = str(job.get("agent") or "deep-research")
        heard = {"heard": redact_text(listening.text if listening else "")}
        return Answer(
            content=canonical(job | heard | ({"untold": untold} if untold else {})),
            model=model,
            usage=usage,
            cost_usd=cost_of(model, usage),
        )

    def _look(self, interaction: str, patience: float) -> Interaction:
        return _looked_at(self._client, interaction, patience)

    # -- following ---------------------------------------------------------------------------------

    def _follow(self, request: dict[str, Any], pause: Pause) -> Answer:
        """Wait for news of a job: its state has changed, or it finished a step worth telling.

        It is listened to as a stream; where that breaks off or stays silent, it is looked at.
        """
        job, after, steps = request["interaction"], request["after"], request["steps"]
        wait = self._pace.first
        while True:
            try:
                told = self._listen(job, after, steps, request["status"])
            except ProviderError:
                told = None
            told = told or self._seen(job, steps, request["status"])
            if told:
                return Answer(
                    content=canonical({"after": after, "steps": steps, "news": []} | told)
                )
            pause(wait)
            wait = min(wait * 1.5, self._pace.longest)

    def _seen(self, interaction: str, steps: int, known: str) -> dict[str, Any] | None:
        job = self._look(interaction, self._pace.call)
        done = steps_of(job)
        if job["status"] in RUNNING:
            done = done[:-1]  # The last one may be half of what it will be.
        news = [told for step in done[steps:] if (told := news_of(step))]
        if job["status"] == known and not news:
            return None
        return {"status": job["status"], "steps": max(steps, len(done)), "news": news}

    def _listen(
        self, interaction: str, after: str | None, steps: int, known: str
    ) -> dict[str, Any] | None:
        """The next thing worth telling from the job's stream; none when it has nothing more to say."""
        listening = before = self._listening.get(interaction)
        if listening is None or listening.over or listening.place != (interaction, after):
            listening = _Listening(interaction, after, self._stream, before.text if before else "")
        # Kept also when it is over, because whoever calls the job off wants to know what was heard.
        self._listening[interaction] = listening
        return listening.next(steps, known)

    def _stream(self, interaction: str, after: str | None) -> Iterator[Any]:
        return iter(
            _ours(
                lambda: self._client.interactions.get(
                    interaction, stream=True, timeout=self._pace.idle, last_event_id=after
                )
            )
        )


class _CallingOff:
    """Tells a provider to stop a job, in the time that somebody who waits for the end has."""

    def __init__(self, client: genai.Client, interaction: str, pace: Pace) -> None:
        self._client, self._interaction, self._pace = client, interaction, pace
        self._until = time.monotonic() + 2 * pace.last_word
        self._told = False
        self._job: Interaction | None = None
        """As the provider described it last."""

    def ended(self) -> tuple[Interaction, str | None]:
        """The job as the provider describes it in the end; and why it could not be told, if it goes on for that."""
        rest = self._pace.breath
        while True:
            trouble = self._tell()
            unseen = self._look()
            if not unseen and self._job and not _goes_on(self._job["status"], trouble):
                return self._job, None
            failure = trouble or unseen
            pause = _breath(failure, rest, self._pace.last_word / 2)
            if isinstance(failure, KeyRefused) or time.monotonic() + pause >= self._until:
                break
            time.sleep(pause)
            rest *= 2
        if self._job:
            return self._job, trouble.sentence if trouble else None
        assert failure
        raise failure

    def _tell(self) -> ProviderError | None:
        """Cancel, unless that was answered before; why it was not."""
        if not self._told:
            try:
                self._job = _checked(
                    _ours(
                        lambda: self._client.interactions.cancel(
                            self._interaction, timeout=self._patience()
                        )
                    )
                )
            except ProviderError as failure:
                return failure
            self._told = True
        return None

    def _look(self) -> ProviderError | None:
        """See what it has got to; why that cannot be seen."""
        try:
            self._job = _looked_at(self._client, self._interaction, self._patience())
        except ProviderError as failure:
            return failure
        return None

    def _patience(self) -> float:
        """Seconds for one request; the last one is cut short, but not to nothing."""
        left = self._until - time.monotonic()
        return max(self._pace.breath, min(self._pace.last_word, left))


class _Listening:
    """An open stream of a job's events, and how far it was told."""

    def __init__(
        self,
        interaction: str,
        after: str | None,
        connect: Callable[[str, str | None], Iterator[Any]],
        heard: str = "",
    ) -> None:
        self.place = interaction, after
        self.over = False
        """Nothing more will be heard."""

        self._text, self._heard = "", heard
        self._events = connect(interaction, after)
        self._step: dict[str, Any] = {}

    @property
    def text(self) -> str:
        """What was heard of the report so far, by this stream or by one before it: each begins where it was told."""
        return max(self._heard, self._text, key=len)

    def next(self, steps: int, known: str) -> dict[str, Any] | None:
        """Listen until there is something to tell; none when the stream is over."""
        told = None
        try:
            told = self._next(steps, known)
        finally:
            if told is None:
                # Without its events the connection is let go of.
                self.over, self._events = True, iter(())
        return told

    def _next(self, steps: int, known: str) -> dict[str, Any] | None:
        while True:
            event = _ours(lambda: next(self._events, None))
            if event is None:
                return None
            said = writable(event.model_dump(mode="json", exclude_none=True))
            told = self._take(said, steps, known)
            if told:
                self.place = self.place[0], told.get("after", self.place[1])
                return redact_value(told)  # type: ignore[no-any-return]

    def _take(self, said: dict[str, Any], steps: int, known: str) -> dict[str, Any] | None:
        match said.get("event_type"):
            case "interaction.status_update":
                status = said.get("status")
                if isinstance(status, str) and status != known and said.get("event_id"):
                    return {"status": status, "after": said["event_id"]}
            case "step.start":
                self._step = dict(said.get("step") or {})
            case "step.delta":
                self._add(said.get("delta") or {})
            case "step.stop":
                index = said.get("index")
                news, self._step = news_of(self._step), {}
                if news and isinstance(index, int) and index >= steps:
                    told = {"status": "in_progress", "steps": index + 1, "news": [news]}
                    return told | ({"after": said["event_id"]} if said.get("event_id") else {})
            case "interaction.completed":
                status = str((said.get("interaction") or {}).get("status") or "completed")
                # Over, and going on: told so, whoever follows would ask again at once, for ever.
                return None if status in RUNNING else {"status": status}
            case "error":
                raise ProviderFailed(NAME, _plain(str(said.get("error"))))
            case _:
                pass
        return None

    def _add(self, delta: dict[str, Any]) -> None:
        match delta.get("type"):
            case "thought_summary":
                self._step.setdefault("summary", []).append(delta.get("content"))
            case "text":
                self._text += str(delta.get("text") or "")
            case _ if isinstance(delta.get("arguments"), dict):
                self._step.setdefault("arguments", {}).update(delta["arguments"])
            case _:
                pass


# -- from the SDK's words to ours ------------------------------------------------------------------


def _checked(job: Any) -> Interaction:
    """An answer that is a job, as JSON; the SDK itself lets anything through."""
    dump = getattr(job, "model_dump", None)
    told = dump(mode="json", exclude_none=True) if dump else None
    if not isinstance(told, dict) or not told.get("id") or not told.get("status"):
        raise AnswerMalformed(NAME, "the answer is no interaction with an id and a status")
    told.pop("output_text", None)  # It stops at the first picture.
    return redact_value(writable(told))  # type: ignore[no-any-return]


def _looked_at(client: genai.Client, interaction: str, patience: float) -> Interaction:
    return _checked(_ours(lambda: client.interactions.get(interaction, timeout=patience)))


def _ours(call: Callable[[], Made]) -> Made:
    """Perform a call of the SDK; what it raises becomes one of our errors, which can travel."""
    try:
        return call()
    except ProviderError:
        raise
    except Exception as failure:  # noqa: BLE001 - the SDK lets errors of other libraries through
        raise _translated(failure) from None


def _translated(failure: Exception) -> ProviderError:
    words, cause = _words(failure), type(failure.__cause__ or failure).__name__
    if isinstance(failure, sdk.APIConnectionError):
        return ProviderAway(NAME, words) if cause in _NEVER_SENT else ProviderSilent(NAME, words)
    if isinstance(failure, sdk.APIStatusError):
        return _refusal(failure.status_code or 0, words, failure.response.headers)
    if isinstance(failure, sdk.APIError):
        return AnswerMalformed(NAME, words)
    if type(failure).__module__.partition(".")[0] in {"httpx", "httpx2", "httpcore", "ssl"}:
        return ProviderAway(NAME, words) if cause in _NEVER_SENT else ProviderSilent(NAME, words)
    return RequestRefused(NAME, f"{type(failure).__name__}: {words}")


def _refusal(status: int, words: str, headers: Any) -> ProviderError:
    if status in {401, 403} or (status == 400 and "api key" in words.lower()):
        return KeyRefused(NAME, words)
    if status == 429:
        return ProviderBusy(NAME, words, seconds_to_wait(headers))
    if status == 408 or status >= 500:
        return ProviderFailed(NAME, words, seconds_to_wait(headers))
    return RequestRefused(NAME, words)


def _goes_on(status: str, trouble: ProviderError | None) -> bool:
    """Whether a job has to be called off still, after a cancel with or without trouble."""
    # Refused, it has most likely ended.
    unheard = trouble is not None and not isinstance(trouble, RequestRefused)
    return status in RUNNING or (status == _WAITS and unheard)


def _breath(failure: ProviderError | None, rest: float, longest: float) -> float:
    """Seconds before a last word is said again; no wish is heeded that would leave a job to go on."""
    wish = failure.retry_after if failure else None
    return min(max(wish or 0.0, rest), longest)


def _words(failure: Exception) -> str:
    """What the provider said, as it said it."""
    body = getattr(failure, "body", None)
    error = body.get("error") if isinstance(body, dict) else None
    status = getattr(failure, "status_code", None)
    if isinstance(error, dict) and error.get("message"):
        return _plain(f"{error['message']} ({error.get('code') or status})")
    return _plain(str(failure) or type(failure).__name__)


def _plain(text: str) -> str:
    return " ".join(redact_text(text).split())[:_WORDS_LIMIT]
