"""Selectors: find syntax nodes by type, attributes and position."""
