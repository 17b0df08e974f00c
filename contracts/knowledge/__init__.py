"""Contract 03, the knowledge base."""
