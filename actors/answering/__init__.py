"""How the corpus researcher reads a question, judges sentences, and makes an answer of quotations."""
