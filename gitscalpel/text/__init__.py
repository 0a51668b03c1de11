"""Bytes and lines: encodings, line endings, splices, diffs, merges, matching. Imports no syntax."""
