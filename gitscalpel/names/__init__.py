"""Resolve names across the files of a tree: scopes, bindings, imports, members, references.

Pure: the package reads a snapshot. ``syntax/occurrences.py`` reads the occurrences of one text. This package
follows names from scope to scope and from file to file.
"""
