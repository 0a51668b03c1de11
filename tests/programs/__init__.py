"""Small hard programs, each of whose names is renamed, and which have to print the same afterwards."""
