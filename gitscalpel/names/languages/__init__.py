"""One package for each language whose names are resolved."""
