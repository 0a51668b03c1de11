"""Diagnostics that a change adds, read from the output of tools."""
