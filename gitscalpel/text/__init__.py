"""Bytes and lines: encodings, line endings, splices, indentation, matching."""
