"""Bound the disk use of a repository: one module for each kind of thing that grows."""
