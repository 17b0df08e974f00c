"""Reads HTML: which part of a page is its text, and how it is laid out."""
