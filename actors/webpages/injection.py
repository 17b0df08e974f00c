"""Notices texts that speak to a machine instead of a reader: instructions smuggled into a page. Pure.

Nothing depends on this being complete: whatever a page says, it can make nobody fetch an address
that was not found, and nobody cite what does not stand there. It is for the person who reads the report.
"""

import re
from collections.abc import Iterator, Sequence
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


_IN_OTHER_WORDS = re.compile(
    r"(?:今まで|これまで|ここまで|以前|上記|上述|前述|以上|直前|先|前)の\s{0,20}(?:(?:すべての|全ての|あらゆる|システム)\s{0,20})?(?:指示|命令|指令|プロンプト|ルール|規則)"
    r"(?:\S{0,12})(?:無視|忘れ|破棄|従わ)"
    r"|システム\s*プロンプト(?:を|の)\S{0,10}(?:表示|出力|開示|教え)|ユーザー(?:に|には)\S{0,10}(?:言わない|伝えない|知らせない)(?:で|こと)"
    r"|(?:忽略|无视|無視|忘记|忘記|忽視)\S{0,6}(?:之前|以前|上述|以上|先前|前面)\S{0,6}(?:指令|指示|提示|命令|规则|規則)"
    r"|(?:이전|앞의|위의|지금까지)\S{0,3}\s*(?:모든\s*)?(?:지시|명령|프롬프트)\S{0,6}\s*(?:무시|잊)"
    r"|\b(?:ignorier(?:e|en|t)?|missachte|vergiss)\b(?:\s+sie)?(?:\s+\w+){0,2}\s+(?:vorherigen?|bisherigen?|vorigen?|obigen?|früheren?)"
    r"\s+(?:\w+\s+)?(?:anweisung|befehl|regel|vorgabe)\w*"
    r"|\b(?:ignore[zr]?|oublie[zr]?)\s+(?:\w+\s+){0,3}(?:instructions?|consignes?|règles?)\s+(?:précédente|antérieure|ci-dessus)\w*"
    r"|\b(?:ignor(?:a|e|ar|en)|olvid[ae]|desobedece|esqueç[ao])\s+(?:\w+\s+){0,3}(?:instrucciones|instruções|órdenes|ordens|reglas|regras)\s+(?:anterior|previ)\w*"
    r"|\b(?:ignora|dimentica)\s+(?:\w+\s+){0,3}(?:istruzioni|regole)\s+(?:precedent|anterior)\w*"
    r"|(?:игнорируй|проигнорируй|забудь)(?:те)?\s+(?:\w+\s+){0,2}(?:предыдущие|прежние|прошлые)\s+(?:\w+\s+)?(?:инструкции|указания|команды)",
    re.I,
)
"""The same in the languages in which it is often tried."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """Words that try to give a machine instructions."""

    start: int
    words: str
    """They and a little of what stands around them, on one line and visible."""


def attempts(text: str, *, widely: bool = False) -> list[Attempt]:
    """The first attempts in a text; looked for widely, in more languages."""
    patterns = (_TO_A_MACHINE, _IN_OTHER_WORDS) if widely else (_TO_A_MACHINE,)
    return [each for each, _ in zip(_attempts(text[:_READ], patterns), range(MOST), strict=False)]


def _attempts(text: str, patterns: Sequence[re.Pattern[str]]) -> Iterator[Attempt]:
    for pattern in patterns:
        last = -1
        for found in pattern.finditer(text):
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
