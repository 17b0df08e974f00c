"""A text being written from words drawn at random, and what a reader would read in it.

Words of notes, captions and boxes have a z in each syllable, so that they can be told from those of
the text, whose order is what counts.
"""

from dataclasses import dataclass, field

from bench.layouts import Sheet

ASIDE = [f"z{letter}" for letter in "aeiou"]
KANA = "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろ"
KANJI = "海潮河川発電所研究報告計測結果方法実験地域環境影響建設水位流速風力構造設計評価利用開発技術"


@dataclass
class Manuscript:
    """A source being written, and what a reader would read in it."""

    sheet: Sheet
    aside: list[str] = field(default_factory=list)

    def text(self, sentences: int = 5) -> str:
        """A paragraph of the text."""
        said = self.sheet.paragraph(sentences)
        self.sheet.gold.append(said)
        return said

    def heading(self, words: int = 3, number: str = "", *, loud: bool = False) -> str:
        """A heading; the number is set by the program, but read."""
        said = self.sheet.title(words)
        whole = f"{number} {said}".strip()
        self.sheet.gold.append(whole)
        self.sheet.headings.append(whole.upper() if loud else whole)
        return said

    def beside(self, words: int = 12) -> str:
        """What stands in a note, a caption or a box."""
        chance = self.sheet.chance
        said = " ".join(
            "".join(chance.choices(ASIDE, k=chance.choice((3, 4)))) for _ in range(words)
        )
        self.aside.append(said)
        return f"{said}."

    def line(self, words: int = 5) -> str:
        """A line of the text that is no sentence."""
        said = " ".join(self.sheet.word() for _ in range(words))
        self.sheet.gold.append(said)
        return said

    def japanese(self, sentences: int = 4) -> str:
        """A paragraph in Japanese letters."""
        chance = self.sheet.chance
        made = []
        for _ in range(sentences):
            parts = [
                "".join(chance.choices(KANJI, k=chance.randint(1, 3)))
                + "".join(chance.choices(KANA, k=chance.randint(1, 4)))
                for _ in range(chance.randint(4, 9))
            ]
            made.append("".join(parts) + "。")
        said = "".join(made)
        self.sheet.gold.append(said)
        return said
