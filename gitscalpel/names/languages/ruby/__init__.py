"""Resolve names in Ruby."""
