"""Edits of definitions: replace, insert, delete, signature."""
