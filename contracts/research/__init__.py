"""Contract 02, `research()` v1, and what continues a research."""
