"""What documentation says of definitions, and what of that an edit has made untrue."""
