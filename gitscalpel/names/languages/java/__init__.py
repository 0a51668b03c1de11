"""What imports, classes and members mean in Java."""
