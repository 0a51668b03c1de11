"""An opened repository, its target branch and its caller."""
