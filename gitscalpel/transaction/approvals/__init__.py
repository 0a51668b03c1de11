"""Who has to agree to a change, and who has."""
