"""Tests of language servers that check renames and report diagnostics."""
