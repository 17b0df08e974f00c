"""Languages as a reader calls them, and which of them a short text cannot be told apart from."""

NAMES = {
    "ar": "Arabic",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "he": "Hebrew",
    "hi": "Hindi",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "nl": "Dutch",
    "pl": "Polish",
    "pt": "Portuguese",
    "ru": "Russian",
    "th": "Thai",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "vi": "Vietnamese",
    "zh": "Chinese",
}

_OF_IDEOGRAPHS = frozenset({"ja", "zh"})
"""A few ideographs alone may be in either."""


def may_be_written_as(language: str) -> frozenset[str]:
    """The languages that a short text may be in that looks like one in this."""
    return _OF_IDEOGRAPHS if language in _OF_IDEOGRAPHS else frozenset({language})
