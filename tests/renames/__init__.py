"""Names of real projects, drawn at random and renamed, held against compilers and type checkers."""
