"""What the words of an answer look like: a clock time where it is asked what time, a sum where it is asked how much."""

import re

_DAYS_AND_MONTHS = (
    r"\b(?:Jan(?:uary)?|Feb(?:ruary)?|March|April|May|June|July|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?|(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:days?)?)\b"
)
_CLOCK = r"\b[0-2]?[0-9][:.][0-5][0-9]\b|\b[0-9]{1,2}\s?[ap]\.?m\b|\bnoon\b|\bmidnight\b"
_NUMBER = (
    r"[0-9]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|\w+teen|twenty|thirty|forty"
    r"|fifty|sixty|seventy|eighty|ninety|hundreds?|thousands?|millions?|half|once|twice|no|none|both|unlimited)\b"
)
_SUM = r"[0-9]|[$€£¥]|\bfree\b|\bno (?:charge|cost|fee)\b"
_SPAN = (
    r"[0-9]|\b(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|half)[ -](?:an? )?"
    r"(?:second|minute|hour|day|week|month|year|night)s?\b|\b(?:once|twice|every|daily|weekly|monthly|yearly|until"
    r"|always)\b"
)
_WHEN = (
    rf"{_CLOCK}|{_DAYS_AND_MONTHS}|\b(?:1[0-9]{{3}}|20[0-9]{{2}})\b"
    r"|\b(?:every|spring|summer|autumn|winter|morning|evening|night|today|tomorrow|yesterday|daily|weekly|after|before"
    r"|until|by|once|as soon as|when|if|within)\b"
)
_REASON = (
    r",\s+so\b|\b(?:because|since(?! (?:[0-9]|then|the ))|as(?! (?:an?|well|soon|long|the|of|in)\b)|due to|caus\w*"
    r"|owing|so that|so as|therefore|thus|hence|result|in order|reasons?|thanks to|lack of|after|otherwise"
    r"|to (?:avoid|prevent|protect|keep|make|reduce|save|allow|let|help|give|stop)|too)\b"
)
_SOMEBODY = (
    r"(?-i:[a-z,:(|] *[A-Z][a-z]+)|\b(?:he|she|they|we|you|anyone|everyone|nobody|people|staff|team|council|company"
    r"|family|[a-z]{3,}(?:ers?|ors?|ists?|ians?|ents?|ants?|ees?))\b"
)
_REACHED_AT = r"@|\b[0-9]{3,}[ -][0-9]{3,}|https?://|www\."

_EXPECTED = {
    kind: (re.compile(asked, re.I), re.compile(told, re.I))
    for kind, asked, told in (
        ("count", r"\bhow many\b", _NUMBER),
        ("span", r"\bhow (?:long|soon|often|far|late|early)\b", _SPAN),
        ("sum", r"\bhow much\b|\bprices?\b|\bcosts?\b|\bpay\b|\bfees?\b|\bcharge", _SUM),
        ("time", r"\bwhat time\b", _CLOCK),
        ("date", r"\bwhen\b|\b(?:what|which) (?:day|date|year)\b", _WHEN),
        ("reason", r"\bwhy\b|\breason\b|\bhow come\b", _REASON),
        ("person", r"\bwho(?:m|se)?\b", _SOMEBODY),
        ("contact", r"\bphone\b|\bnumber of\b|\be-?mail\b|\baddress\b|\bcontact\b", _REACHED_AT),
    )
}
"""By the kind of an answer: how it is asked for, and what it has; the first that fits decides."""

_FIGURE = re.compile(r"[0-9]+(?:[.,:][0-9]+)*")

_WHETHER = re.compile(
    r"(?:(?!(?:what|which|who|whom|whose|where|when|how|why)\b)[\w'’]+,? )?"
    r"(?:do|does|did|is|are|was|were|can|could|should|shall|may|will|would|has|have|had|must|am)\b|\w+n['’]t\b",
    re.I,
)
_SETTLING = re.compile(
    r"\b(?:yes|no|not|never|only|cannot|must|may|can|free|allowed|except|without|unless|but)\b|n['’]t\b",
    re.I,
)


def as_expected(question: str, text: str) -> dict[str, float]:
    """By the kind of an answer: 1 where a sentence has what is asked for, -1 where it has not, 0 where it is not asked.

    What stands in the question itself does not count.
    """
    kind = next((each for each, (asks, _) in _EXPECTED.items() if asks.search(question)), "")
    found = dict.fromkeys(_EXPECTED, 0.0)
    if kind:
        asked = set(_FIGURE.findall(question))
        new = _FIGURE.sub(lambda each: " " if each.group() in asked else each.group(), text)
        found[kind] = 1.0 if _EXPECTED[kind][1].search(new) else -1.0
    return found


def asks_whether(question: str) -> bool:
    """Whether a question is answered by yes or no."""
    return _WHETHER.match(question) is not None


def settles(text: str) -> bool:
    """Whether a sentence allows, forbids or limits something."""
    return _SETTLING.search(text) is not None
