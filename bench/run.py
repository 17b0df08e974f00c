"""Runs every benchmark here, one after the other, so that nothing disturbs what is being measured."""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ORDER = (
    *(
        "append",
        "fold",
        "stdio",
        "tasks",
        "audit",
        "encode",
        "stages",
        "search",
        "ingest",
        "websites",
    ),
    *("extraction", "pdf", "ocr", "references", "answers"),
)


def main() -> int:
    """Run them all; the worst exit code counts."""
    worst = 0
    environment = dict(os.environ) | {"PYTHONPATH": str(HERE.parent)}
    for name in ORDER:
        sys.stdout.write(f"\n== {name}\n")
        sys.stdout.flush()
        command = [sys.executable, str(HERE / f"{name}.py")]
        worst = max(worst, subprocess.run(command, check=False, env=environment).returncode)
    return worst


if __name__ == "__main__":
    sys.exit(main())
