"""Errors that a change brings, and that the tree before does not have, as tools tell them."""
