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

_OPENED, _CLOSED, _TILDE, _DOLLAR, _BACKSLASH = "\ufdd0", "\ufdd1", "\ufdd2", "\ufdd3", "\ufdd4"
_AS_PRINTED = str.maketrans(
    {_OPENED: "{", _CLOSED: "}", _TILDE: "~", _DOLLAR: "$", _BACKSLASH: "\\"}
)
"""Signs that mean something to LaTeX, kept apart until nothing is read as LaTeX any more."""

_PRINTED = {
    "dots": "…",
    "euro": "€",
    "fg": "»",
    "flq": "\u2039",
    "flqq": "«",
    "frq": "\u203a",
    "frqq": "»",
    "glq": "\u201a",
    "grq": "\u2018",
    "grqq": "“",
    "guilsinglleft": "\u2039",
    "guilsinglright": "\u203a",
    "ng": "ŋ",
    "NG": "Ŋ",
    "og": "«",
    "quotedblbase": "„",
    "quotesinglbase": "\u201a",
    "slash": "/",
    "textasciicircum": "^",
    "textasciitilde": _TILDE,
    "textasteriskcentered": "*",
    "textbackslash": _BACKSLASH,
    "textbar": "|",
    "textcelsius": "°C",
    "textcent": "¢",
    "textdagger": "†",
    "textdiv": "÷",
    "textdollar": _DOLLAR,
    "textellipsis": "…",
    "texteuro": "€",
    "textexclamdown": "¡",
    "textgreater": ">",
    "textless": "<",
    "textmu": "µ",
    "textnumero": "№",
    "textohm": "Ω",
    "textonehalf": "½",
    "textonequarter": "¼",
    "textordfeminine": "ª",
    "textordmasculine": "º",
    "textparagraph": "¶",
    "textperthousand": "‰",
    "textquestiondown": "¿",
    "textquotedbl": '"',
    "textquotedblleft": "“",
    "textquotedblright": "”",
    "textquoteleft": "\u2018",
    "textquoteright": "\u2019",
    "textquotesingle": "'",
    "textsection": "§",
    "textthreequarters": "¾",
    "texttimes": "×",
    "textunderscore": "_",
}
"""Commands that print a sign and that the codec does not know."""

_SYMBOLS = {
    "angle": "∠",
    "cdots": "⋯",
    "circ": "∘",
    "dagger": "†",
    "downarrow": "↓",
    "equiv": "≡",
    "ge": "≥",
    "gg": "≫",
    "gtrsim": "≳",
    "hbar": "ℏ",
    "langle": "⟨",
    "le": "≤",
    "leftrightarrow": "↔",
    "lesssim": "≲",
    "ll": "≪",
    "mapsto": "↦",
    "mp": "∓",
    "ne": "≠",
    "odot": "⊙",
    "oplus": "⊕",
    "otimes": "⊗",
    "parallel": "∥",
    "perp": "⊥",
    "prime": "′",  # noqa: RUF001
    "propto": "∝",
    "rangle": "⟩",
    "setminus": "∖",  # noqa: RUF001
    "simeq": "≃",
    "star": "⋆",
    "to": "→",
    "uparrow": "↑",
    "varepsilon": "ε",
    "vartheta": "ϑ",
}
"""The same in formulas."""

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
_IN_TEXT = re.compile(r"\\ensuremath\s*\{((?:[^{}$]|\{[^{}$]*\}){1,300})\}")
_PART = r"\{((?:[^{}]|\{[^{}]*\}){1,100})\}"
_FRACTION = re.compile(rf"\\[dt]?frac\s*{_PART}\s*{_PART}")
_ROOT = re.compile(rf"\\sqrt\s*{_PART}")
_ONE_WORD = re.compile(r"\\?\w+")
_DEGREE = re.compile(r"\^\s*(?:\{\s*\\circ\s*\}|\\circ(?![A-Za-z]))")
_SYMBOL = re.compile(r"\\[A-Za-z]+")
_LOW = re.compile(r"_(?:\{([^{}]{0,100})\}|([^\s{}]))")
_HIGH = re.compile(r"\^(?:\{([^{}]{0,100})\}|([^\s{}]))")
_RAISED = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")

_NEW_LINE = re.compile(r"\\\\(?:\[[^\]\\]{0,20}\])?")
_OPENING = re.compile(r"\\(?:(?:textbraceleft|lbrace)(?![A-Za-z])(?:\{\}|\s*)|\{)")
_CLOSING = re.compile(r"\\(?:(?:textbraceright|rbrace)(?![A-Za-z])(?:\{\}|\s*)|\})")
"""Braces that are printed; the others only group."""

_ENTITY = re.compile(r"&(?:#\d{1,6}|#x[0-9a-fA-F]{1,5}|[A-Za-z]{2,8});")
_OWN_NAME = re.compile(r"\\((?:La|Bib|XeLa|Xe|LuaLa|Lua|Con)?TeX)(?![A-Za-z])(?:\{\})?")
"""What LaTeX calls itself: a command that prints a name."""

_RAISED_TEXT = re.compile(r"\\textsuperscript\s*\{([^{}\\]{0,40})\}")
_LINKED = re.compile(r"\\href\s*\{[^{}]*\}\s*(?=\{)")
_ADDRESS = re.compile(r"(?i)https?://[^\s{}]+")

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
    # In an address it is no blank that must not be broken.
    text = _ADDRESS.sub(lambda found: found.group().replace("~", _TILDE), _LINKED.sub("", text))
    text = _RAISED_TEXT.sub(_raised_text, _IN_TEXT.sub(r"$\1$", text))
    text = _FORMULA.sub(_formula, _NOTHING.sub("", _SPACE.sub("~", text)))
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
    body = _FRACTION.sub(lambda each: f"{_whole(each[1])}/{_whole(each[2])}", body)
    body = _ROOT.sub(lambda each: f"√{_whole(each[1])}", body)
    # The codec knows a command where it is a formula of its own.
    body = _SYMBOL.sub(_symbol, body)
    body = _LOW.sub(lambda low: low[1] or low[2] or "", body)
    return _HIGH.sub(_raised, body)


def _whole(part: str) -> str:
    """A part of a formula as one thing: in brackets where it is more than a word."""
    return part.strip() if _ONE_WORD.fullmatch(part.strip()) else f"({part.strip()})"


def _symbol(found: re.Match[str]) -> str:
    if known := _SYMBOLS.get(found.group()[1:]):
        return known
    made = _decoded(f"${found.group()}$")
    return found.group() if "\\" in made or "$" in made else made


def _raised(found: re.Match[str]) -> str:
    said = (found[1] or found[2] or "").strip()
    raised = said.translate(_RAISED)
    if not set(raised) & set(said):
        return raised
    # Signs are raised by themselves, or nobody misses it.
    return f"^{said}" if any(map(str.isalnum, said)) else said


def _raised_text(found: re.Match[str]) -> str:
    """An exponent, or the end of an ordinal number, which is as good on the line."""
    raised = found[1].strip().translate(_RAISED)
    return found[1] if set(raised) & set(found[1]) else raised


def _decoded(text: str) -> str:
    import latexcodec  # noqa: F401 - it teaches `codecs` its codec

    with contextlib.suppress(ValueError, LookupError):
        text = codecs.decode(text, "ulatex")  # type: ignore[call-overload]
    return text
