"""A definition moves to another module: what it needs goes with it, and what names it follows."""
