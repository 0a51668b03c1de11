"""The Python API: a repository, the transactions in it, and what can be looked at.

The command line is a face of it and uses nothing else. Whatever is refused
raises an error of :mod:`gitscalpel.errors`, and then nothing has happened, but for a
transaction that stays open because the world stood against its landing; ``data["tx"]`` names it.
What only some calls need is imported by them: a command line starts for every edit.
"""
