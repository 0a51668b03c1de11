"""Language servers as witnesses."""
