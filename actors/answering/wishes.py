"""What a request for an overview wishes for: a topic, and what is to be told of it.

People and their models write such requests in several sentences: "I am preparing a talk on tidal energy. Give me an
overview of the technology, its costs, and the main projects. Include sources." Some of that is about the report and
not about the topic; where a sentence is neither, the whole is no such request.
"""

import re
from dataclasses import dataclass

MOST = 8
"""Things that are told of a topic at the most."""

LONGEST_NAME = 8
"""Words of a topic that is named without a verb."""

_ARTICLES = r"(?:(?:the|a|an|my|our|your|these|those|all)\s+)?"
_ABOUT = r"(?:about|on|of|into|to|regarding|concerning)"
_ADJECTIVES = (
    r"(?:(?:short|brief|quick|general|detailed|full|complete|comprehensive|thorough|broad|deep|in-depth|high-level|clear)"
    r"(?:,?\s+(?:and\s+)?))*"
)
_KINDS = (
    rf"{_ADJECTIVES}(?:overview|summary|introduction|report|outline|description|account|survey|review|briefing|analysis"
    r"|study|investigation|assessment|research|paper|essay|article|memo)"
)
_DOCUMENTS = r"(?:documents?|sources?|files?|notes?|papers?|texts?|pages?|articles?|reports?|collection|knowledge base)"
_POLITE = (
    r"(?:please\s+|(?:can|could|would)\s+you\s+(?:please\s+)?"
    r"|(?:i\s+want|i['’]d\s+like|i\s+would\s+like|i\s+need)\s+(?:you\s+)?(?:to\s+)?)?"
)
_REQUEST = re.compile(
    rf"""{_POLITE}
    (?:
      (?:tell|inform|teach|brief)\s+(?:me|us)\s+(?:(?:more|something|everything|all|a\s+(?:bit|little))\s+)?(?:about|on)
    | (?:(?:give|write|show|make|prepare|create|provide|conduct|do|perform|produce|draft|compile|carry\s+out)\s+)?
      (?:(?:me|us)\s+)?{_ARTICLES}{_KINDS}\s+{_ABOUT}
    | (?:know|learn|read|understand|find\s+out)\s+(?:more\s+|something\s+|all\s+|everything\s+)?about
    | (?:summari[sz]e|describe|explain|outline|survey|review|introduce|explore|investigate|research|discuss|present
      |analy[sz]e|study|examine|assess|look\s+into|write\s+about)(?:\s+(?:to\s+)?(?:me|us))?
    | what\s+do(?:es)?\s+{_ARTICLES}{_DOCUMENTS}\s+(?:say|tell(?:\s+(?:me|us))?|know)\s+{_ABOUT}
    | what\s+(?:is|do\s+(?:we|you)|can\s+(?:you|we))\s+(?:already\s+)?(?:known?|tell\s+(?:me|us)|say|learn)\s+about
    | what\s+(?:is|['’]s)\s+there\s+(?:to\s+know\s+)?about
    | (?:everything|all(?:\s+there\s+is)?|something)\s+(?:we\s+(?:have|know)\s+)?(?:about|on)
    )\s+(?P<topic>.+)\Z""",
    re.I | re.X | re.S,
)
_OCCASION = re.compile(
    r"(?:i\s+am|i['’]m|we\s+are|we['’]re)\s+(?:currently\s+|just\s+)?"
    r"(?:preparing|writing|working|making|doing|giving|researching|studying|planning|drafting|looking)\s+"
    r"(?:.{0,60}?\s)?(?:about|on|into)\s+(?P<topic>.+)\Z",
    re.I | re.S,
)
"""I am preparing a talk on tidal energy."""

