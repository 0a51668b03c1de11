"""Read C and C++ as a preprocessor would: macros, conditionals, and the items between them."""
