"""Many writers at once, each a process of its own; ``python -m tests.race`` runs it all, for a table."""
