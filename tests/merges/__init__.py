"""Merges that people made, made again: what comes of files in which git sees conflicts."""
