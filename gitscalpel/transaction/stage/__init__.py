"""A change, from operations or from a tree that somebody made."""
