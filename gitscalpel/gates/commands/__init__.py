"""Commands that have to succeed on what is to land: tests, linters, type checkers, builds."""
