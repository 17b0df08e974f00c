"""How far sources are to be trusted, from facts about them and by rule."""

import re

from actors.answering.candidates import Source
from actors.answering.quoting import Quote, squeezed
from actors.findings import Authority, Recency

_HIGH_HOSTS = re.compile(
    r"(?:\.gov|\.gov\.[a-z]{2}|\.edu|\.edu\.[a-z]{2}|\.ac\.[a-z]{2}|\.mil|\.int)\Z"
    r"|(?:^|\.)(?:doi\.org|arxiv\.org|nature\.com|science\.org|pnas\.org|springer\.com|wiley\.com"
    r"|sciencedirect\.com|ieee\.org|acm\.org|plos\.org|cell\.com|jstor\.org)\Z"
)
_MEDIUM_HOSTS = re.compile(
    r"\.org\Z|\.org\.[a-z]{2}\Z|^(?:docs|developer|support|help)\.|readthedocs"
)
_LOW_HOSTS = re.compile(
    r"(?:^|\.)(?:medium\.com|blogspot\.[a-z.]+|wordpress\.(?:com|org)|substack\.com|tumblr\.com"
    r"|reddit\.com|quora\.com|facebook\.com|x\.com|twitter\.com|stackexchange\.com)\Z"
    r"|^(?:blog|forum|forums|community)\."
)
_PEER_REVIEWED = re.compile(
    r"\bpeer[- ]reviewed\b|^\s*doi:\s*10\.|\bJournal of [A-Z]|\bProceedings of\b", re.M
)
_INFORMAL = re.compile(
    r"\b(?:my blog|this blog|blog post|posted by|forum post|in my opinion|unverified)\b", re.I
)
_TRUST = {"high": 0.85, "medium": 0.7, "low": 0.45}


def authority(source: Source) -> Authority:
    """By where a source comes from; a file counts as medium unless its opening says otherwise.

    High: governments, universities, peer-reviewed publishers. Medium: organisations and
    documentation. Low: blogs, forums and every other site.
    """
    host = re.match(r"https?://(?:[^/@]*@)?([^/:?#]+)", source.passage.locator, re.I)
    if host:
        name = host.group(1).casefold()
        if _HIGH_HOSTS.search(name):
            return "high"
        known = _MEDIUM_HOSTS.search(name) and not _LOW_HOSTS.search(name)
        return "medium" if known else "low"
    if _INFORMAL.search(source.text[:1500]):
        return "low"
    return "high" if _PEER_REVIEWED.search(source.text[:600]) else "medium"


def typical_authority(sources: list[Source]) -> Authority:
    """The grade that at least half of the sources reach."""
    ranks: list[Authority] = ["low", "medium", "high"]
    grades = sorted(ranks.index(authority(source)) for source in sources)
    return ranks[grades[(len(grades) - 1) // 2]] if grades else "low"


def trust(source: Source, *, supported: bool, disputed: bool) -> float:
    """Confidence in one citation: authority, more with a second witness, less against one."""
    return round(_TRUST[authority(source)] + 0.1 * supported - 0.2 * disputed, 2)


def independent(quotes: list[Quote], part: int) -> int:
    """How many sources stand behind a part; copies of one another count once."""
    spoken: dict[int, set[str]] = {}
    for quote in quotes:
        if quote.part == part:
            spoken.setdefault(quote.source.order, set()).add(squeezed(quote.lead.text))
            for each in quote.support:
                spoken.setdefault(each.source.order, set()).add(squeezed(each.text))
    counted: list[set[str]] = []
    for order in sorted(spoken):
        if not any(spoken[order] & other for other in counted):
            counted.append(spoken[order])
    return len(counted)


_STAMPED = re.compile(
    r"(?:last (?:revised|updated|modified|edited)|revised|updated|published|dated?|posted|as of|©"
    r"|copyright|最終更新|更新日)[^0-9\n]{0,20}(?P<year>20[0-9]{2}|19[0-9]{2})(?:-(?P<month>[0-9]{2}))?",
    re.I,
)
_REVISED = re.compile(
    r"(?:revised|updated|modified|edited|最終更新|更新日)"
    r"[^0-9\n]{0,20}(?P<year>20[0-9]{2}|19[0-9]{2})(?:-(?P<month>[0-9]{2}))?",
    re.I,
)
"""What makes a document newer than the day it came out: a copyright does not."""

_YEAR = re.compile(r"\b(?:19|20)[0-9]{2}\b")
_MONTH = re.compile(r"[0-9]{4}-[0-9]{2}")


def recency(sources: list[Source]) -> Recency | None:
    """An answer is as fresh as the oldest of its sources that can be dated."""
    ages = [_recency(source) for source in sources]
    order: list[Recency] = ["dated", "recent", "current"]
    return next((age for age in order if age in ages), None)


def _recency(source: Source) -> Recency | None:
    """How old a source is on the day it is read, or was when it was ingested in records that do not tell that day.

    When it came out, or was revised since, settles it; so does a date that its text gives. Without one, a year that it
    mentions shows that it is no older than that, which says something only when the year is near; and when its file
    was saved, that it is no newer.
    """
    passage = source.passage
    read_on = passage.searched_on or passage.published_at
    if not _MONTH.match(read_on):
        return None
    now = _months(read_on[:4], read_on[5:7])
    # What a document says of itself stands at its beginning or its end.
    edges = source.text if len(source.text) < 2100 else source.text[:1500] + source.text[-600:]
    own = [told for told in _told(passage.dated) if told <= now + 6]
    stamps = own + [
        _months(each["year"], each["month"] or "06")
        for each in (_REVISED if own else _STAMPED).finditer(edges)
    ]
    past = [stamp for stamp in stamps if stamp <= now + 6]
    if past:
        age = now - max(past)
        return "current" if age < 12 else "recent" if age <= 36 else "dated"
    years = [_months(year, "06") for year in _YEAR.findall(source.text)]
    near = [year for year in years if now - 36 <= year <= now + 6]
    if near:
        return "recent"
    return "dated" if any(now - saved > 36 for saved in _told(passage.saved)) else None


def _told(date: str) -> list[int]:
    """The month of a date, if there is one."""
    return [_months(date[:4], date[5:7] or "06")] if date else []


def _months(year: str, month: str) -> int:
    return 12 * int(year) + int(month)
