"""Resolve names in C and C++."""
