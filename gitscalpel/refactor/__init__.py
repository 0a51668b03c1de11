"""Rename, move and rewrite imports across the files of a tree."""
