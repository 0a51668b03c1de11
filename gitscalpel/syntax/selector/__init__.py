"""Selectors (CSTQuery): the syntax nodes of one text that a path of types, tests and pseudos matches."""
