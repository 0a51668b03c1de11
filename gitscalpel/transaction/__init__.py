"""Changes of a branch: metadata, gates, results and crash-safe updates."""
