"""The user's files on the disk as what is edited: no branch moves, nor the index."""
