"""Bring changes to their branch and back: build, stage, rebase, land, undo, push, and edit the working tree."""
