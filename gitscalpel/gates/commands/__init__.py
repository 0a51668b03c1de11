"""Gates that run a command: tests, linters, type checkers, builds."""
