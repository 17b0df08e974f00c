"""How a message of the model ended, where that says more than its words: declined, or cut off.

What a model declined must not stand in what it is asked next, or it declines again; so it is asked once more as before,
and then no more. Of a message that was cut off at its limit whatever can be read is kept, and the limit is named.
"""

from typing import Any

from actors.reports.wording import short
from actors.webpages.injection import visible

REFUSALS_BORNE = 1
"""So often the model is asked again after it declined."""

_CUT = frozenset({"max_tokens", "model_context_window_exceeded"})


def declined(message: dict[str, Any]) -> str | None:
    """Why the model would not answer, in the provider's words; none where it did not decline."""
    if message.get("stop_reason") != "refusal":
        return None
    details = message.get("stop_details")
    told = details if isinstance(details, dict) else {}
    said = [each for name in ("category", "explanation") if isinstance(each := told.get(name), str)]
    return short(visible(": ".join(said)), 300) or "no reason was given"


def cut_off(message: dict[str, Any]) -> bool:
    """Whether a limit ended the message before the model did."""
    reason = message.get("stop_reason")
    return isinstance(reason, str) and reason in _CUT
