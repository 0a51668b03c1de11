"""Edits of definitions: replace, insert, delete, signature."""

from gitscalpel.edit.symbols.delete import delete
from gitscalpel.edit.symbols.insert import insert
from gitscalpel.edit.symbols.replace import replace
from gitscalpel.edit.symbols.signature import signature

__all__ = ["delete", "insert", "replace", "signature"]
