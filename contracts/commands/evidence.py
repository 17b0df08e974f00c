"""Ground truth and bundles on the command line: rate, calibration, export and import.

Called like the rest of the commands, and with nothing heavy imported before one of them runs.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

from contracts.commands.commanding import Register, add_json, core_of, out_as
from contracts.settings import Settings
from events.errors import BadRequest

Reply = dict[str, Any]

_WIDE, _HIGH = 40, 10


def register(command: Register) -> None:
    """Add the commands."""
    sub = command("rate", rate, "Record how correct an answer turned out to be.")
    sub.add_argument("task", metavar="TASK", help="a task's id, or its first 8 characters or more")
    sub.add_argument(
        "correct", metavar="yes|no|0..1", help="how correct the answer was, from 0 (no) to 1 (yes)"
    )
    sub.add_argument("--note", help="the reason")
    add_json(sub)

    sub = command(
        "calibration",
        calibration,
        "Show how reliable confidence values have been, by your ratings.",
    )
    sub.add_argument("--png", metavar="FILE", help="also draw it into a new file")
    add_json(sub)

    sub = command(
        "export", export, "Export a research task with its evidence as one verifiable file."
    )
    sub.add_argument("task", metavar="TASK", help="a task's id, or its first 8 characters or more")
    sub.add_argument("--bundle", metavar="FILE.zip", required=True, help="the file to create")
    add_json(sub)

    sub = command("import", import_, "Import a research task from an exported file.")
    sub.add_argument("bundle", metavar="FILE.zip", help="a file that export created")
    add_json(sub)


# -- ratings ---------------------------------------------------------------------------------------


def rate(options: argparse.Namespace, settings: Settings) -> int:
    """Keep how right an answer is."""
    from contracts.evidence import rating
    from contracts.given_ids import whole_id

    core = core_of(settings)
    correct = rating.grade(options.correct)
    reply = rating.rate(core, whole_id(core, options.task), correct, options.note)
    out_as(options, reply, lambda reply: rating.in_markdown(reply).replace("`", ""))
    return 0


def calibration(options: argparse.Namespace, settings: Settings) -> int:
    """Show what ratings say of confidences."""
    from contracts.evidence.calibrating import reliability

    reply = reliability(core_of(settings))
    if options.png:
        _save_picture(options.png, reply)
        sys.stderr.write(f"Drawn into {options.png}\n")
    out_as(options, reply, diagram)
    return 0


def _save_picture(target: str, reply: Reply) -> None:
    from contracts.evidence.reliability_png import draw

    try:
        with Path(target).open("xb") as file:
            file.write(draw(reply))
    except OSError as failure:
        raise BadRequest(
            f"{target} cannot be written: {failure.strerror}.",
            "Name a new file; nothing is overwritten.",
        ) from None


def diagram(reply: Reply) -> str:
    """The reliability diagram in letters: how right answers were, by how sure they were."""
    from contracts.commands import terminal
    from events.words import count

    if not reply["ratings"]:
        return "Nothing is rated yet. Rate a research task with research-agent rate TASK yes|no."
    grid = [[" "] * (_WIDE + 1) for _ in range(_HIGH + 1)]
    for column in range(_WIDE + 1):
        grid[round(column / _WIDE * _HIGH)][column] = "·"
    for mark, judged in (("o", reply["raw"]), ("x", reply["calibrated"])):
        for each in judged["bins"] if judged else ():
            row, column = round(each["correct"] * _HIGH), round(each["confidence"] * _WIDE)
            grid[row][column] = mark
    lines = [f"{row / _HIGH:4.1f} |{''.join(grid[row])}" for row in range(_HIGH, -1, -1)]
    lines += [f"     +{'-' * (_WIDE + 1)}", f"     0{'confidence':^{_WIDE - 1}}1"]
    rows = [
        (f"{each['low']:.1f} to {each['high']:.1f}", each["count"], *_pair(each))
        for each in reply["raw"]["bins"]
    ]
    told = [_measures("o raw", reply["raw"])]
    if reply["calibrated"]:
        told.append(_measures("x calibrated", reply["calibrated"]))
        told.append(f"{reply['ratings']} ratings; the calibrated are judged {reply['judged_by']}.")
    else:
        rated = count(reply["ratings"], "rating")
        told.append(f"{rated}; {reply['ratings_needed']} more are needed for calibration.")
    told.append(
        "Both are best at 0: the Brier score is the mean squared error of the confidences, the "
        "calibration error the mean difference between confidence and correctness."
    )
    table = terminal.pretty_table(["confidence", "rated", "said", "right"], rows)
    return "\n".join(["right", *lines, "", table, "", *told])


def _pair(each: Reply) -> tuple[str, str]:
    return f"{each['confidence']:.2f}", f"{each['correct']:.2f}"


def _measures(name: str, judged: Reply) -> str:
    return f"{name}: Brier score {judged['brier']:.3f}, calibration error {judged['ece']:.3f}"


# -- bundles ---------------------------------------------------------------------------------------


def export(options: argparse.Namespace, settings: Settings) -> int:
    """Write a bundle."""
    from contracts.bundles import bundling
    from contracts.given_ids import whole_id

    core = core_of(settings)
    reply = bundling.export(core, whole_id(core, options.task), options.bundle)
    out_as(options, reply, lambda reply: str(reply["file_path"]))
    sys.stderr.write(f"Check it with research-agent verify {reply['file_path']}\n")
    return 0


def import_(options: argparse.Namespace, settings: Settings) -> int:
    """Take a bundle in."""
    from contracts.bundles import importing

    reply = importing.import_bundle(core_of(settings), Path(options.bundle))
    out_as(options, reply, _taken)
    return 0


def _taken(reply: Reply) -> str:
    from contracts.commands.terminal import harmless
    from events.words import count

    said = "imported" if reply["imported"] else "was here already; nothing was changed"
    size = ", ".join(count(reply[f"{part}s"], part) for part in ("stream", "blob"))
    # Whoever made the bundle asked the question.
    asked = harmless(reply["query"])
    return f"{reply['task_id']} {said}\n{asked}\n{size}, bundle {reply['bundle']}"
