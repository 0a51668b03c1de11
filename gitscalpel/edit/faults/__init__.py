"""Faults of a text: which of them an edit brings, and whether the text or its grammar is to blame."""
