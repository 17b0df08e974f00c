"""The characters of a file of text, whatever charset it was written in."""

import codecs
import re
import unicodedata

from actors.adapters.common_letters import CHINESE, JAPANESE, KOREAN
from actors.adapters.overstrikes import as_printed
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
_KANJI = re.compile("[\u4e00-\u9fff]")
_SPLICED = re.compile("(?<=[a-z])[\u4e00-\u9fff]|[\u4e00-\u9fff](?=[a-z])")
_NARROW = re.compile("[\uff66-\uff9f]")
_NARROW_RUN = re.compile("[\uff66-\uff9f]+")
_NARROW_FIRST = re.compile("[\uff66-\uff72\uff74-\uff7f]")
"""Narrow kana in whose place the Cyrillic and Western charsets have no letters."""

_NARROW_WORD = re.compile(
    "(?:(?:[\uff73\uff76-\uff84\uff8a-\uff8e]\uff9e|[\uff8a-\uff8e]\uff9f|[\uff66\uff71-\uff9d])"
    "[\uff67-\uff6e]?\uff6f?\uff70?)+"
)
"""Syllables: their marks and small letters follow a letter that can have them."""

_JAPANESE_ONLY = re.compile("[\u3041-\u3096\u30a1-\u30fa\u30fc\uff66-\uff9f]")
_FIRST_LEVEL = range(0xB0, 0xD0)
"""First bytes of the kanji that the standard calls common, in EUC-JP."""

_DECIDED = 2.5
"""Weight from which on words are Japanese: two common characters."""

_CLEARLY = 0.2
"""By how much more of them must be common in Japanese than in another language."""

_FEW_ZEROS, _SELDOM_ZERO = 4, 1_000
"""Zero bytes that a text of any length may have, and one in how many bytes."""

_NOT_ASCII = re.compile("[^\x00-\x7f]")
_REPLACEMENT = "\ufffd"
_SAMPLE = 1 << 17
"""Bytes that a charset is guessed from."""


def decode_text(name: str, raw: bytes) -> str:
    """The characters of a file, every one of them printable, blank or U+FFFD."""
    # One for one: the spans stay places in the file, as it is seen on a terminal.
    text, controls = _CONTROLS.subn(_REPLACEMENT, as_printed(_decode(name, raw)))
    damaged = text.count(_REPLACEMENT) if controls or _REPLACEMENT in text else 0
    if damaged > 8 and damaged > len(text) // 20:
        raise Unreadable(name, "it is not text")
    return text


def decode_page(name: str, raw: bytes) -> str:
    """The same of a page of HTML: browsers pass over its zero bytes, which may stand within a word."""
    return decode_text(name, raw.replace(b"\0", b"") if _has_stray_zeros(raw) else raw)


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


def _has_stray_zeros(raw: bytes) -> bool:
    """Whether there are zero bytes, and so few that what is beyond doubt text without them is text."""
    if not 0 < raw.count(0) <= max(_FEW_ZEROS, len(raw) // _SELDOM_ZERO):
        return False
    bare = raw.replace(b"\0", b"")
    try:
        # Wide characters of Japanese have few zeros, too, and never come out as this.
        bare.decode("utf-8")
    except UnicodeDecodeError:
        declared = _META_CHARSET.search(bare, 0, 2048)
        return (
            declared is not None and decode_declared(bare, declared[1].decode("ascii")) is not None
        )
    return True


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
    """A charset in which the bytes are Japanese: by its kana, else by what its kanji are."""
    return _in_kana(raw) or _in_kanji(raw)


def _in_kana(raw: bytes) -> str | None:
    """A charset in which the bytes are Japanese sentences: none is without kana."""
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


def _in_kanji(raw: bytes) -> str | None:
    """A charset in which the bytes are Japanese words: tables and lists have hardly any kana.

    The same bytes are characters in other charsets as well. Where they are common ones there, nothing is said here.
    """
    best, best_weight = None, _DECIDED
    elsewhere = _common_elsewhere(raw)
    for charset in ("cp932", "euc_jp"):
        if (text := _beginning(raw, charset)) is None:
            continue
        # Pairs of bytes in the other charsets are pairs of narrow kana in this one.
        kana = charset == "euc_jp" or (elsewhere is None and _is_spelled(text))
        weight = _weight(text, kana=kana)
        if weight > best_weight and _common(text, JAPANESE) > (elsewhere or 0.0) + _CLEARLY:
            best, best_weight = charset, weight
    return best


def _weight(text: str, *, kana: bool) -> float:
    """How much speaks for words of Japanese, character by character, each once; `kana` says if narrow ones are some."""
    if len(_SPLICED.findall(text)) * 4 > len(_KANJI.findall(text)):
        return 0.0  # Marks of a Western text, which make a pair with the letter behind them.
    letters = set(_NOT_ASCII.findall(text))
    narrow = {each for each in letters if _NARROW.match(each)}
    # However many there are, they only say it once: letters of other alphabets come in numbers, too.
    said = min(1.5 * len(narrow), 3.0) if kana else -1.5 * len(narrow)
    return said + sum(map(_weight_of, letters - narrow))


def _weight_of(letter: str) -> float:
    if letter in JAPANESE or _KANA.match(letter):
        return 1.5
    if not _KANJI.match(letter):
        return 0.0 if unicodedata.category(letter) != "Co" else -3.0
    raw = letter.encode("euc_jp", "replace")
    return -0.9 if len(raw) == 2 and raw[0] in _FIRST_LEVEL else -3.0


def _is_spelled(text: str) -> bool:
    """Whether narrow kana are put together as words are, and are not letters of another alphabet."""
    runs = _NARROW_RUN.findall(text)
    whole = sum(map(len, runs))
    good = sum(len(run) for run in runs if _NARROW_WORD.fullmatch(run))
    first = len(_NARROW_FIRST.findall(text))
    return whole >= 2 * len(runs) and good > 0.9 * whole and first > 0.2 * whole


def _common(text: str, letters: frozenset[str]) -> float:
    """The share of the commonest characters of a language, each counted once."""
    found = {each for each in _NOT_ASCII.findall(text) if each.isalpha()}
    return sum(each in letters or _JAPANESE_ONLY.match(each) is not None for each in found) / max(
        len(found), 1
    )


def _common_elsewhere(raw: bytes) -> float | None:
    """The same where the bytes are read as another language; none if they cannot be."""
    shares: list[float] = []
    for charset, letters in (("gb18030", CHINESE), ("big5", CHINESE), ("cp949", KOREAN)):
        if (text := _beginning(raw, charset)) is not None:
            shares.append(_common(text, letters))
    return max(shares, default=None)


def _beginning(raw: bytes, charset: str) -> str | None:
    """The characters of a sample, if its bytes can be in a charset; the last one may be cut."""
    try:
        return codecs.getincrementaldecoder(charset)().decode(raw[:_SAMPLE], len(raw) <= _SAMPLE)
    except UnicodeDecodeError:
        return None


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

    narrow = _beginning(sample, "cp932") or ""
    # Letters of a Cyrillic charset would be kana, and are seldom put together like them.
    cyrillic = len(_NARROW.findall(narrow)) * 2 > len(_NOT_ASCII.findall(narrow))
    charsets = [each for each in _OLD_CHARSETS if not (cyrillic and each == "cp932")]
    best = from_bytes(sample, cp_isolation=charsets).best()
    return best.encoding if best else "cp1252"
