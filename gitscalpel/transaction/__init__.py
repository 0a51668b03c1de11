"""A change from its operations to its branch, and back. Front ends reach it through the API."""
