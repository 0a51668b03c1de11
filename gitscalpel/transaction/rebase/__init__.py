"""A change on top of what others have landed."""
