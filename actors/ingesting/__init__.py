"""From a file to sealed segments: parse, cut, describe, embed, and do so again with better readers."""
