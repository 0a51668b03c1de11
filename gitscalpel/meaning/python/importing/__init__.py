"""The import statements of a Python file: read, added to, taken from, put in order."""
