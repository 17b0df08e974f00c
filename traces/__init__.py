"""The record as a public format: specification, verifier, named audit questions."""
