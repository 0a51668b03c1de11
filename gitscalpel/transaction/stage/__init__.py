"""Build a change from operations, or from a worktree."""
