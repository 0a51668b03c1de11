"""Checks that read a change, and parts of those that run programs."""
