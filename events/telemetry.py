"""What libraries would tell their makers of those who use them, and are kept from."""

import os


def tell_nobody() -> None:
    """To be called before onnxruntime is imported, be it by ourselves or by rapidocr.

    Else it gives the machine an id, keeps that in the cache of its user, and sends it with what was run to its makers.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
