"""What several researchers found, put together claim by claim."""
