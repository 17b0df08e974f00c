"""How much the figures of Japanese sentences are, so that two of them can be compared."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from actors.answering.japanese.figures import Measure, measures
from actors.answering.japanese.terms import even

_SCALES: dict[str, dict[str, float]] = {
    "time": {
        **dict.fromkeys(("秒間", "秒"), 1 / 60),
        **dict.fromkeys(("分間", "分"), 1.0),
        **dict.fromkeys(("時間", "時間半"), 60.0),
        **dict.fromkeys(("日間", "日"), 1_440.0),
        "週間": 10_080.0,
        **dict.fromkeys(
            ("か月間", "か月半", "か月", "ヶ月", "カ月", "ヵ月", "ケ月", "箇月"), 43_800.0
        ),
        **dict.fromkeys(("年間", "年半", "年"), 525_600.0),
    },
    "money": {"円": 1.0},
    "length": {
        **dict.fromkeys(("ミリメートル", "ミリ", "mm", "㎜"), 0.001),
        **dict.fromkeys(("センチメートル", "センチ", "cm", "㎝"), 0.01),
        **dict.fromkeys(("メートル", "m"), 1.0),
        **dict.fromkeys(("キロメートル", "キロ", "km", "㎞"), 1_000.0),
    },
    "area": {
        **dict.fromkeys(("平方メートル", "㎡", "m2"), 1.0),
        "アール": 100.0,
        **dict.fromkeys(("ヘクタール", "ha"), 10_000.0),
        **dict.fromkeys(("平方キロメートル", "平方キロ"), 1_000_000.0),
    },
    "volume": {
        **dict.fromkeys(("ミリリットル", "ml", "cc"), 0.001),
        "デシリットル": 0.1,
        **dict.fromkeys(("リットル", "l"), 1.0),
        **dict.fromkeys(("立方メートル", "m3"), 1_000.0),
    },
    "weight": {
        **dict.fromkeys(("ミリグラム", "mg"), 0.001),
        **dict.fromkeys(("グラム", "g"), 1.0),
        **dict.fromkeys(("キログラム", "キロ", "kg"), 1_000.0),
        **dict.fromkeys(("トン", "t"), 1_000_000.0),
    },
    "temperature": dict.fromkeys(("度", "℃", "°c"), 1.0),
    "share": {"パーセント": 1.0, "%": 1.0, "割": 10.0},
    "electricity": dict.fromkeys(("ワット", "w"), 1.0)
    | dict.fromkeys(("キロワット", "kw"), 1_000.0),
    "memory": dict.fromkeys(("メガバイト", "メガ", "mb"), 1.0)
    | dict.fromkeys(("ギガバイト", "ギガ", "gb"), 1_000.0),
    "age": dict.fromkeys(("歳", "才"), 1.0),
}
"""What one of a unit is, in one unit for all of a dimension; what is not here cannot be compared with others."""

_SMALL = {"十": 10, "百": 100, "千": 1_000}
_LARGE = {"万": 10**4, "億": 10**8, "兆": 10**12}
_NUMERALS = {numeral: number for number, numeral in enumerate("〇一二三四五六七八九")}
_PIECE = re.compile(r"(?P<digits>[0-9]+(?:\.[0-9]+)?)|(?P<one>.)")
_RANGE = re.compile(r"[~〜～–—-]\Z|から\Z|[0-9]、\Z")  # noqa: RUF001
_RANGE_BEHIND = re.compile(r"[~〜～–—-]|から[0-9]")  # noqa: RUF001
_WORDS_OF_A_RANGE = 3
"""Characters before a figure that say that another one was the lower end."""

_AND = re.compile(r"\s?(?:と)?\Z")


class Amount(NamedTuple):
    """A figure with what it comes to."""

    value: float
    dimension: str
    shown: str
    start: int


def amounts(text: str, dimension: str) -> list[Amount]:
    """The figures of a dimension in a text; none that is one end of a range."""
    plain = even(text)
    found: list[Amount] = []
    last: Measure | None = None
    for each in measures(plain):
        value = _value(plain, each, dimension)
        if value is None:
            last = None
            continue
        if last and found and _AND.match(plain[last.end : each.start]) and value < found[-1].value:
            # 4 hours 20 minutes are one figure.
            whole = found.pop()
            found.append(
                Amount(whole.value + value, dimension, text[whole.start : each.end], whole.start)
            )
        else:
            found.append(Amount(value, dimension, text[each.start : each.end], each.start))
        last = each
    return [each for each in found if not _is_range(plain, each)]


def dimensions_in(text: str) -> Iterator[str]:
    """What the figures of a text are of, one by one."""
    for each in measures(text):
        yield from each.dimensions or ("",)


def _value(plain: str, each: Measure, dimension: str) -> float | None:
    """What a figure comes to; none where it is of something else, or of a unit that cannot be compared."""
    if dimension not in each.dimensions:
        return None
    scale = _SCALES.get(dimension, {}).get(each.unit) if dimension in _SCALES else 1.0
    amount = _number(plain[each.start : each.end - len(each.unit)].strip())
    if scale is None or amount is None:
        return None
    return (amount + (0.5 if each.unit.endswith("半") else 0.0)) * scale


def _number(written: str) -> float | None:
    """3,800 and 1万2千 and 十五 and 二〇; none for what is no certain number (数百)."""
    whole = group = 0.0
    current: float | None = None
    for piece in _PIECE.finditer(written.replace(",", "")):
        sign = piece["one"]
        if piece["digits"]:
            current = float(piece["digits"])
        elif sign in _NUMERALS:
            current = 10 * (current or 0.0) + _NUMERALS[sign]
        elif sign in _SMALL:
            group, current = group + (1.0 if current is None else current) * _SMALL[sign], None
        elif sign in _LARGE:
            whole, group, current = whole + (group + (current or 0.0)) * _LARGE[sign], 0.0, None
        else:
            return None
    return whole + group + (current or 0.0) if written else None


def _is_range(plain: str, each: Amount) -> bool:
    end = each.start + len(each.shown)
    before = plain[max(0, each.start - _WORDS_OF_A_RANGE) : each.start]
    return bool(_RANGE.search(before) or _RANGE_BEHIND.match(plain, end))
