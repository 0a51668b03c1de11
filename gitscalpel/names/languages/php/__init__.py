"""Resolve names in PHP."""
