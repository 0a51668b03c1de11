"""Folders in which people and programs work on a transaction."""
