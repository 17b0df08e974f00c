"""Whether a sentence in Japanese holds the kind of thing that is asked for."""

import re
from collections.abc import Sequence

from actors.answering.japanese.asking import Sought
from actors.answering.japanese.figures import PHYSICAL, aspects_told, measures
from actors.answering.japanese.terms import even
from actors.answering.seeking import Seeks
from actors.answering.terms import Token

_WEEKDAY = r"[月火水木金土日]曜|平日|毎日|毎週|週末|土日"
_CLOCK = r"[0-9]{1,2}\s?時(?!間)|[0-9]{1,2}:[0-9]{2}|午前|午後|正午|深夜|早朝|24時間"
_YEAR = (
    r"[0-9]{3,4}年(?!間)"
    r"|(?:明治|大正|昭和|平成|令和|慶長|元禄|享保|天保|安政|寛永|文政|文化|嘉永)(?:元|[0-9]+|[一二三四五六七八九十]+)?年?"
    r"|世紀|江戸|室町|鎌倉|戦国|平安|奈良"
)
_POINTS = {
    "clock": re.compile(_CLOCK),
    "weekday": re.compile(_WEEKDAY),
    "year": re.compile(_YEAR),
    "month": re.compile(r"[0-9一二三四五六七八九十]{1,2}月|上旬|中旬|下旬"),
    "day": re.compile(r"[0-9]{1,2}日(?!間)|[一二三四五六七八九十]+日(?!間)"),
}
_DATED = re.compile(
    rf"{_YEAR}|{_CLOCK}|{_WEEKDAY}|[0-9]{{1,2}}月|[0-9]{{1,2}}日(?!間)|[春夏秋冬](?!眠)|上旬|中旬|下旬|年末|年始|翌日|前日|当日|翌週|翌月"
    r"|祝日|休日|毎月|毎年|第[1-4一二三四]|以内|[年月週日]前|[年月週日]後|昨年|今年|来年|梅雨|夏休み|[0-9](?:時間|分|日|週間|か月|年)(?:後|前|以内)"
)
_MONEY = re.compile(
    r"[0-9,]+\s?(?:[万億千百]+)?(?:円|ドル|ユーロ)|無料|[一二三四五六七八九十百千万億]+円"
)
_SUM = re.compile(r"[0-9,]+\s?(?:[万億千百]+)?(?:円|ドル|ユーロ)")
_HAPPENED = re.compile(
    rf"{_YEAR}|[0-9]{{1,2}}月|[0-9]{{1,2}}日(?!間)|年前|昨年|昨日|今年|先月|先週|去年|一昨年|[0-9]{{1,2}}世紀"
)
_PLACED = re.compile(
    r"[都道府県市区町村郡島山岳川湖湾港駅橋寺院館園校場所階室口前横隣側沿森林原浜丘谷城塔店舗局署課海州洋]"
    r"|[東西南北][側部口斜]?|丁目|番地|センター|広場|ホール|公園|コンビニ|カウンター|窓口|売り場|フロント|ロビー|スーパー|[都道府県市区町村]内"
)
_SAYS_WHERE = re.compile(
    r"場所|所在|住所|位置|会場|集合|にあ[りる]|に(?:建|面|位置|所在)|で(?:開|売|買|行|受|配)|に(?:集ま|住|すむ|すみ|生息)|から(?:徒歩|歩)"
)
_REASON = re.compile(
    r"ため|から|ので|によ[りる]|より、|原因|理由|影響|せい|おかげ|のは、|ことで|からです|つながる"
    r"|(?:増加|減少|不足|悪化|低下|普及|発達|火災|地震|洪水|台風|大雨|事故|老朽化|高齢化|不況|流行|不振)で"
)
_DEFINED = re.compile(r"とは|である|です|という|と呼|を指す|のこと")
_OF_THE_WHOLE = frozenset({"height", "length", "distance"})
"""What a length is of where nothing says so: nobody leaves out that it is a depth."""

_ROLE = re.compile(
    r"さん|氏|先生|教授|博士|夫妻|夫婦"
    r"|[一-龥]{1,4}(?:者|長|師|家|員|官|委員会|協会|会社|組合)(?:が|は|も|と|、|で(?:ある|す)|によ)"
)


def given(
    asked: Sought, said: str, tokens: Sequence[Token], wanted: frozenset[str]
) -> frozenset[Seeks]:
    """Which of the kinds that are sought a sentence holds; `wanted`: the terms of the question."""
    text = even(said)
    return frozenset(kind for kind in asked.kinds if _gives(kind, asked, text, tokens, wanted))


def _gives(
    kind: Seeks, asked: Sought, text: str, tokens: Sequence[Token], wanted: frozenset[str]
) -> bool:
    if kind == "date":
        told = _POINTS[asked.point] if asked.point else _HAPPENED if asked.past else _DATED
        return bool(told.search(text))
    if kind == "money":
        return bool((_SUM if "無料" in wanted else _MONEY).search(text))
    if kind == "number":
        return measured(asked, text)
    if kind == "person":
        names = any(token.name and token.term not in wanted for token in tokens)
        return names or bool(_ROLE.search(text))
    if kind == "place":
        named = any(token.name and token.term not in wanted for token in tokens)
        return named or bool(_PLACED.search(text))
    if kind == "reason":
        return gives_a_reason(text)
    if kind in {"definition", "topic"}:
        return bool(_DEFINED.search(text))
    return True


def measured(asked: Sought, text: str) -> bool:
    """Whether a sentence has a figure of what is asked for, and not only of something else about it."""
    found = list(measures(text))
    if not found:
        return False
    if asked.dimensions or asked.unit:
        bare = not asked.dimensions & PHYSICAL
        found = [
            each
            for each in found
            if each.dimensions & asked.dimensions
            or (each.unit == asked.unit if each.unit else bare)
        ]
        if "length" in asked.dimensions and asked.aspect:
            told = aspects_told(text)
            untold = {""} if asked.aspect in _OF_THE_WHOLE else set[str]()
            fits = any(each in {asked.aspect, *untold} for each in told)
            found = [each for each in found if fits or "length" not in each.dimensions]
    return bool(found)


def says_where(said: str) -> bool:
    """Whether a sentence says of something where it is."""
    return _SAYS_WHERE.search(said) is not None


def gives_a_reason(said: str) -> bool:
    """Whether a sentence has the wording of a reason."""
    return _REASON.search(said) is not None
