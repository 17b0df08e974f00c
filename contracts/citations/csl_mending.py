"""Mends what the library that formats citations does otherwise than CSL says.

What stands for a missing author is not printed again; a group shows nothing when none of its
variables has a value; page ranges are never cut to other numbers; names that are not to be initials,
or have none in their script, stay whole; names that end with others end with et al. The library keeps
its state in one place, so only one thread may format at a time.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import Any

from actors.ingesting.references import are_others

_TAGS = ("text", "names")
"""Elements that print nothing that stood for the authors already."""

_GROUP = "(group)"

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af々"
_EASTERN = re.compile(rf"[{_HAN}\u3041-\u30ff ・\u3000]+")
"""Names that are written family first, and never by their initials."""

_JOINED = re.compile(rf"[{_HAN}]")
"""In Chinese, Japanese and Korean letters nothing stands between the parts of a name."""


@dataclass
class _Shown:
    """Which variables were asked for so far, and which had a value."""

    called: int = 0
    names: list[str] = field(default_factory=list)

    def note(self, variables: str, text: Any) -> Any:
        """Remember that variables were rendered to a text, if to any."""
        if text is not None and str(text):
            self.names += variables.split()
        return text


def mend(model: Any) -> None:
    """Mend the library's classes, once; called before each formatting."""
    if known := getattr(model, "_mended", None):
        known.names.clear()
        return
    shown = model._mended = _Shown()
    # Otherwise a film has nobody who made it.
    model.NAMES.append("director")
    _watch_variables(model, shown)
    _mend_groups(model, shown)
    _mend_substitutes(model, shown)
    _mend_names(model, shown)
    _mend_numbers(model)
    _mend_dates(model)
    _mend_labels(model)


def _watch_variables(model: Any, shown: _Shown) -> None:
    variable_of, date_of, number_of = (
        model.Text._variable,
        model.Date.process,
        model.Number.process,
    )

    def variable(self: Any, item: Any, context: Any) -> Any:
        # A suffix is no variable of the item: "n.d." stands without one.
        shown.called += self.get("variable") not in self.generated_variables
        return shown.note(self.get("variable"), variable_of(self, item, context))

    def date(self: Any, item: Any, variable: Any = None, **more: Any) -> Any:
        shown.called += 1
        named = variable or self.get("variable") or ""
        return shown.note(named, date_of(self, item, variable, **more))

    def number(self: Any, item: Any, context: Any = None, **more: Any) -> Any:
        shown.called += 1
        return shown.note(self.get("variable"), number_of(self, item, context, **more))

    model.Text._variable, model.Date.process, model.Number.process = variable, date, number


def _mend_groups(model: Any, shown: _Shown) -> None:
    def process(self: Any, item: Any, context: Any = None, **more: Any) -> Any:
        called, had = shown.called, len(shown.names)
        output = []
        for child in self.iterchildren():
            given = (
                {"delimiter": self.get("delimiter", "")} if isinstance(child, model.Choose) else {}
            )
            try:
                output.append(child.render(item, context=context, **given, **more))
            except model.VariableError:
                continue
        said = [text for text in output if text is not None]
        if said and (shown.called == called or len(shown.names) > had):
            # To the group around it, what it shows is as good as a variable.
            return shown.note(_GROUP, self.join(said))
        raise model.VariableError

    model.Group.process = process


def _mend_substitutes(model: Any, shown: _Shown) -> None:
    def render(self: Any, item: Any, context: Any = None, **more: Any) -> Any:
        for child in self.getchildren():
            had = len(shown.names)
            try:
                text = child.render(item, context=context, **more)
            except model.VariableError:
                continue
            if text:
                silenced = context.get_layout().repressed
                for kind in _TAGS:
                    tag = f"{{{self.nsmap['cs']}}}{kind}"
                    silenced.setdefault(tag, []).extend(shown.names[had:])
                return text
        return None

    model.Substitute.render = render


