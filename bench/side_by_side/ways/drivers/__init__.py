"""Programs for the interpreters of other tools; see ``library.py``."""
