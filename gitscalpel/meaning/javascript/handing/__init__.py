"""Where objects are handed to what asks for a type: which need not be the one that they say they are."""
