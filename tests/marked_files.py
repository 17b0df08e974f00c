"""Which test files start Ray."""

from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def starts_ray(test: str) -> bool:
    """Whether some test in the file of this one does; told by the file alone, as only that is known everywhere."""
    return _marked(test.partition("::")[0])


@lru_cache
def _marked(file: str) -> bool:
    return "pytest.mark.ray" in (ROOT / file).read_text()
