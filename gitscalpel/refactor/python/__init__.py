"""Refactorings of Python code: imports follow definitions and modules that move."""
