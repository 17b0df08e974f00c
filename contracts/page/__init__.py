"""The page for a browser: its routes and what they answer."""
