"""The one door to Claude: the Messages API through its SDK, without any retrying of the SDK's own.

Answers are taken as they came over the wire, so that what they cost is known even where they make no sense. Whatever
goes wrong becomes a `ProviderError` with the provider's words in it, and never with a key.
"""

from functools import cached_property
from typing import Any

from anthropic import (
    Anthropic,
    AnthropicError,
    APIConnectionError,
    APIError,
    APIStatusError,
    APITimeoutError,
    EnforcedSpendLimitReachedError,
)

from actors.adapters.wishes import seconds_to_wait
from actors.adapters.writable import read_json
from actors.keys import Credential
from actors.kinds.claude_budget import kept_in, usage_of
from actors.outside import Pause
from actors.ports import Answer
from actors.prices import cost_of
from events.codec import canonical
from events.errors import (
    AnswerMalformed,
    BadRequest,
    KeyRefused,
    ProviderAway,
    ProviderBusy,
    ProviderError,
    ProviderFailed,
    ProviderSilent,
    RequestRefused,
)
from events.secrets import redact_text

NAME = "claude"
DEFAULT_URL = "https://api.anthropic.com"
TIMEOUT = 180.0
"""Seconds that an answer may take."""

_LONGEST = 8 << 20
"""Characters of an answer; no answer within the limits we ask for has more."""

_WORDS = 400


class Claude:
    """Satisfies `actors.outside.Provider`."""

    def __init__(self, credential: Credential, timeout: float = TIMEOUT) -> None:
        self._credential, self._timeout = credential, timeout

    @cached_property
    def _client(self) -> Anthropic:
        return Anthropic(
            api_key=self._credential.key,
            base_url=self._credential.base_url or DEFAULT_URL,
            timeout=self._timeout,
            max_retries=0,
        )

    def close(self) -> None:
        """Let go of the connection, if there is one."""
        if "_client" in self.__dict__:
            self._client.close()

    def do(self, operation: str, request: dict[str, Any], pause: Pause) -> Answer:
        """`message`: the next message to a conversation, as JSON with `request_id` added."""
        if operation != "message":
            raise BadRequest(f"Claude has no operation {operation!r}.", "Use message.")
        try:
            reply = self._client.messages.with_raw_response.create(**request)
            raw, request_id = reply.text(), reply.headers.get("request-id")
        except AnthropicError as failure:
            raise _in_our_words(failure) from None
        except OSError as failure:
            raise ProviderSilent(NAME, _words(f"{type(failure).__name__}: {failure}")) from None
        except Exception as failure:  # noqa: BLE001 - the SDK refuses some requests in its own ways
            raise RequestRefused(NAME, _words(f"{type(failure).__name__}: {failure}")) from None
        message = _message(raw) | {"request_id": request_id}
        usage = usage_of(message)
        model = str(message.get("model") or request.get("model") or "")[:200]
        cost = cost_of(model, usage, kept_in(message))
        return Answer(content=canonical(message), model=model, usage=usage, cost_usd=cost)


def _message(raw: str) -> dict[str, Any]:
    if len(raw) > _LONGEST:
        raise AnswerMalformed(NAME, f"an answer of {len(raw)} characters")
    try:
        message = read_json(raw)
        canonical(message)
    except (ValueError, TypeError, RecursionError):
        raise AnswerMalformed(NAME, f"not JSON: {_words(raw) or 'nothing at all'}") from None
    if not isinstance(message, dict) or not isinstance(message.get("content"), list):
        raise AnswerMalformed(NAME, f"not a message: {_words(raw)}")
    return message


def _in_our_words(failure: AnthropicError) -> ProviderError:
    if isinstance(failure, APITimeoutError):
        return ProviderSilent(NAME, "no answer in time")
    if isinstance(failure, APIConnectionError):
        return _unreachable(failure)
    if isinstance(failure, APIStatusError):
        return _refused(failure)
    if isinstance(failure, APIError):
        return AnswerMalformed(NAME, _words(failure))
    return KeyRefused(NAME, _words(failure))


def _unreachable(failure: APIConnectionError) -> ProviderError:
    cause = failure.__cause__
    kind = type(cause).__name__ if cause else "connection error"
    said = _words(f"{kind}: {cause}" if cause and str(cause) else kind)
    # Only where no connection came about is it certain that nothing was done.
    return ProviderAway(NAME, said) if kind.startswith("Connect") else ProviderSilent(NAME, said)


def _refused(failure: APIStatusError) -> ProviderError:
    status = failure.status_code
    words = _words(failure.api_message or failure.message)
    if failure.request_id:
        words = f"{words} ({status}, request {_words(failure.request_id)[:80]})"
    else:
        words = f"{words} ({status})"
    if isinstance(failure, EnforcedSpendLimitReachedError):
        return RequestRefused(NAME, words)
    if status in (429, 529) or failure.type == "overloaded_error":
        return ProviderBusy(NAME, words, seconds_to_wait(failure.response.headers))
    if status in (401, 403):
        return KeyRefused(NAME, words)
    if status in (408, 504):
        return ProviderSilent(NAME, words)
    if status >= 500 or status == 409:
        return ProviderFailed(NAME, words, seconds_to_wait(failure.response.headers))
    return RequestRefused(NAME, words)


def _words(said: object) -> str:
    return redact_text(" ".join(str(said).split()))[:_WORDS]
