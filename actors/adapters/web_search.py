"""The one door to Tavily, which searches the web: through its SDK, and never without a key.

Its SDK would go to a public host without one. Results are bounded here: what a stranger's page is called, and how it is
summed up, is a stranger's text.
"""

from typing import Any

import requests
from tavily import TavilyClient
from tavily import errors as refusals

from actors.adapters.wishes import seconds_to_wait
from actors.keys import Credential
from actors.outside import Pause
from actors.ports import Answer
from actors.prices import cost_of
from events.calls import Usage
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

NAME = "tavily"
DEFAULT_URL = "https://api.tavily.com"
TIMEOUT = 60.0
"""Seconds that a search may take."""

_WORDS = 400
_BOUNDS = {"url": 2_000, "title": 300, "content": 2_000, "published_date": 60}
"""Members of a result that are kept, and how many characters of each."""

_ASKED = {"query", "max_results", "include_domains", "exclude_domains", "topic", "search_depth"}


class WebSearch:
    """Satisfies `actors.outside.Provider`."""

    def __init__(self, credential: Credential, timeout: float = TIMEOUT) -> None:
        self._credential, self._timeout = credential, timeout

    def do(self, operation: str, request: dict[str, Any], pause: Pause) -> Answer:
        """`search`: results with url, title, content and score, best first."""
        if operation != "search" or not request.get("query") or request.keys() - _ASKED:
            raise BadRequest(f"Tavily cannot do {operation!r} with that.", "Give it a query.")
        if not self._credential.key:
            raise KeyRefused(NAME, "there is no key")
        base_url = (self._credential.base_url or DEFAULT_URL).rstrip("/")
        try:
            with TavilyClient(api_key=self._credential.key, api_base_url=base_url) as client:
                found = client.search(**request, include_usage=True, timeout=self._timeout)
        except ProviderError:
            raise
        except Exception as failure:  # noqa: BLE001 - the SDK's errors have no base of their own
            raise _in_our_words(failure) from None
        results, credits = _results(found), _credits(found, request)
        usage = Usage(searches=1, credits=credits)
        return Answer(
            content=canonical({"results": results, "request_id": _text(found, "request_id", 80)}),
            model=NAME,
            usage=usage,
            cost_usd=cost_of(NAME, usage),
        )


def _results(found: Any) -> list[dict[str, Any]]:
    listed = found.get("results") if isinstance(found, dict) else None
    if not isinstance(listed, list):
        raise AnswerMalformed(NAME, f"no results: {_words(found)}")
    kept = [each for each in listed[:50] if isinstance(each, dict) and _text(each, "url", 2_000)]
    return [
        {name: _text(each, name, most) for name, most in _BOUNDS.items()}
        | {"score": _number(each.get("score"))}
        for each in kept
    ]


def _credits(found: dict[str, Any], request: dict[str, Any]) -> float:
    usage = found.get("usage")
    told = _number(usage.get("credits")) if isinstance(usage, dict) else 0.0
    return told or (2.0 if request.get("search_depth") == "advanced" else 1.0)


def _text(members: dict[str, Any], name: str, most: int) -> str:
    value = members.get(name)
    # A lone surrogate cannot be written down.
    return value.encode("utf-8", "replace").decode()[:most] if isinstance(value, str) else ""


def _number(value: Any) -> float:
    usable = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if usable and 0 <= value < 1e6 else 0.0


def _in_our_words(failure: Exception) -> ProviderError:
    words = _words(failure) or type(failure).__name__
    match failure:
        case refusals.InvalidAPIKeyError():
            return KeyRefused(NAME, words)
        case refusals.UsageLimitExceededError():
            return ProviderBusy(NAME, words)
        case refusals.BadRequestError() | refusals.ForbiddenError():
            return RequestRefused(NAME, words)
        case refusals.TimeoutError() | requests.exceptions.ReadTimeout():
            return ProviderSilent(NAME, words)
        case requests.exceptions.HTTPError():
            return _by_status(failure, words)
        case requests.exceptions.JSONDecodeError() | AttributeError():
            # The SDK trips over what it did not expect; its words are about itself.
            return AnswerMalformed(NAME, "its answer is no list of search results")
        case ValueError():
            return AnswerMalformed(NAME, words)
        case requests.exceptions.ConnectionError():
            reached = "NewConnectionError" not in words and "NameResolution" not in words
            return ProviderSilent(NAME, words) if reached else ProviderAway(NAME, words)
        case _:
            return ProviderFailed(NAME, f"{type(failure).__name__}: {words}")


def _by_status(failure: requests.exceptions.HTTPError, words: str) -> ProviderError:
    if failure.response is None:
        return ProviderFailed(NAME, f"{words} (500)")
    status = failure.response.status_code
    if status < 500:
        return RequestRefused(NAME, f"{words} ({status})")
    return ProviderFailed(NAME, f"{words} ({status})", seconds_to_wait(failure.response.headers))


def _words(said: object) -> str:
    return redact_text(" ".join(str(said)[:4_000].split()))[:_WORDS]
