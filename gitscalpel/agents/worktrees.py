"""Worktrees that an agent asks for: each is that of an open transaction, from the pool."""

from __future__ import annotations

from pathlib import Path

from gitscalpel import Repository


def make(repo: Repository, name: str) -> Path:
    """A folder for an agent of that name, and a transaction that takes in what it does there."""
    return repo.begin(f"Work in {name}" if name else None).worktree()


def leave(repo: Repository) -> str | None:
    """Take in what was done in the worktree that ``repo`` stands in; its transaction, which stays open."""
    if repo.inside is None:
        return None
    transaction = repo.transaction(repo.inside)
    transaction.stage()
    return transaction.id
