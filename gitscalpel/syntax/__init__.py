"""Languages as data: trees, symbols, selectors."""
