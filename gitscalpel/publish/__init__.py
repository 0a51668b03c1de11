"""Pull requests: their text, and the forge that opens them."""
