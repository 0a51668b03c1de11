"""One round through the installed command line, checked against git."""
