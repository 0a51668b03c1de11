"""Adapters: one module for the tools of each program, with the differences from the original."""
