"""Pages of the web: ordered, fetched, read, and looked at again."""
