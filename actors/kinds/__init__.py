"""How researchers work, one kind per file."""
