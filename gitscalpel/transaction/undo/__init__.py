"""Undo and redo landings and edits of the checkout."""
