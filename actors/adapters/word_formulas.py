"""The formulas of a Word document, on a line."""

from typing import Any

from actors.adapters.formulas import Part, line_of

FORMULA = "{http://schemas.openxmlformats.org/officeDocument/2006/math}oMath"
_M = FORMULA.removesuffix("oMath")
_SHAPES = {
    "f": ("mfrac", "num", "den"),
    "sSup": ("msup", "e", "sup"),
    "sSub": ("msub", "e", "sub"),
    "sSubSup": ("msubsup", "e", "sub", "sup"),
    "limLow": ("munder", "e", "lim"),
    "limUpp": ("mover", "e", "lim"),
    "acc": ("mrow", "e"),
    "bar": ("mrow", "e"),
    "m": ("mtable", "mr"),
    "mr": ("mtr", "e"),
    "eqArr": ("mtable", "e"),
}
"""The elements of a formula with the parts that are seen, as MathML calls them."""

_DEEPEST = 60


def written(formula: Any) -> str:
    """A formula as it would be read out of a page."""
    return " ".join(line_of(_row(formula, 0)).split())


def _row(element: Any, depth: int) -> Part:
    inside = list(element) if depth < _DEEPEST else []
    return Part("mrow", {}, [_part(each, depth + 1) for each in inside])


def _part(element: Any, depth: int) -> Part:
    name = element.tag.removeprefix(_M) if isinstance(element.tag, str) else ""
    if name == "t":
        return Part("mtext", {}, [], element.text or "")
    if shape := _SHAPES.get(name):
        kind, *seen = shape
        parts = [
            _part(each, depth) if each.tag == f"{_M}mr" else _row(each, depth)
            for each in _of(element, seen)
        ]
        return Part(kind, {}, parts)
    match name:
        case "rad":
            hidden = _said(element, "radPr/degHide", "0") in {"", "1", "on", "true"}
            under, degree = (_of(element, [each]) for each in ("e", "deg"))
            rows = [_row(each, depth) for each in ([*under] if hidden else [*under, *degree])]
            return Part("mroot" if len(rows) > 1 else "msqrt", {}, rows)
        case "nary":
            sign = Part("mo", {}, [], _said(element, "naryPr/chr", "\u222b"))
            limits = [_row(each, depth) for each in _of(element, ["sub", "sup"])]
            kind = "munderover" if len(limits) == 2 else "mrow"
            return Part("mrow", {}, [Part(kind, {}, [sign, *limits]), *_rows(element, depth)])
        case "d":
            around = {
                "open": _said(element, "dPr/begChr", "("),
                "close": _said(element, "dPr/endChr", ")"),
            }
            return Part("mfenced", around, _rows(element, depth))
    return _row(element, depth)


def _rows(element: Any, depth: int) -> list[Part]:
    return [_row(each, depth) for each in _of(element, ["e"])]


def _of(element: Any, names: list[str]) -> list[Any]:
    return [each for name in names for each in element.findall(_M + name)]


def _said(element: Any, path: str, otherwise: str) -> str:
    """A setting; none is what it means where it is not written."""
    found = element.find("/".join(_M + step for step in path.split("/")))
    return otherwise if found is None else str(found.get(f"{_M}val") or "")
