"""Bytes and lines: encodings, line endings, splices, diffs, merges and matching.

Imports nothing of `gitscalpel.syntax`.
"""
