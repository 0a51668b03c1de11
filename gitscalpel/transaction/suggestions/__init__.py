"""Changesets that commands of the team suggest in answer to a transaction."""
