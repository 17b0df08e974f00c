"""Documents as programs set them: a source for LaTeX or Chromium, and what a reader would read."""

import random
import shutil
import subprocess
import tempfile
from pathlib import Path

from bench.layouts import Sheet
from bench.manuscript import Manuscript
from bench.typeset_books import BOOKS
from bench.typeset_papers import PAPERS
from bench.typeset_web import WEB

TEX = PAPERS | BOOKS
DOCUMENTS = (*TEX, *WEB)
SECONDS = 120.0


def typeset(name: str, seed: int) -> tuple[bytes, Manuscript] | None:
    """A document and what stands in it; nothing where the program that sets it is not installed."""
    paper = Manuscript(Sheet(random.Random(f"{name} {seed}")))
    program = shutil.which("pdflatex" if name in TEX else "chromium")
    if program is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "paper.pdf"
        if name in TEX:
            (Path(folder) / "paper.tex").write_text(TEX[name](paper))
            # Twice: heads and numbers are known only then.
            for _ in range(2):
                _run([program, "-interaction=batchmode", "paper.tex"], folder)
        else:
            (Path(folder) / "paper.html").write_text(WEB[name](paper))
            given = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
            _run([program, *given, f"--print-to-pdf={made}", "paper.html"], folder)
        return made.read_bytes(), paper


def _run(command: list[str], folder: str) -> None:
    subprocess.run(command, cwd=folder, capture_output=True, timeout=SECONDS, check=False)
