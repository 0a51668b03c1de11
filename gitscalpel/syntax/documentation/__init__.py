"""What documentation comments describe of a definition, and what its header takes."""
