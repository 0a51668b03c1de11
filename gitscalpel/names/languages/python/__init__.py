"""Resolve names in Python."""
