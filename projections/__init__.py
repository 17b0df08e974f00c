"""What the facts add up to. Every view can be thrown away and folded again."""
