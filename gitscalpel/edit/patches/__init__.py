"""Patches in the formats that people, git and language models write: a reader for each, one form inside."""
