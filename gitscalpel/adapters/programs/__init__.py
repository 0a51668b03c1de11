"""Adapters, one module for each: the tools of another program, and how they differ from the original."""
