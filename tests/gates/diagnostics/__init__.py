"""Diagnostics of a change."""
