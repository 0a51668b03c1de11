"""Checks that must pass before a branch moves; each is a module."""
