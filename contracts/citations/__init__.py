"""Contract 05, citations."""
