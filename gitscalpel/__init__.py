"""gitscalpel: transactional edits of code, with git as the database."""

__version__ = "0.1.0"
