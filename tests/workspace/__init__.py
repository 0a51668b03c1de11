"""An opened repository and what its callers were refused."""
