"""Prepare, rebase, land, undo and push changes, and edit the working tree."""
