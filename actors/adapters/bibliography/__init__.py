"""References in the formats that programs and libraries keep them in."""
