"""Edits as pure functions: a snapshot and operations in, changed files out. Imports no git."""
