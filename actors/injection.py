"""Notices texts that speak to a machine instead of a reader: instructions smuggled into a page. Pure.

Nothing depends on this being complete: whatever a page says, it can make nobody fetch an address
that was not found, and nobody cite what does not stand there. It is for the person who reads the report.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_READ = 1_000_000
"""Characters looked at."""

MOST = 3
"""Attempts reported of one page."""

_AROUND = 60

_TAGS = re.compile("[\U000e0020-\U000e007e]{4,}")
"""Letters that nobody sees and models read."""

_TO_A_MACHINE = re.compile(
    r"\b(?:ignore|disregard|forget|override)\s+(?:all\s+|any\s+|the\s+|your\s+|these\s+|every\s+){0,3}"
    r"(?:previous|prior|earlier|above|preceding|former|system|original)\s+(?:\w+\s+){0,2}"
    r"(?:instructions?|prompts?|rules?|directions?|messages?|guidelines?|context)"
    r"|\b(?:attention|note to|instructions? (?:for|to)|message (?:for|to))\s+(?:all\s+|any\s+|the\s+)?"
    r"(?:ai|llms?|language models?|assistants?|chatbots?|crawlers?|agents?)\b"
    r"|\byou are now (?:a|an|in|the|dan)\b|\byour new (?:task|instructions?|role|goal) (?:is|are)\b"
    r"|\bnew (?:system )?instructions?\s*:|\b(?:reveal|print|repeat|output) (?:your|the) (?:system )?prompt\b"
    r"|\bdo not (?:tell|inform|mention (?:this )?to|reveal (?:this )?to) the user\b"
    r"|\bif you are (?:an? )?(?:ai|llm|language model|assistant|agent)\b"
    r"|\byou must (?:now )?(?:call|use|invoke) the (?:\w+ )?tool\b"
    r"|</?(?:system|tool_result|tool_use|function_calls?|untrusted|assistant)\b[^>]{0,80}>"
    r"|\[/?INST\]|<\|(?:im_start|im_end|system|endoftext)\|>"
    r"|(?:これまで|以前|上記|前)の(?:すべての)?(?:指示|命令|プロンプト)(?:を|は)(?:すべて)?(?:無視|忘れ)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Attempt:
    """Words that try to give a machine instructions."""

    start: int
    words: str
    """They and a little of what stands around them, on one line and visible."""


def attempts(text: str) -> list[Attempt]:
    """The first attempts in a text."""
    return [each for each, _ in zip(_attempts(text[:_READ]), range(MOST), strict=False)]


def _attempts(text: str) -> Iterator[Attempt]:
    last = -1
    for found in _TO_A_MACHINE.finditer(text):
        if found.start() >= last:
            last = found.end() + _AROUND
            yield Attempt(found.start(), visible(text[max(0, found.start() - 10) : last]))
    for hidden in _TAGS.finditer(text):
        said = "".join(chr(ord(char) - 0xE0000) for char in hidden.group()[:120])
        yield Attempt(hidden.start(), f"(in invisible letters) {said}")


_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    """A text on one line, without what is not seen: controls, reversals, invisible letters."""
    return " ".join(_UNSEEN.sub("", text).split())


def shown(text: str) -> str:
    """The same with its lines kept, as a machine is shown it."""
    return _UNSEEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
