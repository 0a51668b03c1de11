"""How the larger JSON formats are built, as far as patches need it."""
