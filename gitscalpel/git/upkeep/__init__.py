"""What bounds the disk use of a repository: one file per kind of thing that would grow."""
