"""Publishes an open transaction as a branch of another repository."""
