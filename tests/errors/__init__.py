"""Errors and their messages."""
