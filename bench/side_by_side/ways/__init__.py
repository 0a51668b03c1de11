"""The ways to make one edit and commit it; each is a file; ``others.py`` has those of others."""
