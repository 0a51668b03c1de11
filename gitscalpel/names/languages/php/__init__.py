"""What namespaces, classes and variables mean in PHP."""
