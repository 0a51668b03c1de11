"""What languages have in common whose types are found by namespaces, whatever file they stand in."""
