"""Writes the formulas of a page on a line: without them a sentence goes on as if it had said nothing there."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from actors.adapters.html.hidden import is_hidden

TAG = "math"
_TEX = "application/x-tex"
_SPACED = frozenset(
    "=<>+|\u2260\u2264\u2265\u2248\u2261\u223c\u221d\u226a\u226b\u2212\xb1\u2213\xd7\xf7\u2208\u2209\u2282\u2286\u2283\u2287"
    "\u222a\u2229\u2192\u2190\u2194\u21d2\u21d0\u21d4\u21a6\u2227\u2228\u2218\u2295\u2297"
)
"""Signs that stand between two things, with a blank on both sides."""

_LEAVES = frozenset({"mi", "mn", "mo", "mtext", "ms"})
_SCRIPTS = {
    "msub": ("_",),
    "msup": ("^",),
    "msubsup": ("_", "^"),
    "munder": ("_",),
    "mover": ("^",),
    "munderover": ("_", "^"),
}
_ASIDE = frozenset({"annotation", "annotation-xml", "mphantom", "none", "mprescripts"})
_DEEPEST = 100
"""Elements within elements of a formula; nobody writes a deeper one."""


@dataclass(slots=True)
class Part:
    """An element of a formula, by its name in MathML."""

    tag: str
    attributes: dict[str, str]
    inside: list["Part"] = field(default_factory=list)
    text: str = ""


class Formula:
    """A formula that is being read, from its first tag to its last."""

    def __init__(self, attributes: Iterable[tuple[str, str | None]]) -> None:
        self._whole = Part(TAG, _known(attributes))
        self._open = [self._whole]
        self._ignored = 0

    def start(self, tag: str, attributes: Iterable[tuple[str, str | None]]) -> None:
        """Begin an element within it."""
        if len(self._open) > _DEEPEST:
            self._ignored += 1
            return
        known = _known(attributes)
        part = Part(local(tag), known)
        if not is_hidden(known.items()):
            self._open[-1].inside.append(part)
        self._open.append(part)

    def data(self, text: str) -> None:
        """Take in text."""
        self._open[-1].text += text

    def end(self, tag: str) -> bool:
        """End an element; whether that was the formula."""
        if self._ignored and local(tag) != TAG:
            self._ignored -= 1
            return False
        self._ignored = 0
        while len(self._open) > 1:
            if self._open.pop().tag == local(tag):
                return False
        return local(tag) == TAG

    def written(self) -> str:
        """As its author wrote it in TeX, where that is given; else on a line."""
        whole = self._whole
        if tex := " ".join((_tex(whole) or whole.attributes.get("alttext", "")).split()):
            return f"\\[{tex}\\]" if whole.attributes.get("display") == "block" else f"\\({tex}\\)"
        return " ".join(line_of(whole).split())


def write_formulas(tree: Any) -> None:
    """Put the words of each formula in its place; one that is also shown as a picture may be hidden itself."""
    read: set[Any] = set()
    for element in [each for each in tree.iter() if _is_formula(each)]:
        if element in read:
            continue
        read.update(filter(_is_formula, element.iterdescendants()))
        formula = Formula(element.attrib.items())
        _read(formula, element)
        place = _pictured(element)
        if place is not element:
            place.attrib.clear()
        for child in list(place):
            place.remove(child)
        place.tag, place.text = "span", formula.written()


def local(tag: str) -> str:
    """A tag without its prefix."""
    return tag.rpartition(":")[2].rpartition("}")[2]


def _is_formula(element: Any) -> bool:
    return isinstance(element.tag, str) and local(element.tag) == TAG


def _read(formula: Formula, element: Any) -> None:
    """The elements of a tree one after the other, however deep it is."""
    waiting: list[tuple[Any, bool]] = [(child, False) for child in reversed(element)]
    while waiting:
        each, read = waiting.pop()
        if not isinstance(each.tag, str):
            continue
        if read:
            formula.end(each.tag)
            continue
        formula.start(each.tag, each.attrib.items())
        formula.data(each.text or "")
        waiting.append((each, True))
        waiting += [(child, False) for child in reversed(each)]


def _pictured(element: Any) -> Any:
    """What holds a formula and nothing else beside a picture of it."""
    holder = element.getparent()
    if holder is None or len(holder) != 1 or (holder.text or "").strip() or element.tail:
        return element
    beside = holder.getnext()
    shown = beside is not None and beside.tag == "img" and (beside.get("alt") or "").strip()
    return holder if shown else element


def _known(attributes: Iterable[tuple[str, str | None]]) -> dict[str, str]:
    return {name: value or "" for name, value in attributes}


def _tex(part: Part) -> str:
    for each in part.inside:
        if each.tag == "annotation" and each.attributes.get("encoding") == _TEX:
            return each.text
        if found := _tex(each):
            return found
    return ""


def line_of(part: Part) -> str:
    """A part of a formula as it is written on a line."""
    inside = [each for each in part.inside if each.tag not in _ASIDE]
    if part.tag in _LEAVES:
        said = "".join(part.text.split()) if part.tag == "mo" else " ".join(part.text.split())
        return f" {said} " if part.tag == "mo" and said in _SPACED else said
    lines = [line_of(each) for each in inside]
    match part.tag:
        case "mfrac" if len(lines) == 2:
            return "/".join(map(_held, lines))
        case "msqrt":
            return f"√({''.join(lines).strip()})"
        case "mroot" if len(lines) == 2:
            return f"{_held(lines[0])}^(1/{lines[1].strip()})"
        case "mfenced":
            return f"{part.attributes.get('open', '(')}{', '.join(lines)}{part.attributes.get('close', ')')}"
        case "mtable":
            return "[" + "; ".join(each.strip() for each in lines) + "]"
        case "mtr" | "mlabeledtr":
            return ", ".join(each.strip() for each in lines)
        case "mspace":
            return " "
        case _ if (signs := _SCRIPTS.get(part.tag)) and len(lines) == len(signs) + 1:
            base, *scripts = lines
            written = base + "".join(
                sign + _held(script)
                for sign, script in zip(signs, scripts, strict=True)
                if script.strip()
            )
            # What stands under a sum is of the sum, what follows is what it adds up.
            return written + " " if part.tag.startswith("munder") else written
    return "".join(_side_by_side(inside, lines))


def _side_by_side(parts: list[Part], lines: list[str]) -> Iterator[str]:
    """The parts of a row; a fraction is held together where nothing parts it from what stands beside it."""
    said = [(part, line) for part, line in zip(parts, lines, strict=True) if line]
    for place, (part, line) in enumerate(said):
        before = said[place - 1][1][-1] if place else ""
        after = said[place + 1][1][0] if place + 1 < len(said) else ""
        alone = before in {"", " ", "("} and after in {"", " ", ")"}
        yield line if part.tag != "mfrac" or alone else f"({line.strip()})"


def _held(line: str) -> str:
    """What belongs together, in brackets where it is more than one sign or number."""
    line = line.strip()
    return line if line.replace(".", "").isalnum() or len(line) == 1 else f"({line})"
