"""How many letters OCR gets wrong, on rendered pages with known text.

    python bench/ocr.py [--quick] [--language en|de|ja]

Whole pages in English, German and Japanese are set, turned a little, blurred and given noise, as
scanners do, and read by each engine that is there: as this project asks it, and plain, as it comes.
Figures are the edit distance to the text by its length (of Japanese, without blanks) and seconds for
the page; at the end, pages a minute. Fonts that are not installed are told.
"""

import argparse
import io
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from actors.adapters import ocr, tesseract  # noqa: E402
from actors.adapters.page_lines import Seen  # noqa: E402
from actors.adapters.pdf.layout import lines_of_page  # noqa: E402
from actors.adapters.pdf.lines import Page  # noqa: E402

FONTS = {
    "en": "truetype/liberation/LiberationSerif-Regular.ttf",
    "de": "truetype/liberation/LiberationSerif-Regular.ttf",
    "ja": "opentype/noto/NotoSerifCJK-Regular.ttc",
}
FOLDER = Path("/usr/share/fonts")
TEXTS = {
    "en": "Tidal barrages have been studied for more than a century, and yet only a handful were ever "
    "built. The estuary has the second highest range in the world, about 14 metres at spring tides, "
    "and a barrage would generate 17 TWh a year (5% of the demand). Its opponents point to the mud "
    'flats, on which 65,000 birds spend the winter. "We cannot rebuild them," one of them said.',
    "de": "Über die Größe der Flöße, die früher den Rhein hinabfuhren, gibt es verschiedene "
    "Überlieferungen. Ein Floß maß häufig dreihundert Meter und trug fünfhundert Männer; für ihre "
    "Verpflegung wurden Bäcker und Köche mitgenommen. Die Städte erhoben Zölle, und wer müde war, "
    "schlief auf Stroh. Die Äste und Stämme trieben tagelang flussabwärts, bis nach Düsseldorf.",
    "ja": "潮力発電は、潮の満ち引きを利用して電気を作る方法である。日本では有明海などで研究が行われてきたが、"
    "大規模な発電所はまだ建設されていない。ランス発電所は1966年に完成し、今も年間約5億キロワット時の電力を"
    "供給している。環境への影響や建設費の高さが課題とされ、海流を使う新しいタービンの開発も進められている。",
}


@dataclass(frozen=True)
class Scan:
    """How a page is spoiled."""

    dpi: int
    size: float
    turn: float
    blur: float
    noise: float


SCANS = (
    Scan(150, 9, 0.0, 0.5, 10),
    Scan(100, 10, 0.5, 0.5, 20),
    Scan(200, 9, 1.5, 0.8, 30),
    Scan(75, 11, 0.0, 0.3, 5),
)


def lines_of(
    text: str, font: ImageFont.FreeTypeFont, width: float, *, blanks: bool
) -> Iterator[str]:
    """The text broken to a width."""
    line = ""
    for part in text.split(" ") if blanks else text:
        longer = f"{line} {part}".strip() if blanks else line + part
        if line and font.getlength(longer) > width:
            yield line
            line = part
        else:
            line = longer
    yield line


def rendered(
    language: str, scan: Scan
) -> tuple["np.ndarray[tuple[int, ...], np.dtype[np.uint8]]", str]:
    """A page as a scanner sees it, and what stands on it."""
    width, height = int(8.27 * scan.dpi), int(11.69 * scan.dpi)
    font = ImageFont.truetype(FOLDER / FONTS[language], scan.size * scan.dpi / 72)
    blanks = language != "ja"
    text = (" " if blanks else "").join([TEXTS[language]] * 4)
    image = Image.new("L", (width, height), 255)
    draw = ImageDraw.Draw(image)
    lines = list(lines_of(text, font, width - scan.dpi, blanks=blanks))
    for place, line in enumerate(lines):
        draw.text((scan.dpi / 2, (36 + place * 1.35 * scan.size) * scan.dpi / 72), line, 30, font)
    turned = image.rotate(scan.turn, Image.Resampling.BICUBIC, fillcolor=255)
    grey = np.array(turned.filter(ImageFilter.GaussianBlur(scan.blur))).astype(float)
    grey += np.random.default_rng(0).normal(0, scan.noise, grey.shape)
    spoiled = np.clip(grey, 0, 255).astype(np.uint8)
    return np.stack([spoiled] * 3, axis=-1), (" " if blanks else "").join(lines)


