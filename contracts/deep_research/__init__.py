"""Contract 01, deep research."""
