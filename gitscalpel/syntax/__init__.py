"""Languages as data, parsing, outlines, symbols, addresses. Imports no git."""
