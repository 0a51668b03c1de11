"""Changes of a branch: their metadata, gates and results, and crash-safe updates of refs and files."""
