"""Resolve names in Go."""
