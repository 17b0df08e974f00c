"""One file per outside library, each satisfying one port."""
