"""Resolve names across the files of a tree: scopes, bindings, imports, members, references.

The package only reads a snapshot. Occurrences within one text come from ``syntax/occurrences.py``.
"""
