"""A change becomes a part of its branch, and what was interrupted is put right."""
