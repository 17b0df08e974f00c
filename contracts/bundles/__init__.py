"""A research as one file that proves itself: packed, and taken into another home."""
