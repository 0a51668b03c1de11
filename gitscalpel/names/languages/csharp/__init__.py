"""What namespaces, types and members mean in C#."""
