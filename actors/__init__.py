"""Who acts. Each actor decides, appends, and only then does anything."""
