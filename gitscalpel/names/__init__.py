"""Resolve names across the files of a tree: scopes, bindings, imports, members, references.

Pure: it reads a snapshot. What a text alone says is in ``syntax/occurrences.py``; here names are followed
from scope to scope and from file to file.
"""
