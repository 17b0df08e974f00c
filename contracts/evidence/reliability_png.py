"""The reliability diagram as a picture: the only door to Pillow. The same ratings draw the same bytes."""

from io import BytesIO
from typing import Any

_SIDE, _MARGIN = 480, 56
_PAPER, _INK, _GREY = (255, 255, 255), (30, 30, 30), (200, 200, 200)
_RAW, _CALIBRATED = (198, 89, 17), (0, 98, 168)


def draw(reply: dict[str, Any]) -> bytes:
    """A PNG of what `contracts.evidence.calibrating.reliability` found."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (_SIDE + 2 * _MARGIN, _SIDE + 2 * _MARGIN), _PAPER)
    pen = ImageDraw.Draw(image)
    for tenth in range(11):
        share = tenth / 10
        pen.line([_at(share, 0), _at(share, 1)], fill=_GREY)
        pen.line([_at(0, share), _at(1, share)], fill=_GREY)
        if tenth % 2 == 0:
            across, down = _at(share, 0)
            pen.text((across - 8, down + 6), f"{share:.1f}", fill=_INK)
            across, down = _at(0, share)
            pen.text((across - 30, down - 6), f"{share:.1f}", fill=_INK)
    pen.line([_at(0, 0), _at(1, 1)], fill=_INK)
    _points(pen, reply["raw"]["bins"], _RAW)
    if reply["calibrated"]:
        _points(pen, reply["calibrated"]["bins"], _CALIBRATED)
    pen.text((_MARGIN, 12), f"{reply['ratings']} ratings: how right, by confidence", fill=_INK)
    pen.text((_MARGIN, 28), _legend("raw", reply["raw"]), fill=_RAW)
    if reply["calibrated"]:
        half = _MARGIN + _SIDE // 2
        pen.text((half, 28), _legend("calibrated", reply["calibrated"]), fill=_CALIBRATED)
    pen.text((_MARGIN + _SIDE // 2 - 30, _SIDE + _MARGIN + 28), "confidence", fill=_INK)
    made = BytesIO()
    image.save(made, "PNG")
    return made.getvalue()


def _legend(name: str, judged: dict[str, Any]) -> str:
    return f"{name}: Brier {judged['brier']:.3f}, ECE {judged['ece']:.3f}"


def _at(confidence: float, correct: float) -> tuple[float, float]:
    return _MARGIN + confidence * _SIDE, _MARGIN + (1 - correct) * _SIDE


def _points(pen: Any, bins: list[dict[str, Any]], colour: tuple[int, int, int]) -> None:
    places = [_at(each["confidence"], each["correct"]) for each in bins]
    if len(places) > 1:
        pen.line(places, fill=colour, width=2)
    for (across, down), each in zip(places, bins, strict=True):
        radius = min(12.0, 3.0 + each["count"] ** 0.5)
        box = (across - radius, down - radius, across + radius, down + radius)
        pen.ellipse(box, outline=colour, width=2)
