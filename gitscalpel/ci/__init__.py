"""Continuous integration jobs that check a change and push it."""
