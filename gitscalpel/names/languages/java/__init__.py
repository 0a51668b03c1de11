"""Resolve names in Java."""
