"""The checks that must hold before a branch moves; one module for each."""
