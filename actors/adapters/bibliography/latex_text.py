"""The text that LaTeX would print. The only door to latexcodec."""

import codecs
import contextlib
import html
import re
import unicodedata

_MARKS = {
    "`": "\u0300",
    "'": "\u0301",
    "^": "\u0302",
    "~": "\u0303",
    "=": "\u0304",
    "u": "\u0306",
    ".": "\u0307",
    '"': "\u0308",
    "h": "\u0309",
    "r": "\u030a",
    "H": "\u030b",
    "v": "\u030c",
    "d": "\u0323",
    "c": "\u0327",
    "k": "\u0328",
    "b": "\u0331",
}
"""What LaTeX puts over and under letters, as signs that combine with the letter before them."""

_LETTER = r"[^\W\d_][\u0300-\u0331]*|\\[ij](?![A-Za-z])"
_GROUPED = rf"\{{\s{{0,4}}(?:{_LETTER})\s{{0,4}}\}}"
_MARKED = re.compile(
    rf"""\\(?:(?P<sign>[`'^~=."])|(?P<word>[uhrHvdckb])(?=[\s{{\\]))\s{{0,4}}"""
    rf"(?P<letter>{_LETTER}|{_GROUPED})"
)
"""A mark and the one letter that it belongs to, which may have another mark already."""

_MOST_MARKS = 3
"""Marks that one letter may have: two in Vietnamese."""

_PRINTED = {
    "dots": "…",
    "textellipsis": "…",
    "textquoteright": "\u2019",
    "textquoteleft": "\u2018",
    "textquotesingle": "'",
    "quotedblbase": "„",
    "quotesinglbase": "\u201a",
    "grqq": "“",
    "textmu": "µ",
    "textasciitilde": "\ufdd2",
    "textasciicircum": "^",
    "textdollar": "\ufdd3",
    "slash": "/",
    "euro": "€",
    "texteuro": "€",
}
"""Commands that print a sign and that the codec does not know."""

_SIGN = re.compile(
    rf"\\({'|'.join(sorted(_PRINTED, key=len, reverse=True))})(?![A-Za-z])(?:\{{\}}|[ \t]*)"
)
_SPACE = re.compile(r"\\[,;:]")
_NOTHING = re.compile(r"\\[!/]")
"""A narrower gap, and a place that only the printer knows."""

_FORMULA = re.compile(r"(?<![\\$])\$([^$]{1,300})(?<!\\)\$(?!\d)|\\\(([^$]{1,300}?)\\\)")
_IS_FORMULA = re.compile(r"[\\^_=<>]|^\s*\w\s*$")
"""Two signs of dollars may also be two prices."""

_OPERATOR = re.compile(
    r"\\(log|ln|exp|sin|cos|tan|min|max|lim|sup|inf|det|dim|arg|mod)(?![A-Za-z])"
)
_DEGREE = re.compile(r"\^\s*(?:\{\s*\\circ\s*\}|\\circ(?![A-Za-z]))")
_SYMBOL = re.compile(r"\\[A-Za-z]+")
_LOW = re.compile(r"_(?:\{([^{}]{0,100})\}|(\w))")
_HIGH = re.compile(r"\^(?:\{([^{}]{0,100})\}|([\w+*-]))")
_RAISED = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")

_NEW_LINE = re.compile(r"\\\\(?:\[[^\]\\]{0,20}\])?")
_OPENING = re.compile(r"\\(?:(?:textbraceleft|lbrace)(?![A-Za-z])(?:\{\}|\s*)|\{)")
_CLOSING = re.compile(r"\\(?:(?:textbraceright|rbrace)(?![A-Za-z])(?:\{\}|\s*)|\})")
"""Braces that are printed; the others only group."""

_OPENED, _CLOSED = "\ufdd0", "\ufdd1"
_TILDE, _DOLLAR = _PRINTED["textasciitilde"], _PRINTED["textdollar"]
_AS_PRINTED = str.maketrans({_OPENED: "{", _CLOSED: "}", _TILDE: "~", _DOLLAR: "$"})
"""Signs that mean something to LaTeX, kept apart until nothing is read as LaTeX any more."""

_ENTITY = re.compile(r"&(?:#\d{1,6}|#x[0-9a-fA-F]{1,5}|[A-Za-z]{2,8});")
_OWN_NAME = re.compile(r"\\((?:La|Bib|XeLa|Xe|LuaLa|Lua|Con)?TeX)(?![A-Za-z])(?:\{\})?")
"""What LaTeX calls itself: a command that prints a name."""

_COMMAND = re.compile(r"\\[A-Za-z]+\*?\s*")


def printed(text: str) -> str:
    """The text that LaTeX would print."""
    if "&" in text:
        text = _ENTITY.sub(lambda found: html.unescape(found.group()), text)
    if not re.search(r"[\\{}~$]|--|``|''", text):
        return " ".join(text.split())
    text = marked(_OWN_NAME.sub(r"\1", text))
    text = _CLOSING.sub(_CLOSED, _OPENING.sub(_OPENED, _NEW_LINE.sub(" ", text)))
    text = text.replace("\\$", _DOLLAR)
    text = _FORMULA.sub(_formula, _NOTHING.sub("", _SPACE.sub(" ", text)))
    text = _SIGN.sub(lambda found: _PRINTED[found[1]], text)
    # A sign of its own would begin a comment.
    text = _decoded(re.sub(r"(?<!\\)%", r"\\%", text))
    text = _COMMAND.sub("", text).replace("~", " ").replace("\xa0", " ")
    text = re.sub(r"\\([&%#_{}])", r"\1", text)
    text = re.sub(r"[{}]|(?<!\\)\$(?!\d)", "", text)
    return " ".join(text.translate(_AS_PRINTED).split())


def marked(text: str) -> str:
    r"""The text with its marks on their letters: `\~{\^e}` is one letter, as `ễ` is."""
    if "\\" not in text:
        return text
    for _ in range(_MOST_MARKS):
        # The innermost first: only a letter can be given a mark.
        before, text = text, _MARKED.sub(_with_mark, text)
        if text == before:
            break
    return text


def _with_mark(found: re.Match[str]) -> str:
    letter = re.sub(r"[\\{}\s]", "", found["letter"])
    mark = _MARKS[found["sign"] or found["word"]]
    return unicodedata.normalize("NFC", letter + mark)


def _formula(found: re.Match[str]) -> str:
    """A formula as a line of text; where it is none, as it stands."""
    body = found[1] or found[2]
    if not _IS_FORMULA.search(body):
        return found.group()
    body = _OPERATOR.sub(r"\1", _DEGREE.sub("°", body))
    # The codec knows a command where it is a formula of its own.
    body = _SYMBOL.sub(_symbol, body)
    body = _LOW.sub(lambda low: low[1] or low[2] or "", body)
    return _HIGH.sub(_raised, body)


def _symbol(found: re.Match[str]) -> str:
    made = _decoded(f"${found.group()}$")
    return found.group() if "\\" in made or "$" in made else made


def _raised(found: re.Match[str]) -> str:
    said = (found[1] or found[2] or "").strip()
    raised = said.translate(_RAISED)
    return f"^{said}" if set(raised) & set(said) else raised


def _decoded(text: str) -> str:
    import latexcodec  # noqa: F401 - it teaches `codecs` its codec

    with contextlib.suppress(ValueError, LookupError):
        text = codecs.decode(text, "ulatex")  # type: ignore[call-overload]
    return text
