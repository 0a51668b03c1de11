"""Files, locks, processes and secrets of this machine and its user."""
