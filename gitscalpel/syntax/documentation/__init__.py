"""Documented parameters, and docstrings that follow a changed header."""
