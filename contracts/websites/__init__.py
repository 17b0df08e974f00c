"""Contract 04, websites."""
