"""Publish an open transaction as a branch of a remote."""
