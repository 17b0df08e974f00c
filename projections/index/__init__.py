"""Index files over the corpus: immutable, memory-mapped, merged aside, and rebuilt when lost."""
