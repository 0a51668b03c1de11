"""Find the places of patches, and lower them to edits."""
