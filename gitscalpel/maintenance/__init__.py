"""Set up, examine, verify and clean a repository."""
