"""Words of several parts that others write in one: e-mail and email, COVID-19 and COVID19.

Most words with a hyphen are never written without it, and to take each for one word would make the
vocabulary a third larger. So these are told by their parts: a letter, a number, a part that hardly
stands alone, or one that words grow together with.
"""

import re

LATIN = "a-z0-9\u00df-\u00f6\u00f8-\u024f"
"""Letters and digits that words with hyphens consist of, in lower case."""

_BOUND = re.compile(
    rf"(?<![{LATIN}_.,'’-])[{LATIN}]{{1,20}}(?:-[{LATIN}]{{1,20}}){{1,2}}(?![{LATIN}_-]|[.,][0-9])"
)
"""Of two or three parts; what has more is a phrase, an address or a number."""

_FIRST = (
    "angio|anti|auto|back|bi|bio|by|co|counter|cyber|data|de|down|eco|electro|extra|gastro|geo|hydro|hyper"
    "|immuno|infra|inter|intra|life|macro|mega|meta|micro|mid|mini|mono|multi|nano|neo|neuro|news|non"
    "|off|on|out|over|para|photo|physio|phyto|poly|post|pre|pro|pseudo|psycho|radio|re|semi|socio|sub|super"
    "|thermo|tracheo|trans|ultra|un|under|up|web|work"
)
_LAST = (
    "back|backs|base|bases|being|board|boards|book|books|box|boxes|care|code|codes|cycle|cycles|down"
    "|end|ends|flow|flows|fold|free|house|in|ins|keeping|key|land|less|like|line|lines|list|lists|maker"
    "|makers|making|most|name|names|off|offs|on|ons|out|outs|over|page|pages|point|points|proof|scale"
    "|set|sets|side|site|sites|space|spaces|style|styles|system|systems|text|through|time|times|up|ups"
    "|ware|way|ways|wide|wise|work|works"
)
_SHORT = 6
"""Letters of two syllables, as in Wi-Fi."""

_ONE_WORD = re.compile(
    rf"(?!\d+-\d+\Z)(?:\d+-.+|.+-\d+|.-.+|.+-.|(?:{_FIRST})-\D+|\D+-(?:{_LAST})|.{{1,{_SHORT + 1}}})"
)


def compounds(folded: str) -> list[str]:
    """The words with hyphens in a text in lower case."""
    return _BOUND.findall(folded)


def in_one_word(compound: str) -> list[str]:
    """What a compound, or two of its three parts, looks like in one word; nothing if it hardly occurs so."""
    first, second, *rest = compound.split("-")
    pairs = [f"{first}-{second}", *(f"{second}-{third}" for third in rest)]
    found = [pair.replace("-", "") for pair in pairs if _ONE_WORD.fullmatch(pair)]
    # SARS-CoV-2; other words of three parts are rarely one.
    return [*found, compound.replace("-", "")] if rest and rest[0].isdigit() and found else found
