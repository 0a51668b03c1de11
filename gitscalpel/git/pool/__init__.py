"""Linked worktrees outside the repository, leased by transactions: where they lie, whose they are."""