_ALSO = re.compile(
    rf"""{_POLITE}(?:also\s+)?(?:
      (?:focus|focusing|concentrate)(?:\s+(?:especially|particularly|mainly|only))?\s+on
    | pay\s+(?:special\s+|particular\s+)?attention\s+to
    | (?:cover|include|address|discuss|consider|mention|look\s+at|examine|explain|describe)
    )(?:\s+(?:also|especially|in\s+particular))?(?:\s+the\s+following(?:\s+(?:points|topics|aspects|questions))?)?:?\s+
    (?P<things>.+)\Z""",
    re.I | re.X | re.S,
)
_OF_THE_REPORT = re.compile(
    rf"""{_POLITE}(?:
      (?:provide|write|produce|give|deliver|prepare|create|make|return|present|compile|draft)\s+(?:me\s+|us\s+)?{_ARTICLES}
      {_KINDS}(?:\s+(?:with|including|in|for|of\s+about|that)\b.{{0,80}})?
    | (?:include|use|cite|give|add|provide|quote|list|name)\s+(?:\w+\s+){{0,3}}
      (?:citations?|sources?|references?|quotes?|quotations?|links?|evidence|examples?|figures?|numbers?|dates?|tables?)
      (?:\s.{{0,60}})?
    | (?:be|keep\s+it|make\s+it|answer|respond|reply|write|format|structure|organi[sz]e)\s+.{{0,60}}
    | thanks?(?:\s.{{0,20}})?
    )\Z""",
    re.I | re.X | re.S,
)
_ASKS = re.compile(
    r"(?:why|how|what|which|who|whom|whose|when|where|whether|if|that|the\s+(?:difference|relation\w*)\s+between)\b",
    re.I,
)
_NO_NAME = re.compile(r"[?\d]|\b(?:vs|versus|or|than)\b", re.I)
_VERB_FIRST = re.compile(
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|may|must|shall|should|will|would|compare|list|name)\b",
    re.I,
)
_SENTENCES = re.compile(r"(?<=[.!?])\s+(?=\S)|\n+")
_TAIL = re.compile(
    r"\s*(?::|,?\s+(?:including|covering|especially|particularly|in\s+particular|such\s+as|focusing\s+on"
    r"|with\s+(?:a\s+)?(?:special\s+|particular\s+)?(?:focus|emphasis|attention)\s+(?:on|to)))\s+",
    re.I,
)
_NUMBERED = re.compile(r"(?:\A|\s+|(?<=[,;]))(?:\(?\d{1,2}[.)]|\([a-z]\)|[-*•])\s+")
_BETWEEN = re.compile(
    r"\s*[,;]\s*(?:and\s+|as\s+well\s+as\s+)?|\s+as\s+well\s+as\s+"
    r"|\s+and\s+(?=(?:why|how|what|when|where|who|its|their|the)\b)"
)
_LAST = re.compile(r"\s+and\s+")
_BEFORE = re.compile(r"\A(?:(?:its|their|the|any|also|and|on)\s+)+", re.I)


@dataclass(frozen=True)
class Wishes:
    """What is wished for."""

    topic: str
    regards: tuple[str, ...] = ()
    """What is to be told of it; some of it are questions."""


def wishes_of(request: str) -> Wishes | None:
    """What a request for an overview wishes for; none where it asks something else."""
    topic, regards = "", list[str]()
    said = [each.strip() for each in _SENTENCES.split(request.strip()) if each.strip()]
    for number, sentence in enumerate(said):
        bare = sentence.rstrip(" .!?")
        if found := _REQUEST.match(bare):
            if _ASKS.match(found["topic"]):
                return None
            named, things = _parted(found["topic"])
            if topic:
                regards += [*_things(named), *things]
            else:
                topic, regards = named, [*regards, *things]
        elif number and _OF_THE_REPORT.match(bare):
            continue
        elif topic and (_NUMBERED.match(sentence) or (asks(bare) and sentence.endswith("?"))):
            regards += _things(sentence) if _NUMBERED.match(sentence) else [bare]
        elif number and (found := _ALSO.match(bare)):
            regards += _things(found["things"])
        elif not number and (found := _OCCASION.match(bare)) and len(said) > 1:
            topic = found["topic"]
        elif not number and is_a_topic(bare.partition(":")[0]) and len(_parted(bare)[1]) > 1:
            topic, regards = _parted(bare)
        else:
            return None
    return Wishes(topic, tuple(dict.fromkeys(regards))[:MOST]) if topic else None


def is_a_topic(asked: str) -> bool:
    """Whether the words name a topic, and ask nothing: "environmental impact of barrages"."""
    return (
        0 < len(asked.split()) <= LONGEST_NAME
        and not _NO_NAME.search(asked)
        and not _ASKS.match(asked)
        and not _VERB_FIRST.match(asked)
    )


def asks(regard: str) -> bool:
    """Whether what is to be told of a topic is put as a question."""
    return _ASKS.match(regard) is not None


def _parted(topic: str) -> tuple[str, list[str]]:
    """A topic, and what is named behind it: "tidal power: its costs and risks"."""
    parts = _TAIL.split(topic, maxsplit=1)
    return parts[0].strip(" ,"), _things(parts[1]) if len(parts) > 1 else []


def _things(listed: str) -> list[str]:
    """The things of a list, without what stands before each."""
    if len(numbered := _NUMBERED.split(listed)) > 1:
        pieces = numbered
    else:
        pieces = _BETWEEN.split(listed)
        if len(pieces) > 1 or len(listed.split()) <= 4:
            pieces = [*pieces[:-1], *_LAST.split(pieces[-1])]
    bare = (_BEFORE.sub("", each.strip(" ,;:."), count=1) for each in pieces)
    return [each for each in bare if each]
