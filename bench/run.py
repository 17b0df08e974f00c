"""Runs every benchmark here, one after the other, so that nothing disturbs what is being measured."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ORDER = ("append", "fold", "stdio", "tasks")


def main() -> int:
    """Run them all; the worst exit code counts."""
    worst = 0
    for name in ORDER:
        sys.stdout.write(f"\n== {name}\n")
        sys.stdout.flush()
        worst = max(
            worst, subprocess.run([sys.executable, HERE / f"{name}.py"], check=False).returncode
        )
    return worst


if __name__ == "__main__":
    sys.exit(main())
