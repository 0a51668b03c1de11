"""Repositories that are far larger than what people write, and the bounds that each command keeps on them."""
