"""Which uses of a name are the one that is meant: files with the places marked."""
