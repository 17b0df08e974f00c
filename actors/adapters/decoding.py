"""The characters of a file of text, whatever charset it was written in."""

import codecs
import re

from events.errors import Unreadable

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with the same bytes
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_OLD_CHARSETS = [
    *("cp1252", "cp1251", "koi8_r", "cp1253", "cp1255", "cp1256"),
    *("cp932", "euc_jp", "gb18030", "big5", "cp949"),
]
"""Charsets worth guessing at. Near twins of Western text, like cp1250, would win by chance."""

_MEANT = {
    **dict.fromkeys(
        ("ascii", "us_ascii", "latin_1", "latin1", "iso_8859_1", "iso8859_1"), "cp1252"
    ),
    **dict.fromkeys(
        ("shift_jis", "sjis", "shiftjis", "x_sjis", "ms_kanji", "windows_31j"), "cp932"
    ),
    **dict.fromkeys(("gb2312", "gbk", "gb_2312_80", "x_gbk", "cp936"), "gb18030"),
    **dict.fromkeys(("euc_kr", "euckr", "ks_c_5601_1987", "ksc5601", "korean"), "cp949"),
    **dict.fromkeys(("big5", "big5_hkscs", "x_x_big5", "cn_big5"), "big5hkscs"),
    **dict.fromkeys(("iso_8859_9", "iso8859_9", "latin5"), "cp1254"),
    **dict.fromkeys(("tis_620", "iso_8859_11", "iso8859_11"), "cp874"),
    "x_euc_jp": "euc_jp",
}
"""Charsets whose names stand for larger ones in the world: browsers read them so, and pages are written so."""

_NO_CHARSETS = frozenset(
    {"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7"}
)
"""What Python can decode besides, and no page is written in; some of it takes for ever."""

_META_CHARSET = re.compile(
    rb"<(?:meta|\?xml)[^>]{0,200}?(?:charset|encoding)\s*+=\s*+[\"']?+\s*+([A-Za-z0-9_.:-]{2,40})",
    re.I,
)
_ISO_2022_JP = re.compile(rb"\x1b\$[B@]|\x1b\(J")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff\ud800-\udfff]")
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa\u30fc\u3001\u3002]")
_NOT_ASCII = re.compile("[^\x00-\x7f]")
_REPLACEMENT = "\ufffd"
_SAMPLE = 1 << 17
"""Bytes that a charset is guessed from."""


def decode_text(name: str, raw: bytes) -> str:
    """The characters of a file, every one of them printable, blank or U+FFFD."""
    # One for one: the spans stay places in the file.
    text, controls = _CONTROLS.subn(_REPLACEMENT, _decode(name, raw))
    damaged = text.count(_REPLACEMENT) if controls or _REPLACEMENT in text else 0
    if damaged > 8 and damaged > len(text) // 20:
        raise Unreadable(name, "it is not text")
    return text


def without_controls(text: str) -> str:
    """Text that a library read out of a file, without what no reader would see."""
    return _CONTROLS.sub("", text)


def has_mark(raw: bytes) -> bool:
    """Whether the bytes begin with the mark of a Unicode encoding."""
    return raw.startswith(tuple(mark for mark, _ in _BOMS))


def _decode(name: str, raw: bytes) -> str:
    for mark, charset in _BOMS:
        if raw.startswith(mark):
            return raw[len(mark) :].decode(charset, "replace")
    if b"\0" in raw:
        return _decode_wide(name, raw)
    if _ISO_2022_JP.search(raw, 0, _SAMPLE):
        try:
            return raw.decode("iso2022_jp_2")
        except UnicodeDecodeError:
            pass  # Terminal colours begin with the same byte.
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return _decode_old(raw)


def _decode_wide(name: str, raw: bytes) -> str:
    """UTF-16 without its mark: of Latin text every other byte is zero."""
    sample = raw[:4096]
    zeros = (sample[0::2].count(0), sample[1::2].count(0))
    if max(zeros) > len(sample) // 5 and min(zeros) == 0:
        try:
            return raw.decode("utf-16-le" if zeros[1] else "utf-16-be")
        except UnicodeDecodeError:
            pass
    raise Unreadable(name, "it holds zero bytes, so it is not text")


def _decode_old(raw: bytes) -> str:
    """Decode what is not Unicode: as it says itself, else by what it must be, else by a guess."""
    if declared := _META_CHARSET.search(raw, 0, 2048):
        text = decode_declared(raw, declared.group(1).decode("ascii"))
        if text is not None:
            return text  # Else it says what it is not: guess like for the others.
    if damaged := _nearly_utf8(raw):
        return damaged
    if charset := _japanese(raw):
        return raw.decode(charset, "replace")
    lines = raw.split(b"\n")
    if len(lines) > 1 and (mixed := _decode_lines(lines)):
        return mixed
    return raw.decode(_guess(raw[:_SAMPLE]), "replace")


def decode_declared(raw: bytes, charset: str) -> str | None:
    """The characters in the charset that is named, if they can be in it but for a few broken ones."""
    meant = _MEANT.get(charset.casefold().replace("-", "_"), charset)
    try:
        if codecs.lookup(meant).name.replace("_", "-") in _NO_CHARSETS:
            return None
        return raw.decode(meant)
    except UnicodeDecodeError:
        text = raw.decode(meant, "replace")
        broken = text.count(_REPLACEMENT)
        return text if len(_NOT_ASCII.findall(text)) > 50 * broken else None
    except (LookupError, UnicodeError, ValueError):
        return None


def _nearly_utf8(raw: bytes) -> str | None:
    """UTF-8 in which few characters are broken, as by a cut in the middle of one."""
    text = raw.decode("utf-8", "replace")
    broken = text.count(_REPLACEMENT)
    return text if len(_NOT_ASCII.findall(text)) > 10 * broken else None


def _japanese(raw: bytes) -> str | None:
    """A charset in which the bytes are Japanese: no such text is without kana."""
    best, best_share = None, 0.3
    for charset in ("cp932", "euc_jp"):
        try:
            text = raw.decode(charset)
        except UnicodeDecodeError:
            continue
        foreign = len(_NOT_ASCII.findall(text, 0, _SAMPLE))
        share = len(_KANA.findall(text, 0, _SAMPLE)) / max(foreign, 1)
        if share > best_share:
            best, best_share = charset, share
    return best


def _decode_lines(lines: list[bytes]) -> str | None:
    """A file put together from several charsets: each line as UTF-8 or as the rest."""
    decoded: list[str | bytes] = [_utf8_or_bytes(line) for line in lines]
    good = sum(isinstance(line, str) and not line.isascii() for line in decoded)
    bad = [line for line in decoded if isinstance(line, bytes)]
    if not good:
        return None
    rest = b"\n".join(bad)[:_SAMPLE]
    charset = _japanese(rest) or _guess(rest)
    return "\n".join(
        line if isinstance(line, str) else line.decode(charset, "replace") for line in decoded
    )


def _utf8_or_bytes(line: bytes) -> str | bytes:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line


def _guess(sample: bytes) -> str:
    from charset_normalizer import from_bytes

    best = from_bytes(sample, cp_isolation=_OLD_CHARSETS).best()
    return best.encoding if best else "cp1252"
