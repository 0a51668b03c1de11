"""Random renames and moves in real projects, checked by compilers and type checkers."""
