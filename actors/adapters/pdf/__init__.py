"""Reads PDF: words, lines, columns, headings, notes and scans."""
