"""Resolve names in C#."""