def _mend_names(model: Any, shown: _Shown) -> None:
    process_of, name_of = model.Names.process, model.Name.process

    def process(
        self: Any, item: Any, names_context: Any = None, context: Any = None, **more: Any
    ) -> Any:
        shown.called += 1
        context = self if context is None else context
        roles = self.get("variable").split()
        silenced = getattr(context.get_layout(), "repressed", {}).get(self.tag, ())
        there = [role for role in roles if role in item.reference]
        if there and all(role in silenced for role in there):
            raise model.VariableError
        if names_context is None and self.name is None:
            # Names that stand for others are set like those, however deep they are within.
            outer = self.xpath_search("./ancestor::cs:substitute[1]/parent::cs:names[1]")
            names_context = outer[0] if outer else None
        text = process_of(self, item, names_context, context, **more)
        return shown.note(" ".join(there), text)

    def name(
        self: Any,
        item: Any,
        variable: Any,
        context: Any = None,
        sort_options: Any = None,
        **more: Any,
    ) -> Any:
        if self.get_option("form", context, sort_options) == "long":
            whole = [_in_own_order(each) for each in item.reference.get(variable, [])]
            item = SimpleNamespace(reference={variable: whole})
        named = item.reference.get(variable, [])
        if len(named) > 1 and are_others(named[-1]):
            chosen = partial(self.get_option, context=context, sort_options=sort_options)
            sort_options = (sort_options or {}) | _with_others(len(named), chosen)
        return name_of(self, item, variable, context, sort_options, **more)

    def initialize(self: Any, given: str, mark: str, context: Any) -> str:
        if self.get("initialize") == "false":
            return given
        first, *behind = [each for each in given.split("-") if each.strip()] or [given]
        made = [_initials(first, mark), *(_initials(each, mark, hyphened=True) for each in behind)]
        if self.get_option("initialize-with-hyphen", context):
            return "-".join(map(str.strip, made))
        return " ".join("".join([made[0], *map(str.upper, made[1:])]).split())

    model.Names.process, model.Name.process = process, name
    model.Name.initialize = initialize


def _with_others(count: int, chosen: Callable[[str], Any]) -> dict[str, Any]:
    """How names are cut of which the last is et al.: there at the latest, or where the style does."""
    least, first = chosen("et-al-min"), chosen("et-al-use-first")
    named = min(first, count - 1) if 0 < least <= count else count - 1
    return {"et-al-min": 2, "et-al-use-first": named, "et-al-use-last": "false"}


def _in_own_order(name: Any) -> Any:
    """A name, as one part if it is one that is never turned round."""
    given, family, *others = name.parts()
    written = given and family and not any(others) and _EASTERN.fullmatch(f"{family}{given}")
    if not written:
        return name
    between = "" if _JOINED.search(f"{family}{given}") else " "
    return type(name)(literal=f"{family}{between}{given}")


def _initials(part: str, mark: str, *, hyphened: bool = False) -> str:
    """Initials of words; what is small, or of a script without capitals, is kept as a word.

    Behind a hyphen a small letter is an initial, too: Yu-ching is Y.-c.
    """
    made = ""
    for word in part.replace(".", " ").split():
        cut = word[0].isupper() or (hyphened and word[0].islower())
        made = f"{made}{word[0]}{mark}" if cut else f"{made.rstrip()} {word} "
    return made


def _mend_numbers(model: Any) -> None:
    last_of = model.FormatNumber._format_last_page

    def last_page(self: Any, first: str, last: str) -> str:
        if len(first) != len(last) or not (first.isdecimal() and last.isdecimal()):
            return last
        return str(last_of(self, first, last))

    model.FormatNumber._format_last_page = last_page


def _mend_dates(model: Any) -> None:
    single_of = model.Date.render_single_date

    def single(self: Any, date: Any, show_parts: Any = None, context: Any = None) -> Any:
        if self.is_locale_date() and self.get("delimiter"):
            parts = self.parts(date, show_parts, context)
            return self.join(parts) if parts else None
        return single_of(self, date, show_parts, context)

    model.Date.render_single_date = single


def _mend_labels(model: Any) -> None:
    case_of, part_of = model.TextCased.case, model.Name_Part.format_part
    mixed = type(model.String("a") + "b")

    def own(text: Any) -> Any:
        """A text, a number or parts of texts, as the library's own kind of text."""
        if isinstance(text, mixed):
            return mixed([own(part) for part in list.__iter__(text) if str(part)])
        return text if isinstance(text, model.String) else model.String(text)

    def case(self: Any, text: Any, language: Any = None) -> Any:
        # Texts that were put together have lost the library's own kind of text on the way.
        if text is None or not str(text):
            return text
        return case_of(self, own(text), language)

    def format_part(self: Any, given: Any, family: Any) -> tuple[Any, Any]:
        # What is around a part is one text with it: names are joined of plain ones.
        parts = part_of(self, given, family)
        return tuple(part if part is None else model.String(part) for part in parts)  # type: ignore[return-value]

    def markup(self: Any, text: Any) -> Any:
        if not text:
            return None
        language = self.get_root().get("default-locale", "en")[:2]
        return self.wrap(self.format(self.case(self.strip_periods(text), language)))

    model.Label.markup, model.TextCased.case = markup, case
    model.Name_Part.format_part = format_part
