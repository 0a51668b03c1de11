"""Bring changes to their branch and back: build, stage, rebase, land, undo, push; edit the working tree."""
