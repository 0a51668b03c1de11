"""What must not change while modules and names do: the public API, JSON, codes, refs and records on disk."""