def wrong(read: str, gold: str, *, blanks: bool) -> float:
    """Edit distance by the length of the gold text."""
    joint = " " if blanks else ""
    one, other = (joint.join(each.split()) for each in (read, gold))
    steps = np.arange(len(other) + 1)
    row, letters = steps.copy(), np.array([ord(letter) for letter in other])
    for place, letter in enumerate(one, 1):
        kept = np.minimum(row[1:] + 1, row[:-1] + (letters != ord(letter)))
        row = np.minimum.accumulate(np.concatenate(([place], kept)) - steps) + steps
    return float(row[-1]) / max(len(other), 1)


def text_of(seen: Sequence[Seen], dpi: float) -> str:
    """The lines an engine saw, in reading order."""
    words = ocr.words_of(seen, dpi / 72)
    lines, _ = lines_of_page(Page(1, 595, 842, words))
    return " ".join(line.text for line in lines)


Read = Callable[[Any, str, float], str]


def asked_rapidocr(image: Any, language: str, dpi: float) -> str:
    """As this project asks it."""
    return text_of(ocr.read_image(image), dpi)


def asked_tesseract(image: Any, language: str, dpi: float) -> str:
    """As this project asks it."""
    return text_of(tesseract.read_image(image, [language], dpi), dpi)


@cache
def _plain_engine() -> Any:
    from rapidocr import RapidOCR

    return RapidOCR(params={"Global.log_level": "critical"})


def plain_rapidocr(image: Any, language: str, dpi: float) -> str:
    """With no setting at all."""
    return " ".join(_plain_engine()(image).txts or ())


def plain_tesseract(image: Any, language: str, dpi: float) -> str:
    """From the command line, with no setting but the language."""
    picture = io.BytesIO()
    Image.fromarray(image).save(picture, "PNG")
    command = [tesseract.program(), "stdin", "stdout", "-l", CODES[language]]
    done = subprocess.run(command, input=picture.getvalue(), capture_output=True, check=True)
    return done.stdout.decode()


CODES = {"en": "eng", "de": "deu", "ja": "jpn"}


def readers(language: str) -> dict[str, Read]:
    """Who can read a language here."""
    found: dict[str, Read] = {}
    if ocr.is_there():
        found |= {"rapidocr": asked_rapidocr, "rapidocr, plain": plain_rapidocr}
    if tesseract.readable([language]):
        found |= {"tesseract": asked_tesseract, "tesseract, plain": plain_tesseract}
    return found


def main() -> int:
    """Print a row for each page and engine, and the pace of each."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="one page of each language")
    options.add_argument("--language", choices=[*TEXTS], help="pages in this language alone")
    chosen = options.parse_args()
    scans = SCANS[:1] if chosen.quick else SCANS
    out = sys.stdout.write
    out("language  dpi  pt turn blur noise  engine            wrong  seconds\n")
    spent: dict[str, list[float]] = {}
    missed: dict[str, list[float]] = {}
    for language in [chosen.language] if chosen.language else TEXTS:
        if not (FOLDER / FONTS[language]).is_file():
            out(f"{language:8}  {FONTS[language]} is not installed\n")
            continue
        there = readers(language)
        for read in there.values():
            # Once for nothing: models are loaded with the first page.
            read(rendered(language, scans[0])[0], language, float(scans[0].dpi))
        for scan in scans:
            image, gold = rendered(language, scan)
            for engine, read in there.items():
                began = time.perf_counter()
                text = read(image, language, float(scan.dpi))
                took = time.perf_counter() - began
                share = wrong(text, gold, blanks=language != "ja")
                spent.setdefault(engine, []).append(took)
                missed.setdefault(engine, []).append(share)
                spoiled = (
                    f"{scan.dpi:4} {scan.size:3g} {scan.turn:4g} {scan.blur:4g} {scan.noise:5g}"
                )
                out(f"{language:8} {spoiled}  {engine:16} {share:6.4f} {took:8.2f}\n")
    for engine, seconds in spent.items():
        pace = 60 * len(seconds) / sum(seconds)
        out(f"{engine:16} {len(seconds):3} pages, {pace:5.1f} a minute, ")
        out(f"wrong {statistics.fmean(missed[engine]):.4f}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
