"""The server that forks, with real processes."""
