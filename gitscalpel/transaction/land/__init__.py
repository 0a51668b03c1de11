"""Land changes: queue, group landing, rebase, merge."""
