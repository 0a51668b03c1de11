"""Pool of linked worktrees outside the repository, leased by transactions."""
