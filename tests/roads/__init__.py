"""The same tree by every road: one verdict."""
